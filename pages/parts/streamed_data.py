"""Data sets that are read in batches, or drift, in the form of a new experiment: the protocol that goes with them."""

from collections.abc import Sequence

import streamlit as st

from ensembles.data.catalogue import is_source
from ensembles.experiments.config import DatasetRef, Prequential, Protocol
from ensembles.reports.formatting import and_list
from pages.parts.text import escape_markdown
from storage import DatasetRecord

__all__ = ["draw_stream_advice", "forget_wish", "protocol_start", "stream_protocol"]

_TIMES = "new_stream_protocol"


def stream_protocol() -> Prequential:
    """Return the protocol that streams start with: each example once, in the order in which it comes."""
    return Prequential(shuffle=False)


def protocol_start(start: Protocol, key: str) -> tuple[Protocol, str]:
    """Return what the choice of the protocol starts from, and the key of its widgets: new ones for each wish for streams."""
    times = st.session_state.get(_TIMES, {}).get(key, 0)
    return (stream_protocol(), f"{key}_stream{times}") if times else (start, key)


def forget_wish() -> None:
    """Forget that the protocol of streams was wished for, as in a form that was left."""
    st.session_state.pop(_TIMES, None)


def draw_stream_advice(
    datasets: Sequence[DatasetRef], records: Sequence[DatasetRecord], started: Protocol, *, key: str
) -> None:
    """Offer the protocol that goes with data that are read in batches, or drift, where such are chosen and another is."""
    start, own = protocol_start(started, key)
    kind = st.session_state.get(f"{own}_kind", start.kind)
    shuffled = st.session_state.get(f"{own}_prequential_shuffle", getattr(start, "shuffle", True))
    if (kind == "prequential" and not shuffled) or not (why := _why_in_order(datasets, records)):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/info: {escape_markdown(why)}")
        st.button("Use prequential, not shuffled", on_click=_use_stream_protocol, args=(key,), key=f"{key}_to_stream")


def _why_in_order(datasets: Sequence[DatasetRef], records: Sequence[DatasetRecord]) -> str:
    """Return why the examples should stay in their order; nothing where they need not."""
    in_batches = {record.sha256 for record in records if record.in_batches}
    streams = [
        one.label for one in datasets if one.sha256 in in_batches or (one.key and is_source(one.key, one.settings))
    ]
    if streams:
        return f"{and_list(streams)} {'is' if len(streams) == 1 else 'are'} read in batches, in order."
    drifting = [one.label for one in datasets if one.settings.get("drift", "none") != "none"]
    if drifting:
        return (
            f"{and_list(drifting)} {'has' if len(drifting) == 1 else 'have'} a drift: lost where examples are shuffled."
        )
    return ""


def _use_stream_protocol(key: str) -> None:
    times = st.session_state.setdefault(_TIMES, {})
    times[key] = times.get(key, 0) + 1
