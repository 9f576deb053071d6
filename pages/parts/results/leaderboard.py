"""The leaderboard: all learners over all data sets, by the score of one's choice."""

import streamlit as st

from ensembles.experiments.results import Results
from ensembles.reports.leaderboard import SCORES, leaderboard_chart
from pages.parts.address import choose_segment
from pages.parts.chart import draw_chart
from pages.parts.results.choices import choose_measure

__all__ = ["draw_leaderboard"]


def draw_leaderboard(results: Results) -> None:
    """Draw the figure of one score, and the table of all of them, sorted by it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = choose_measure(results)
        by = choose_segment("Sorted by", list(SCORES), say=SCORES.__getitem__, key="by")
    chart = leaderboard_chart(results, measure, by)
    draw_chart(chart, key="leaderboard")
    if chart.numbers.empty:
        return
    formats = {"Elo": "%.0f", "Mean rank": "%.2f", "Win rate": "percent", "Improvability": "percent"}
    own = ["Learner", *(f"{SCORES[by]}{end}" for end in ("", ", from", ", to"))]
    formats |= dict.fromkeys(own[1:], formats[SCORES[by]])
    columns = {name: st.column_config.NumberColumn(format=form) for name, form in formats.items()}
    st.dataframe(
        chart.numbers[[*own, *(name for name in formats if name not in own)]],
        hide_index=True,
        height="content" if len(chart.numbers) <= 20 else 560,
        column_config={"Learner": st.column_config.TextColumn(pinned=True), **columns},
        alt="All learners over all data sets, with their scores",
    )
