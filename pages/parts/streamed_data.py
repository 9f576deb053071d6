"""Data sets that are read in batches, in the form of a new experiment: the one protocol that goes with them."""

from collections.abc import Sequence

import streamlit as st

from ensembles.data.catalogue import is_source
from ensembles.experiments.config import DatasetRef, Prequential, Protocol
from ensembles.reports.formatting import and_list
from pages.parts.text import escape_markdown
from storage import DatasetRecord

__all__ = ["IN_ORDER", "draw_stream_advice", "stream_protocol"]

IN_ORDER = "in_order"  #: ends the key under which the session keeps that streams were asked for in their order


def stream_protocol() -> Prequential:
    """Return the protocol that streams start with: each example once, in the order in which it comes."""
    return Prequential(shuffle=False)


def draw_stream_advice(
    datasets: Sequence[DatasetRef], records: Sequence[DatasetRecord], start: Protocol, *, key: str
) -> None:
    """Offer the protocol that goes with data that are read in batches, where such are chosen and another protocol is."""
    kind = st.session_state.get(f"{key}_kind", start.kind)
    shuffled = st.session_state.get(f"{key}_prequential_shuffle", getattr(start, "shuffle", True))
    in_batches = {record.sha256 for record in records if record.in_batches}
    streams = [
        one.label for one in datasets if one.sha256 in in_batches or (one.key and is_source(one.key, one.settings))
    ]
    if not streams or (kind == "prequential" and not shuffled):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        are = "is" if len(streams) == 1 else "are"
        st.markdown(f":material/info: {escape_markdown(and_list(streams))} {are} read in batches, in order.")
        st.button("Use prequential, not shuffled", on_click=_use_stream_protocol, args=(key,), key=f"{key}_to_stream")


def _use_stream_protocol(key: str) -> None:
    st.session_state[f"{key}_kind"] = "prequential"
    st.session_state[f"{key}_prequential_shuffle"] = False
    st.session_state[f"{key}_{IN_ORDER}"] = True
