"""Choose what trials leave behind: measures and curves, with what each of them means."""

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.measures import KNOWN, MEASURES
from ensembles.experiments.config import PROTOCOLS
from ensembles.registry import within_sentence
from ensembles.reports.formatting import and_list

__all__ = ["draw_records"]


def draw_records(
    protocol: str, measures: Sequence[str], curves: Sequence[str], *, key: str
) -> tuple[list[str], list[str]]:
    """Draw the choice of the measures and curves that go with a protocol, starting from those given; return their keys.

    Protocols that offer the same share one choice.
    """
    offered_measures, offered_curves = _offered(protocol)
    measures, curves = _kept(measures, offered_measures), _kept(curves, offered_curves)
    outside, key = key, f"{key}_{next(kind for kind in PROTOCOLS if _offered(kind) == _offered(protocol))}"
    with st.expander(_title(measures, curves, key), key=f"{outside}_records"):
        chosen = st.multiselect(
            "Measures",
            offered_measures,
            default=measures,
            format_func=lambda measure: MEASURES[measure].name,
            filter_mode="contains",
            select_all=False,
            key=f"{key}_measures",
        )
        if always := _always(protocol):
            st.caption(f"This protocol also records {and_list(always)}.")
        drawn: list[str] = []
        if offered_curves:
            drawn = st.pills(
                "Curves",
                offered_curves,
                selection_mode="multi",
                default=curves,
                format_func=lambda curve: CURVES[curve].name,
                key=f"{key}_curves",
            )
        with st.popover("What they mean, and what they cost", icon=":material/help:"):
            st.markdown(_meanings())
    return chosen, drawn


def _title(measures: Sequence[str], curves: Sequence[str], key: str) -> str:
    """Return what is chosen in the widgets of this key, or what they will start with: "Accuracy, error; learning curve"."""
    chosen = [MEASURES[one].name for one in st.session_state.get(f"{key}_measures", measures)] or ["No measure"]
    drawn = [CURVES[one].name for one in st.session_state.get(f"{key}_curves", curves)]
    first, *others = [*chosen, *drawn]
    words = [first, *map(within_sentence, others)]
    parts = [words[: len(chosen)], words[len(chosen) :]]
    return "; ".join(", ".join(part) for part in parts if part)


def _offered(protocol: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return PROTOCOLS[protocol].offered_measures(), PROTOCOLS[protocol].offered_curves()


def _kept(start: Sequence[str], offered: Sequence[str]) -> list[str]:
    """Return what is offered of what was chosen; the first that is offered when nothing is left of a choice."""
    kept = [key for key in start if key in offered]
    return kept if kept or not start else [*offered[:1]]


def _always(protocol: str) -> list[str]:
    """Return in words what a protocol measures besides accuracy, asked for or not."""
    return [
        within_sentence(KNOWN[measure].name) for measure in PROTOCOLS[protocol].own_measures if measure != "accuracy"
    ]


def _meanings() -> str:
    lines = []
    for group, members in groupby(MEASURES.values(), key=lambda measure: measure.group):
        lines += [f"**{group}**", "", *(f"- *{measure.name}*: {measure.summary}" for measure in members), ""]
    lines += ["**Curves**, one for each trial", ""]
    lines += [f"- *{kind.name}*: {kind.summary} {kind.cost}" for kind in CURVES.values()]
    return "\n".join(lines)
