"""Error scatterplots: one learner against another, or against all others."""

import streamlit as st

from ensembles.experiments.config import LearnerSpec
from ensembles.reports.figures import scatter_figure
from ensembles.reports.results import Results
from ensembles.reports.series import scatter_points
from pages.parts.results.chart import draw_chart
from pages.parts.results.load import ground
from pages.parts.text import plain

__all__ = ["draw_pair", "draw_scatterplots", "first_pair"]

_BATCH_OF = {"online_bagging": "bagging", "online_boosting": "adaboost", "primed_online_boosting": "adaboost"}
_MOST = 12


def draw_pair(results: Results) -> None:
    """Draw one scatterplot of two learners to choose."""
    across, up = first_pair(results.config.learners)
    left, right = st.columns(2)
    with left:
        across = _choose("Across", results, across, key="across")
    with right:
        up = _choose("Up", results, up, key="up")
    _draw(results, across, up)


def draw_scatterplots(results: Results) -> None:
    """Draw one learner against each of the others, as the thesis does."""
    if len(results.learners) < 2:
        st.info("A scatterplot needs two learners; this experiment has one.", icon=":material/info:")
        return
    across = _choose("Across", results, first_pair(results.config.learners)[0], key="across")
    others = [learner for learner in range(len(results.learners)) if learner != across]
    for start in range(0, min(len(others), _MOST), 2):
        for column, up in zip(st.columns(2, gap="large"), others[start : start + 2], strict=False):
            with column:
                _draw(results, across, up)
    if len(others) > _MOST:
        st.caption(f"The first {_MOST} of {len(others)} learners; any other pair can be chosen in the summary.")


def first_pair(learners: tuple[LearnerSpec, ...]) -> tuple[int, int]:
    """Return the pair to begin with: the last online method with its batch counterpart on one base model, if any."""
    places = {(learner.method, learner.base): place for place, learner in reversed(list(enumerate(learners)))}
    for online in ("online_boosting", "online_bagging", "primed_online_boosting"):
        for place, learner in enumerate(learners):
            batch = places.get((_BATCH_OF[online], learner.base))
            if learner.method == online and batch is not None:
                return batch, place
    return 0, min(1, len(learners) - 1)


def _choose(label: str, results: Results, default: int, *, key: str) -> int:
    return st.selectbox(
        label,
        range(len(results.learners)),
        index=default,
        format_func=results.learners.__getitem__,
        key=key,
        bind="query-params",
    )


def _draw(results: Results, across: int, up: int) -> None:
    scatter = scatter_points(results, across, up)
    if not scatter.points:
        st.caption(plain(scatter.caption))
        return
    draw_chart(scatter_figure(scatter, ground()), scatter.caption, key=f"scatter_{up}", numbers=scatter.to_frame())
