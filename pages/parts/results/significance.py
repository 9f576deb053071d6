"""Significance: which differences are real, on each data set, over all of them, and whether they matter."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ensembles.evaluation.finding import format_p
from ensembles.evaluation.rank_tests import RankComparison
from ensembles.experiments.results import Results
from ensembles.registry import within_sentence
from ensembles.reports import formatting
from ensembles.reports.charts import first_pair, rank_chart
from ensembles.reports.leaderboard import win_rate_chart
from ensembles.reports.markup import frame_html, frame_latex, marked_html, marked_latex
from ensembles.reports.over_datasets import compare_over_datasets, rank_learners
from ensembles.reports.predictions import left_predictions, mcnemar_finding, mcnemar_reads, mcnemar_table
from ensembles.reports.significance import (
    TESTS,
    AllPairs,
    MarkedMeans,
    Question,
    all_pairs,
    can_be_tested,
    default_reference,
    marked_means,
)
from pages.parts.address import in_address
from pages.parts.chart import draw_chart, draw_download, draw_numbers
from pages.parts.grid import draw_grid
from pages.parts.look import on_phone
from pages.parts.results.choices import choose_measure
from pages.parts.text import escape_markdown

__all__ = ["draw_significance"]

_LEVELS = (0.01, 0.05, 0.1)
_OWN_SINGLE = -1
_NOBODY = -1
_T = TypeVar("_T")


class _Asked(NamedTuple):
    question: Question
    reference: int | None
    other: int | None


def draw_significance(results: Results, stem: str) -> None:
    """Draw the view."""
    asked = _choose(results)
    _draw_marked(marked_means(results, asked.question, asked.reference, asked.other), stem)
    if len(results.learners) < 2:
        st.info("Everything else here compares learners; this experiment has one.", icon=":material/info:")
        return
    question, of = asked.question, _by(asked.question.measure)
    by_predictions = left_predictions(results) and not can_be_tested(results)  # the one test that single splits have
    if by_predictions:
        with _section("Two learners on each data set, by single predictions"):
            _draw_two(results, question, predictions_first=True)
    else:
        with _section(f"All pairs{of}"):
            _draw_pairs(results, all_pairs(results, question), stem)
    with _section(f"Ranks over data sets{of}"):
        _draw_ranks(results, rank_learners(results, question, asked.reference), question.measure)
    if not by_predictions:
        with _section(f"Two learners over all data sets{of}"):
            _draw_two(results, question)


def _section(title: str) -> DeltaGenerator:
    """Return where a section stands: below its header; on a phone, where all of them are a long way, in what unfolds."""
    if on_phone():
        return st.expander(title)
    st.header(title, anchor=False)
    return st.container()


def _choose(results: Results) -> _Asked:
    has_single = default_reference(results) is None
    learners = list(range(len(results.learners)))
    names = dict(enumerate(results.learners))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = choose_measure(results)
        reference = _select(
            "Compare with",
            [_OWN_SINGLE, *learners] if has_single else learners,
            lambda place: names.get(place, "Single model of the same base model"),
            key="reference",
            width=280,
        )
        other = _select(
            "Mark what differs from (†, ‡)",
            [_NOBODY, *learners],
            lambda place: names.get(place, "no further learner"),
            key="daggers",
            width=240,
        )
        test = _select("Test on one data set", list(TESTS), TESTS.__getitem__, key="test", width=280)
        level = _select("Significance level", _LEVELS, "{:g}".format, key="level", width=150, index=1)
    question = Question(measure, test, level)
    return _Asked(question, None if reference == _OWN_SINGLE else reference, None if other == _NOBODY else other)


def _select(
    label: str, options: Sequence[_T], said: Callable[[_T], str], *, key: str, width: int, index: int = 0
) -> _T:
    return st.selectbox(label, options, index=index, format_func=said, **in_address(key), width=width)


def _by(measure: str) -> str:
    """Return what learners are compared by, as the end of a heading."""
    return f", by {within_sentence(formatting.measure_name(measure))}"


def _draw_marked(table: MarkedMeans, stem: str) -> None:
    st.header(f"{formatting.measure_name(table.question.measure)} on each data set", anchor=False)
    draw_grid(
        table.means,
        formatting.number,
        verdicts=table.marks,
        signs=table.dagger_signs(),
        alt=f"{formatting.measure_name(table.question.measure)}: data sets down, learners across, marked",
    )
    st.caption(escape_markdown(table.caption))
    with st.container(horizontal=True):
        draw_numbers(table.to_frame(), "marked")
        _draw_files("marked", stem, lambda: marked_latex(table), lambda: marked_html(table))


def _draw_pairs(results: Results, pairs: AllPairs, stem: str) -> None:
    draw_chart(win_rate_chart(results, pairs.question.measure), key="win_rates")
    frame = pairs.to_frame()
    st.caption(escape_markdown(f"Significant wins: {within_sentence(pairs.sentence)}"))
    with st.container(horizontal=True):
        named = frame.rename_axis("Learner").reset_index()
        draw_numbers(named, "pairs", label="Significant wins")
        _draw_files("pairs", stem, lambda: frame_latex(named), lambda: frame_html(named))


def _draw_ranks(results: Results, ranks: RankComparison, measure: str) -> None:
    if not ranks.has_answer:
        st.info(escape_markdown(ranks.sentence), icon=":material/info:")
        return
    st.markdown(escape_markdown(ranks.sentence))
    draw_chart(rank_chart(results, ranks, measure), key="ranks")
    st.caption(escape_markdown(f"{ranks.holm_sentence} {ranks.assumes}"))


def _draw_two(results: Results, question: Question, *, predictions_first: bool = False) -> None:
    first, second = first_pair(results)
    places, names = range(len(results.learners)), results.learners.__getitem__
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        first = _select("One learner", places, names, key="across", width=300, index=first)
        second = _select("Compared with", places, names, key="up", width=300, index=second)
    same = first == second
    if predictions_first and not same:
        _draw_mcnemar(results, first, second, question.alpha)
        st.header(f"The same two over all data sets{_by(question.measure)}", anchor=False)
        row = st.container()
    rope = row.number_input(
        "Differences that do not matter, up to",
        help="In units of the measure; of amounts, as bytes and examples are, as a share of the larger one.",
        min_value=0.0,
        max_value=0.5,
        value=0.01,
        step=0.005,
        format="%.3f",
        **in_address("rope"),
        width=280,
    )  # also for no pair, or what was typed would be lost
    if same:
        st.info("Choose two different learners.", icon=":material/info:")
        return
    findings = compare_over_datasets(results, question, first, second, rope).findings
    for finding in findings:
        st.markdown(escape_markdown(finding.sentence))
        st.caption(escape_markdown(finding.assumes))
    draw_numbers(
        pd.DataFrame([(finding.sentence, finding.assumes) for finding in findings], columns=["Finding", "Assumption"]),
        "two",
    )
    if left_predictions(results) and not predictions_first:
        st.header("The same two on each data set, by single predictions", anchor=False)
        _draw_mcnemar(results, first, second, question.alpha)


def _draw_mcnemar(results: Results, first: int, second: int, alpha: float) -> None:
    found = [mcnemar_finding(results, dataset, first, second, alpha) for dataset in range(len(results.datasets))]
    names, gain = list(results.datasets), f"Gain of {results.learners[second]}"

    def column(cells: list[Any]) -> pd.DataFrame:
        return pd.DataFrame({gain: cells}, index=names)

    notes = [
        "no answer"
        if one.p_value is None
        else f"{format_p(one.p_value)}, {formatting.pluralize(one.n, 'test example')}"
        for one in found
    ]
    draw_grid(
        column([one.gain for one in found]).astype(float),
        formatting.difference,
        notes=column(notes),
        verdicts=column([one.verdict for one in found]),
        alt=f"{gain} on each data set, by McNemar's test",
    )
    st.caption(escape_markdown(mcnemar_reads(results)))
    draw_numbers(mcnemar_table(results, (first, second), alpha), "mcnemar")


def _draw_files(key: str, stem: str, latex: Callable[[], str], page: Callable[[], str]) -> None:
    draw_download("LaTeX", latex, f"{stem}-{key}.tex", key=f"{key}_latex", mime="application/x-tex")
    draw_download("HTML", page, f"{stem}-{key}.html", key=f"{key}_html", mime="text/html")
