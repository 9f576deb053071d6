"""Choose what trials leave behind: measures and curves, with what each of them means."""

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.measures import MEASURES

__all__ = ["draw_records"]


def draw_records(measures: Sequence[str], curves: Sequence[str], *, key: str) -> tuple[list[str], list[str]]:
    """Draw the choice of measures and curves, starting from those given; return the keys that are chosen."""
    chosen = st.multiselect(
        "Measures",
        list(MEASURES),
        default=list(measures),
        format_func=lambda measure: MEASURES[measure].name,
        key=f"{key}_measures",
    )
    drawn = st.pills(
        "Curves",
        list(CURVES),
        selection_mode="multi",
        default=list(curves),
        format_func=lambda curve: CURVES[curve].name,
        key=f"{key}_curves",
    )
    with st.expander("What they mean, and what they cost", icon=":material/help:"):
        st.markdown(_meanings())
    return chosen, drawn


def _meanings() -> str:
    lines = []
    for group, members in groupby(MEASURES.values(), key=lambda measure: measure.group):
        lines += [f"**{group}**", "", *(f"- *{measure.name}*: {measure.summary}" for measure in members), ""]
    lines += ["**Curves**, one for each trial", ""]
    lines += [f"- *{kind.name}*: {kind.summary} {kind.cost}" for kind in CURVES.values()]
    return "\n".join(lines)
