"""The page of results: of one experiment, or of several as one; whole, or the one view that a link shows."""

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports.formatting import measure_name
from ensembles.reports.views import TRIALS, View, views_of
from pages.parts.address import choose_view, tell_unknown
from pages.parts.annotate import draw_marks
from pages.parts.experiment_questions import draw_question
from pages.parts.live import experiment_now
from pages.parts.results.comments import draw_comments
from pages.parts.results.header import draw_header, draw_status, file_stem
from pages.parts.results.joined import comparison_stem, draw_joined_header, find_experiments, join
from pages.parts.results.live_stream import draw_left_streams, has_snapshots
from pages.parts.results.load import load_results
from pages.parts.results.status import draw_live, draw_outcome, draw_waiting, note_drawn
from pages.parts.results.take_home import draw_take_home
from pages.parts.results.views import draw_view
from pages.parts.store import show_errors

__all__ = ["draw_comparison", "draw_experiment"]


def draw_experiment(experiment: str, *, only: str | None = None) -> None:
    """Draw the results of one experiment.

    Parameters
    ----------
    experiment : str
        Its id.
    only : str, optional
        Title of the one view that is drawn, without notes and without what can be done with the experiment.

    Raises
    ------
    NotFound
        There is none for who asks.
    """
    record = experiment_now(experiment)
    st.set_page_config(page_title=f"{record.name} · Ensemble Lab")
    draw_header(record, is_alone=only is not None)
    if only is None:
        draw_question()
    if record.is_final:
        draw_status(record)
        draw_left_streams(record)
    else:
        draw_live(record)
    if only is None:
        draw_marks(record)
    with show_errors():
        results = load_results(record)
    draw_outcome(record, results)
    if results.trials.empty:
        draw_waiting(record)
        if only is None and has_snapshots(record):
            draw_take_home(record, results)
    else:
        # Without a finished trial nothing is chosen: a choice of one would be remembered when there are more.
        view = TRIALS if results.finished.empty else _choose(results, only)
        with show_errors():
            results = load_results(record, with_curves=view.names_of_curves(record.config), may_lag=True)
        if len(results.trials) < record.done:
            st.caption(
                f"Of {len(results.trials):,} trials: so many curves are read again when a tenth more have ended."
            )
        draw_view(view, results, file_stem(record))
        if only is None and view.key == "summary":
            draw_take_home(record, results)
    if only is None:
        draw_comments(record)
    note_drawn()


def draw_comparison(address: str, on: str | None, *, only: str | None = None) -> None:
    """Draw the results of several experiments as one.

    Parameters
    ----------
    address : str
        Their ids, separated by commas.
    on : str or None
        The data set that it is about.
    only : str, optional
        As for one experiment.

    Raises
    ------
    InvalidInput, NotFound
        They cannot be compared, or none is there for who asks.
    """
    records, notes = find_experiments(address)
    joined = join(records, on, with_curves=False)
    st.set_page_config(page_title=f"{joined.results.config.name} · Ensemble Lab")
    draw_joined_header(records, joined, notes, on, is_alone=only is not None)
    results = joined.results
    if results.finished.empty:
        st.info("No trial of these experiments has finished, so there is nothing to compare.", icon=":material/info:")
        return
    view = _choose(results, only)
    if curves := view.names_of_curves(results.config):
        with show_errors():
            results = join(records, on, with_curves=curves).results
    draw_view(view, results, comparison_stem(records, results, on))


def _choose(results: Results, only: str | None) -> View:
    titles = {view.title: view for view in views_of(results)}
    tell_unknown(
        ("view", titles, "view"),
        ("measure", [measure_name(measure) for measure in results.measures], "measure"),
        ("data", results.datasets, "data set"),
        *((name, results.learners, "learner") for name in ("learners", "across", "up")),
    )
    if only is None:
        return titles[choose_view([*titles], key="view")]
    return titles.get(only) or next(iter(titles.values()))
