"""Choose data sets: from the catalogue and from what users stored, with the settings of generated ones."""

import streamlit as st

from ensembles.data import catalogue
from ensembles.data.names import LONGEST_NAME
from ensembles.experiments.config import DatasetRef
from ensembles.reports.formatting import shortened
from ensembles.wording import distinct
from pages.parts.settings import draw_settings
from pages.parts.text import escape_markdown
from storage import DatasetRecord

__all__ = ["draw_datasets", "ref_of", "stored_reference"]


def ref_of(reference: DatasetRef) -> str | None:
    """Return the catalogue key or the content hash of a reference; None for a file on a disk."""
    return reference.key or reference.sha256


def stored_reference(record: DatasetRecord) -> DatasetRef:
    """Return how an experiment names a stored data set: by content, with words for where that is not stored.

    Names that earlier releases stored may be longer than those that are taken now.
    """
    attributes = record.nominal + record.numeric
    return DatasetRef(
        sha256=record.sha256, name=shortened(record.name, LONGEST_NAME), rows=record.rows, attributes=attributes
    )


def draw_datasets(start: tuple[DatasetRef, ...], records: list[DatasetRecord], *, key: str) -> tuple[DatasetRef, ...]:
    """Draw the choice of data sets, starting from `start`; data sets the form cannot show are kept until given up."""
    refs = [ref_of(reference) for reference in start]
    if len(set(refs)) < len(refs) and not st.session_state.get(f"{key}_anew"):
        st.caption("The same generated data set occurs with several settings. They are used as they are.")
        for reference in start:
            settings = ", ".join(f"{name} {value}" for name, value in reference.settings.items())
            st.markdown(f"- {escape_markdown(f'{reference.key} ({settings})' if settings else str(reference.key))}")
        st.button("Choose others", on_click=_choose_anew, args=(f"{key}_anew",), key=f"{key}_others")
        return start
    stored = {record.sha256: record for record in records}
    options = [*stored, *catalogue()]
    labels = dict(zip(options, distinct([_label(option, stored) for option in options]), strict=True))
    chosen = st.multiselect(
        "Data sets",
        options,
        default=[ref for ref in dict.fromkeys(refs) if ref in labels],
        format_func=labels.__getitem__,
        placeholder="Choose from the catalogue and from yours",
        label_visibility="collapsed",
        filter_mode="contains",
        select_all=False,  # it stands first, so Enter would take every match
        key=f"{key}_datasets",
    )
    given = {ref_of(reference): reference for reference in start}
    return tuple(_draw_reference(option, stored, given.get(option), key) for option in chosen)


def _choose_anew(flag: str) -> None:
    st.session_state[flag] = True


def _label(option: str, stored: dict[str, DatasetRecord]) -> str:
    if option in stored:
        batches = ", read in batches" if stored[option].in_batches else ""
        return f"{stored[option].name} (yours, {stored[option].rows:,} examples{batches})"
    entry = catalogue()[option]
    key = "" if option in entry.name.casefold() else f"{option}, "  # files and papers call it so: typed, it is found
    is_sized = any(setting.name == "rows" for setting in entry.settings)
    size = "generated" if is_sized else f"{entry.rows:,} examples"
    return f"{entry.name} ({key}{size}{'' if entry.here else ', on demand'})"


def _draw_reference(option: str, stored: dict[str, DatasetRecord], given: DatasetRef | None, key: str) -> DatasetRef:
    if option in stored:
        return stored_reference(stored[option])
    entry, start = catalogue()[option], dict(given.settings) if given else {}
    settings = entry.check(start)  # kinds of attributes, of which the form shows nothing
    if entry.settings:
        with st.expander(f"Settings of {entry.name}", icon=":material/tune:"):
            settings |= draw_settings(option, entry.settings, start, key=f"{key}_{option}")
    return DatasetRef(key=option, settings=settings)
