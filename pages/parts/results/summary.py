"""Summary: the verdict first; then the means of all learners on all data sets, and one error scatterplot beside them."""

import math

import pandas as pd
import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.tables import best_cells, mean_table, spread_table, summary_table, without_value
from ensembles.reports.verdict import Verdict, verdict_of
from ensembles.reports.verdict_figure import HEADING, verdict_chart
from ensembles.reports.verdict_rows import GROUPS, UNITS, Group, Units
from ensembles.reports.verdict_words import chances_words, how_it_was_tested, verdict_lines
from pages.parts.address import choose_segment
from pages.parts.chart import draw_chart, draw_numbers
from pages.parts.grid import draw_grid
from pages.parts.look import side_by_side
from pages.parts.results.choices import choose_measure
from pages.parts.results.scatterplots import draw_pair, draw_pair_beside
from pages.parts.store import store
from pages.parts.text import escape_markdown

__all__ = ["draw_summary"]

_NARROW = 6
_SCATTERPLOT = "Error scatterplot"


def draw_summary(results: Results) -> None:
    """Draw the view; a table of many learners takes the whole width, and what would be one point in a plot is left out."""
    measure = _draw_verdict(results)
    if min(len(results.learners), len(results.datasets)) < 2:
        _draw_means(results, measure)
    elif len(results.learners) > _NARROW:
        _draw_means(results, measure)
        st.header(_SCATTERPLOT, anchor=False)
        draw_pair_beside(results)
    else:
        with side_by_side("summary"):
            left, right = st.columns([8, 5], gap="large")
        with left:
            _draw_means(results, measure)
        with right:
            st.header(_SCATTERPLOT, anchor=False)
            draw_pair(results)


def _draw_verdict(results: Results) -> str:
    """Draw the verdict, and return the measure that it is of."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        st.header(HEADING, anchor=False)
        measure = choose_measure(results)
    verdict = verdict_of(results, measure=measure)
    for lead, text in verdict_lines(verdict):
        st.markdown(f"**{lead}:** {escape_markdown(text)}")
    draw_chart(verdict_chart(results, verdict, *_choose_rows(results, verdict)), key="verdict")
    if tested := how_it_was_tested(verdict):
        with st.expander("How this was tested", icon=":material/rule:"):
            st.markdown(escape_markdown(tested))
            _draw_chances(verdict)
    return measure


def _draw_chances(verdict: Verdict) -> None:
    """Draw how probable it is that learners are better than the best one, the same in practice, or worse."""
    if words := chances_words(verdict):
        chances = verdict.to_chances()
        most = chances.eq(chances.max(axis=1), axis=0)
        draw_grid(
            chances,
            "{:.3f}".format,
            marked=most,
            rows="Learner",
            alt="Learners down; better, the same and worse across",
        )
        st.caption(escape_markdown(words))


def _choose_rows(results: Results, verdict: Verdict) -> tuple[Units, Group]:
    """Draw the choices of what the figure shows and how its rows stand, as far as there is one."""
    learners, compared = results.config.learners, [row for row in verdict.rows if math.isfinite(row.value)]
    units: Units = "rank"
    group: Group = "none"
    kinds: list[set[str | None]] = [{learner.method for learner in learners}, {learner.base for learner in learners}]
    with st.container(horizontal=True):
        if verdict.comparison.test == "wilcoxon" and len(compared) > 1:
            units = choose_segment("Shown", list(UNITS), say=UNITS.__getitem__, key="units")
        if all(1 < len(kind) < len(learners) for kind in kinds):
            group = choose_segment("Grouped by", list(GROUPS), say=GROUPS.__getitem__, key="group")
    return units, group


def _draw_means(results: Results, measure: str) -> None:
    st.header("Means", anchor=False)
    means, spread = mean_table(results, measure), spread_table(results, measure)
    of = (
        "mean over splits and orders ± one standard deviation over trials"
        if spread.notna().any(axis=None)
        else "one trial each"
    )
    best = "lowest" if formatting.lower_is_better(measure) else "highest"
    tested = "" if store().actor.kind == "link" else ": *Significance* tests that"  # a link shows no other view
    bold = f" **Bold**: the {best} of its row, by chance or not{tested}." if means.shape[1] > 1 else ""
    st.caption(" ".join([f"{formatting.measure_name(measure)}: {of}.{bold}", *without_value(results, measure)]))
    draw_grid(
        means,
        formatting.number,
        notes=spread.map(_plus_minus),
        marked=best_cells(means, measure),
        alt=f"{formatting.measure_name(measure)}: data sets down, learners across",
    )
    draw_numbers(summary_table(results), "summary")


def _plus_minus(spread: float) -> str:
    return f"± {formatting.number(spread)}" if pd.notna(spread) else ""
