"""Data sets by reference, a key of the catalogue or a content hash, and what users stored as a table."""

import json
from typing import Any

import pandas as pd
import streamlit as st

from ensembles.data import CatalogueEntry, Dataset, catalogue, load_dataset
from ensembles.data.catalogue import is_source, open_source
from ensembles.data.source import Source
from ensembles.errors import NotFound
from ensembles.experiments.config import DatasetRef
from pages.parts.kept import Kept
from pages.parts.store import store
from pages.parts.text import format_datetime
from storage import DatasetRecord

__all__ = [
    "Place",
    "attributes_said",
    "find_entry",
    "find_record",
    "forget_all",
    "load_by_ref",
    "load_reference",
    "open_by_ref",
    "remember",
    "stored_table",
]

_MOST_BYTES = 2**30

Place = tuple[str, tuple[tuple[str, Any], ...]]  #: reference and settings, as `load_by_ref` takes them


def find_entry(ref: str) -> CatalogueEntry | None:
    """Return the catalogue entry with key `ref`, or None."""
    return catalogue().get(ref)


def find_record(ref: str) -> DatasetRecord | None:
    """Return the record of the stored data set with content hash `ref`, or None."""
    try:
        return store().get_dataset_record(ref)
    except NotFound:
        return None


def load_by_ref(ref: str, settings: tuple[tuple[str, Any], ...] = ()) -> Dataset:
    """Return a data set by catalogue key (with settings) or content hash; of a file that is read in batches a sample.

    It is shared by all sessions, so nobody may change it. Whether it is still there for who asks is asked each time: what
    somebody deleted or keeps to themselves may be in the memory still.

    Raises
    ------
    NotFound
        Neither the catalogue nor the database has it, or it has not been fetched from OpenML yet.
    """
    if entry := find_entry(ref):
        if not entry.here:
            raise NotFound(f"{entry.name} is not here yet: open it among the data sets to fetch it from OpenML.")
        return _read(ref, settings, entry.name, "")
    if (record := find_record(ref)) is None:
        raise NotFound("this data set does not exist, or not any more")
    return _read(ref, settings, record.name, record.source)


def open_by_ref(ref: str, settings: tuple[tuple[str, Any], ...] = ()) -> Dataset | Source:
    """Return a data set as `load_by_ref`; one with more rows than memory takes as what it is read from."""
    if is_source(ref, dict(settings)):
        return open_source(ref, **dict(settings))
    record = None if find_entry(ref) else find_record(ref)
    return store().open_dataset(ref) if record is not None and record.in_batches else load_by_ref(ref, settings)


def load_reference(reference: DatasetRef) -> Dataset:
    """Return the data set that an experiment names; raises as `load_by_ref`."""
    return load_by_ref(reference.key or reference.sha256 or "", tuple(sorted(reference.settings.items())))


def remember(record: DatasetRecord, dataset: Dataset) -> None:
    """Keep a data set, which has just been stored, in the memory from which it will be asked for next."""
    dataset.name, dataset.source = record.name, record.source
    _kept.get(_key(record.sha256, (), record.name, record.source), None, lambda: dataset)


def forget_all() -> None:
    """Empty the memory of data sets that were read."""
    _kept.clear()


def _read(ref: str, settings: tuple[tuple[str, Any], ...], name: str, source: str) -> Dataset:
    return _kept.get(_key(ref, settings, name, source), None, lambda: _read_anew(ref, settings))


def _key(ref: str, settings: tuple[tuple[str, Any], ...], name: str, source: str) -> tuple[str, str, str, str]:
    # Two people may hold the same content under names that are nobody else's business.
    return ref, json.dumps(settings), name, source  # settings may hold lists of attributes


def _read_anew(ref: str, settings: tuple[tuple[str, Any], ...]) -> Dataset:
    with st.spinner("Reading the data set"):
        return load_dataset(ref, **dict(settings)) if find_entry(ref) else store().get_sample(ref)


def _size_of(dataset: Dataset) -> int:
    return int(dataset.table.codes.nbytes + dataset.table.numbers.nbytes + dataset.labels.nbytes)


_kept = Kept(_MOST_BYTES, _size_of)


def stored_table(records: list[DatasetRecord]) -> pd.DataFrame:
    """Return one row per stored data set, content hashes as index; whose they are where people sign in."""
    people = store().actor.kind == "user"
    batches = {"Read": ["in batches" if record.in_batches else "whole" for record in records]}
    whose = {"Owner": [record.user_name or "" for record in records]} if people else {}
    return pd.DataFrame(
        {
            "Data set": [record.name for record in records],
            "Examples": [record.rows for record in records],
            "Attributes": [attributes_said(record.nominal, record.numeric) for record in records],
            "Classes": [record.classes for record in records],
            "Missing values": [record.missing_cells for record in records],
            "Added": [format_datetime(record.created) for record in records],
            "Used in": [record.experiments for record in records],
            **(batches if any(record.in_batches for record in records) else {}),
            **whose,
        },
        index=[record.sha256 for record in records],
    )


def attributes_said(nominal: int, numeric: int) -> str:
    """Return how many attributes there are of each kind: "3 nominal, 1 numeric"."""
    parts = ((nominal, "nominal"), (numeric, "numeric"))
    return ", ".join(f"{number:,} {kind}" for number, kind in parts if number)
