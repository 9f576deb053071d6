"""Results of one experiment (`?experiment=<id>&view=<view>`): the permalink that people send each other."""

import streamlit as st

from ensembles.errors import NotFound
from ensembles.reports.decomposition import is_decomposed
from ensembles.reports.predictions import has_predictions
from pages.parts.address import choose_view, end_nowhere
from pages.parts.experiment_rows import draw_newest
from pages.parts.links import EXPERIMENTS, NEW_EXPERIMENT
from pages.parts.live import experiment_now
from pages.parts.results.curves import draw_curve
from pages.parts.results.decomposition import draw_decomposition
from pages.parts.results.hard import draw_hard_examples
from pages.parts.results.header import draw_header, draw_standing, file_stem
from pages.parts.results.load import load_results
from pages.parts.results.members import MEMBER_CURVES, draw_members
from pages.parts.results.scatterplots import draw_scatterplots
from pages.parts.results.significance import draw_significance
from pages.parts.results.status import draw_live, draw_outcome, draw_waiting, note_drawn
from pages.parts.results.summary import draw_summary
from pages.parts.results.times import draw_times
from pages.parts.results.trials import draw_trials
from pages.parts.store import explained, store
from storage import ExperimentRecord

NEWEST = 10
VIEWS = (
    "Summary",
    "Scatterplots",
    "Significance",
    "Bias and variance",
    "Learning curves",
    "Stream",
    "Members",
    "Hard examples",
    "Running time",
    "Trials",
)
WITH_CURVES = {"Learning curves", "Stream", "Members", "Hard examples"}


def draw_choice() -> None:
    """Draw the newest experiments to choose from."""
    st.title("Results", anchor=False)
    with explained():
        total = store().count_experiments()
    if not total:
        st.info("No experiment yet. Launch one, and its results appear here.", icon=":material/science:")
        st.page_link(NEW_EXPERIMENT, label="New experiment", icon=":material/add_circle:")
        return
    st.caption("Choose an experiment.")
    draw_newest(NEWEST)
    st.page_link(EXPERIMENTS, label="All experiments", icon=":material/list:")


def find_record(experiment: str) -> ExperimentRecord:
    """Return the experiment that the address names; without one, say so and end the page."""
    try:
        return experiment_now(experiment)
    except NotFound as error:
        end_nowhere("Results", error, EXPERIMENTS, "All experiments")


def draw_view(view: str, record: ExperimentRecord) -> None:
    """Draw one view of the results."""
    with explained():
        results = load_results(
            record,
            with_curves=view in WITH_CURVES or (view == "Significance" and has_predictions(record.config)),
        )
    match view:
        case "Scatterplots":
            draw_scatterplots(results)
        case "Significance":
            draw_significance(results, file_stem(record))
        case "Bias and variance":
            draw_decomposition(results)
        case "Learning curves":
            draw_curve(results, "learning_curve")
        case "Stream":
            draw_curve(results, "prequential_error")
        case "Members":
            draw_members(results)
        case "Hard examples":
            draw_hard_examples(results)
        case "Running time":
            draw_times(results)
        case "Trials":
            draw_trials(results, file_stem(record))
        case _:
            draw_summary(results)


experiment = st.query_params.get("experiment")
if not experiment:
    draw_choice()
    st.stop()
record = find_record(experiment)
st.set_page_config(page_title=f"{record.name} · Ensemble Lab")
draw_header(record)
if record.is_final:
    draw_standing(record)
else:
    draw_live(record)
with explained():
    results = load_results(record)
draw_outcome(record, results)
if results.trials.empty:
    draw_waiting(record)
    st.stop()
recorded = set(record.config.curves)
absent = {
    "Bias and variance": not is_decomposed(results),
    "Learning curves": "learning_curve" not in record.config.protocol.offered_curves(),
    "Stream": "prequential_error" not in recorded,
    "Members": recorded.isdisjoint(MEMBER_CURVES),
    "Hard examples": "hard_examples" not in recorded,
}
views = [view for view in VIEWS if not absent.get(view)]
# Without a finished trial nothing is chosen: a choice of one would be remembered when there are more.
view = "Trials" if results.finished.empty else choose_view(views, key="view")
draw_view(view, record)
note_drawn()
