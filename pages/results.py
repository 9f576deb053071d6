"""Results of one experiment (`?experiment=<id>&view=<view>`), or of several as one (`?experiments=<id>,<id>`).

The address is the permalink that people send each other.
"""

import streamlit as st

from ensembles.errors import InvalidInput, NotFound
from ensembles.reports.views import TRIALS, views_of
from pages.parts.address import choose_view, end_nowhere
from pages.parts.annotate import draw_marks
from pages.parts.experiment_questions import draw_question
from pages.parts.experiment_rows import draw_newest
from pages.parts.links import EXPERIMENTS, NEW_EXPERIMENT
from pages.parts.live import experiment_now
from pages.parts.results.header import draw_header, draw_status, file_stem
from pages.parts.results.joined import comparison_stem, draw_joined_header, find_experiments, join
from pages.parts.results.load import load_results
from pages.parts.results.status import draw_live, draw_outcome, draw_waiting, note_drawn
from pages.parts.results.views import draw_view
from pages.parts.store import show_errors, store

NEWEST = 10


def draw_choice() -> None:
    """Draw the newest experiments to choose from."""
    st.title("Results", anchor=False)
    with show_errors():
        total = store().count_experiments()
    if not total:
        st.info("No experiment yet. Launch one, and its results appear here.", icon=":material/science:")
        st.page_link(NEW_EXPERIMENT, label="New experiment", icon=":material/add_circle:")
        return
    st.caption("Choose an experiment.")
    draw_newest(NEWEST)
    st.page_link(EXPERIMENTS, label="All experiments", icon=":material/list:")


def draw_comparison(address: str, on: str | None) -> None:
    """Draw the results of several experiments as one."""
    try:
        records, notes = find_experiments(address)
        joined = join(records, on, with_curves=False)
    except (InvalidInput, NotFound) as error:
        end_nowhere("Results", error, EXPERIMENTS, "All experiments")
    st.set_page_config(page_title=f"{joined.results.config.name} · Ensemble Lab")
    draw_joined_header(records, joined, notes, on)
    results = joined.results
    if results.finished.empty:
        st.info("No trial of these experiments has finished, so there is nothing to compare.", icon=":material/info:")
        return
    titles = {view.title: view for view in views_of(results)}
    view = titles[choose_view(list(titles), key="view")]
    if view.reads_curves(results.config):
        with show_errors():
            results = join(records, on, with_curves=True).results
    draw_view(view, results, comparison_stem(records, results, on))


if several := st.query_params.get("experiments"):
    draw_comparison(several, st.query_params.get("on"))
    st.stop()
experiment = st.query_params.get("experiment")
if not experiment:
    draw_choice()
    st.stop()
try:
    record = experiment_now(experiment)
except NotFound as error:
    end_nowhere("Results", error, EXPERIMENTS, "All experiments")
st.set_page_config(page_title=f"{record.name} · Ensemble Lab")
draw_header(record)
draw_question()
if record.is_final:
    draw_status(record)
else:
    draw_live(record)
draw_marks(record)
with show_errors():
    results = load_results(record)
draw_outcome(record, results)
if results.trials.empty:
    draw_waiting(record)
    st.stop()
titles = {view.title: view for view in views_of(results)}
# Without a finished trial nothing is chosen: a choice of one would be remembered when there are more.
view = TRIALS if results.finished.empty else titles[choose_view(list(titles), key="view")]
with show_errors():
    results = load_results(record, with_curves=view.reads_curves(record.config))
draw_view(view, results, file_stem(record))
note_drawn()
