"""Add a file that is on the server already: it is read once, in batches, and stays where it is."""

import time
from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Any

import streamlit as st

from ensembles.data.files import FileDescription, column_names
from ensembles.data.files.apart import describe_apart
from ensembles.data.files.buckets import ask
from ensembles.data.files.places import Offer, OfferedFile, allowed_path, list_offered, places
from ensembles.data.names import clean_name, stem
from ensembles.data.readers import MOST_CHARACTERS
from ensembles.data.unpacking import size_of
from ensembles.errors import EnsembleLabError
from ensembles.reports.formatting import and_list
from pages.parts.apart import fragment
from pages.parts.links import open_dataset
from pages.parts.notice import leave_notice
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from pages.parts.visibility import choose_visibility
from storage import default_visibility

__all__ = ["ON_SERVER", "draw_server_files", "offers_files"]

ON_SERVER = "On the server"  #: what the section is called

_LOOK_SECONDS = 10.0
_ASK_SECONDS = 1.0
_STEP = 0.01  # of the way, between two signs of it
_WAITING = "Waiting for its turn: two files are read at a time"
_READING = "Reading the file once, to its end"
_TURNS = BoundedSemaphore(2)  # files that are read at once: each takes a core


def offers_files() -> bool:
    """Return whether the operator allows any folder or bucket."""
    return bool(places())


def draw_server_files() -> None:
    """Draw the choice of a file and of what is asked of it; nothing is stored before it was read to its end."""
    st.caption(
        "Files that are too large to be uploaded or held in memory are read in batches where they lie, as streams: for the "
        "protocol “prequential” in the order of the file. CSV, TSV and ARFF, also gzipped, and Parquet."
    )
    offer = _offered(places())
    _draw_places(offer)
    files = offer.files
    if not files:
        if not (offer.silent or offer.failed):
            st.info("The folders that the operator allows hold no such file yet.", icon=":material/folder_open:")
        return
    labels = {file.path: f"{clean_name(file.label)} ({size_of(file.n_bytes)})" for file in files}
    path = st.selectbox(
        "File", [*labels], index=None, format_func=labels.__getitem__, placeholder="Choose a file", key="server_file"
    )
    if path is not None:
        _draw_file(next(file for file in files if file.path == path))


@st.cache_data(ttl=_LOOK_SECONDS, max_entries=1, show_spinner=False)
def _offered(allowed: tuple[str, ...]) -> Offer:  # noqa: ARG001  # other places, other files
    """Return what may be chosen: folders are walked, and buckets asked, once in some seconds and not at every press."""
    return list_offered()


def _draw_places(offer: Offer) -> None:
    """Say of which places no files are listed."""
    for reason in offer.failed:
        st.warning(escape_markdown(reason), icon=":material/cloud_off:")
    if offer.silent:
        fragment(_draw_silent, run_every=_ASK_SECONDS)(offer.silent)


def _draw_silent(silent: tuple[str, ...]) -> None:
    """Say which buckets have not answered, and draw the page anew when one has."""
    if any(ask(place).done() for place in silent):
        _offered.clear()
        st.rerun()
    said = f"No answer yet from {and_list(map(clean_name, silent))}, whose files stand here once there is one."
    st.info(escape_markdown(said), icon=":material/hourglass_top:")


def _draw_file(file: OfferedFile) -> None:
    names = _names(file)
    if isinstance(names, str):
        st.error(escape_markdown(names), icon=":material/error:")
        return
    key = f"server_{hash((file.path, names))}"
    left, right = st.columns(2)
    usual = stem(file.path.rsplit("/", 1)[-1])[:MOST_CHARACTERS]
    name = left.text_input("Name", value=clean_name(usual), max_chars=MOST_CHARACTERS, key=f"{key}_name")
    options: dict[str, Any] = {
        "target": right.selectbox(
            "Class column",
            names,
            index=None,
            placeholder="recognise",
            help="The column to be predicted: recognised by its name or by the first rows, if it is not chosen.",
            key=f"{key}_target",
        )
    }
    with st.expander("Read it differently", icon=":material/tune:"):
        columns = st.columns(3)
        for column, option, label in zip(
            columns, ("ignore", "nominal", "numeric"), ("Leave out", "Take as nominal", "Take as numeric"), strict=True
        ):
            options[option] = column.multiselect(label, names, placeholder="recognise", key=f"{key}_{option}") or None
        marks = st.text_input(
            "Missing values",
            placeholder="recognise",
            help="What stands for a missing value besides an empty cell, with commas between, like `-9, unknown`.",
            key=f"{key}_missing",
        )
        options["missing"] = tuple(mark.strip() for mark in marks.split(",")) if marks.strip() else None
    visibility = choose_visibility("Who sees it", default_visibility(), key=f"{key}_visibility")
    if st.button("Read and add", type="primary", icon=":material/add:", disabled=not name.strip(), key=f"{key}_add"):
        described = _read(file, name=clean_name(name.strip()), **options)
        if described is not None:
            with show_errors():
                record = store().register_file(described, visibility=visibility)
            leave_notice(f"Added {escape_markdown(record.name)}")
            open_dataset(record.sha256)


def _names(file: OfferedFile) -> tuple[str, ...] | str:
    """Return the names of the columns, looked up once for each state of a file; or why it cannot be read."""
    wanted, kept = (file.path, file.n_bytes), st.session_state.get("server_names")
    if kept is None or kept[0] != wanted:
        try:
            found: tuple[str, ...] | str = column_names(allowed_path(file.path))
        except EnsembleLabError as error:
            found = str(error)
        kept = (wanted, found)
        st.session_state["server_names"] = kept
    names: tuple[str, ...] | str = kept[1]
    return names


def _read(file: OfferedFile, **options: Any) -> FileDescription | None:
    """Read a file to its end, and say how far it is. Whatever reruns the page ends the reading."""
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, text=_READING)
        st.button("Stop", icon=":material/stop:", key="server_stop")
    while not _TURNS.acquire(timeout=0.5):
        bar.progress(0.0, text=_WAITING)  # which ends the wait of who has left
    try:
        bar.progress(0.0, text=_READING)
        return describe_apart(allowed_path(file.path), _shown(bar.progress), **options)
    except EnsembleLabError as error:
        place.empty()
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    finally:
        _TURNS.release()


def _shown(show: Callable[..., object]) -> Callable[[float], None]:
    """Return what shows how far it is, with the time left once that can be told, not more often than can be seen."""
    begun, shown = time.monotonic(), [0.0]

    def tell(share: float) -> None:
        if share < shown[0] + _STEP:
            return
        shown[0] = share
        left = (time.monotonic() - begun) * (1.0 - share) / share
        show(share, text=f"{_READING}: {share:.0%}, about {left:.0f} s left")

    return tell
