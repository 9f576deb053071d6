"""The views of the leaderboard."""

import math
from collections import defaultdict
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ensembles.experiments.learner_names import learner_names
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.registry import within_sentence
from ensembles.reports.across import Entry, history_chart, interval, pair_table, ranks_chart, standings_chart
from ensembles.reports.formatting import number, pluralize, seconds
from ensembles.wording import distinct
from pages.parts.chart import draw_chart, draw_numbers
from pages.parts.grid import draw_grid
from pages.parts.leaderboard.choices import data_names
from pages.parts.links import RESULTS
from pages.parts.live import ask_now
from pages.parts.store import show_errors
from pages.parts.text import escape_markdown, format_datetime
from storage import Score

__all__ = ["draw_by_data_set", "draw_by_method", "draw_over_time"]

_MOST_SHOWN, _MOST_METHODS, _MOST_COMPARED = 20, 12, 50
_MOST_SCORES = 20_000  # of all data sets together: with fewer those with high errors would be left out


def draw_by_data_set(protocol: str, data: str) -> None:
    """Draw the learners with the lowest errors on a data set, with the experiment that each is from."""
    with show_errors():
        scores = ask_now(("best", protocol, data), lambda storage: storage.best_scores(protocol, data))
    shown = scores[:_MOST_SHOWN]
    entries = _entries(shown)
    draw_chart(standings_chart(entries), key="leaderboard")
    if len(scores) > len(shown):
        st.caption(f"The first {len(shown)} of {pluralize(len(scores), 'learner')}.")
    _draw_comparison(scores, data)
    for place, (score, entry) in enumerate(zip(shown, entries, strict=True), 1):
        _draw_row(f"{place}. {entry.label}", score, protocol)


def draw_over_time(protocol: str, data: str) -> None:
    """Draw how the lowest error on a data set came down, experiment by experiment."""
    with show_errors():
        history = ask_now(("history", protocol, data), lambda storage: storage.score_history(protocol, data))
    entries = _entries(history)
    draw_chart(history_chart(entries), key="history")
    latest = sorted(zip(history, entries, strict=True), key=lambda one: one[0].created, reverse=True)
    for score, entry in latest[:_MOST_SHOWN]:
        _draw_row(entry.label, score, protocol)
    if len(latest) > _MOST_SHOWN:
        st.caption(f"The newest {_MOST_SHOWN} of {pluralize(len(latest), 'experiment')}.")


def draw_by_method(protocol: str) -> None:
    """Draw the mean rank of each method, and how often each beats each other one, on the data sets where both ran."""
    with show_errors():
        scores = ask_now(("best", protocol), lambda storage: storage.best_scores(protocol, limit=_MOST_SCORES))
    errors: dict[str, dict[str, float]] = defaultdict(dict)
    specs: dict[str, LearnerSpec] = {}
    for score in scores:  # the lowest errors come first, so the best settings of a method count
        base = score.spec.base_entry
        method = f"{score.spec.entry.name}: {within_sentence(base.name)}" if base else score.spec.entry.name
        errors[method].setdefault(score.data, score.error)
        specs.setdefault(method, score.spec)
    shares, counts = pair_table(errors)
    if len(shares) < 2:
        st.info("Methods are compared when there are two.", icon=":material/info:")
        return
    draw_chart(ranks_chart(errors, specs, _MOST_SHOWN), key="ranks")
    _draw_pairs(shares, counts)
    draw_numbers(_overview(errors, shares), "methods")


def _draw_pairs(shares: pd.DataFrame, counts: pd.DataFrame) -> None:
    """Draw the best methods in pairs."""
    shown = shares.iloc[:_MOST_METHODS, :_MOST_METHODS]
    st.caption(
        "On which share of the data sets where both ran the method of the row has the lower error than that of the column, "
        "each with its best settings; below, how many data sets they share. The best methods stand on top, and columns are "
        "numbered as rows."
    )
    notes = counts.loc[shown.index, shown.columns].map(lambda n: f"of {n:,}" if n else "")
    draw_grid(
        _numbered(shown),
        lambda share: f"{share:.0%}" if pd.notna(share) else "–",
        notes=_numbered(notes),
        marked=_numbered(shown > 0.5),
        rows="Method",
        alt="Methods in pairs",
    )
    if len(shares) > len(shown):
        st.caption(f"The first {len(shown)} of {pluralize(len(shares), 'method')}.")


def _numbered(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns have numbers in place of the names of the rows, which would not fit above them."""
    rows = [f"{place}. {name}" for place, name in enumerate(table.index, 1)]
    return table.set_axis(rows).set_axis([str(place) for place in range(1, len(rows) + 1)], axis=1)


def _overview(errors: dict[str, dict[str, float]], shares: pd.DataFrame) -> pd.DataFrame:
    """Return one row a method and data set."""
    names = dict(
        zip(found := sorted({data for own in errors.values() for data in own}), data_names(found), strict=True)
    )
    rows = [
        (method, shares.loc[method].mean(), names[data], error)
        for method in shares.index
        for data, error in errors[method].items()
    ]
    return pd.DataFrame(rows, columns=["Method", "Mean share", "Data set", "Lowest error"])


def _entries(scores: Sequence[Score]) -> list[Entry]:
    specs = {score.spec.canonical: score.spec for score in scores}
    labels = dict(zip(specs, distinct(learner_names(list(specs.values()), bases=True)), strict=True))
    entries = []
    for score in scores:
        spec = score.spec
        low, high = interval(score.error, score.spread, score.splits, score.ratio)
        entries.append(
            Entry(labels[spec.canonical], spec, score.error, low, high, score.splits, score.name, score.created)
        )
    return entries


def _draw_row(label: str, score: Score, protocol: str) -> None:
    low, high = interval(score.error, score.spread, score.splits, score.ratio)
    bounds = f" [{number(low)}, {number(high)}]" if not math.isnan(low) else ""
    took = f", {seconds(score.cpu_seconds)} of processor time" if score.cpu_seconds is not None else ""
    learner, experiment = st.columns(2, vertical_alignment="center", gap="small")
    is_headless = protocol.startswith("prequential") and score.ratio < 1.0
    of = f" on the last {100 * score.ratio:.3g} % of the stream" if is_headless else ""
    about = f"error {number(score.error)}{bounds}{of}, {pluralize(score.splits, 'split')}{took}"
    learner.markdown(f"{escape_markdown(label)}  \n:small[:gray[{escape_markdown(about)}]]")
    with experiment.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(RESULTS, label=escape_markdown(score.name), query_params={"experiment": score.experiment})
        st.caption(format_datetime(score.created), width="content")


def _draw_comparison(scores: Sequence[Score], data: str) -> None:
    """Draw the link to the results behind a leaderboard as one, where tests tell what ranks do not."""
    ids = list(dict.fromkeys(score.experiment for score in scores))[:_MOST_COMPARED]
    several = f"the results of {len(ids)} experiments as one"
    st.page_link(
        RESULTS,
        label=f"Test these differences: {several if len(ids) > 1 else 'the results of the experiment'}",
        icon=":material/compare_arrows:",
        query_params={"experiments": ",".join(ids), "on": data},
    )
