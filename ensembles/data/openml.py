"""Data sets that OpenML keeps: fetched when asked for, checked, and kept as Parquet in the user's data folder.

scikit-learn's `fetch_openml` does the asking, reads the answer and compares it with OpenML's own checksum. What it gives is
then compared with the catalogue, gets the kinds that the catalogue names, and is written under another name first, so
that a file that is there is whole.
"""

from __future__ import annotations

import os
import queue
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.data.dataset import Dataset
from ensembles.data.stored import read_stored, write_dataset
from ensembles.data.table import MISSING, Attribute, Table
from ensembles.data.temporary import TEMPORARY_PREFIX
from ensembles.errors import InvalidData
from ensembles.folders import data_folder, make_private

if TYPE_CHECKING:
    from ensembles.data.catalogue import CatalogueEntry

__all__ = ["OpenMLSource", "Progress", "is_kept", "load"]

#: What is told while a data set is fetched: the number of bytes that have come.
Progress = Callable[[int], None]

_LOOK_SECONDS = 0.2
_PATIENCE_SECONDS = 120.0  #: without a byte; reading the largest file takes a part of this


@dataclass(frozen=True)
class OpenMLSource:
    """Where a data set is at OpenML.

    Attributes
    ----------
    data_id : int
        OpenML's number of the data set, one version of it for good.
    drop : tuple of int
        Positions, counted from 1, of columns that are no attributes.
    columns : tuple of str
        UCI's names of the attributes, where OpenML's do not say them; empty to take OpenML's.
    """

    data_id: int
    drop: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()


def is_kept(entry: CatalogueEntry) -> bool:
    """Say whether the data set was fetched before."""
    return _path(entry).exists()


def load(entry: CatalogueEntry, source: OpenMLSource, progress: Progress | None = None) -> Dataset:
    """Return the data set, from the user's data folder or, the first time, from OpenML.

    Raises
    ------
    InvalidData
        OpenML cannot be reached, its answer is broken or is another data set, or the folder cannot be written to.
    """
    with suppress(InvalidData):  # a file that is damaged, or of an earlier catalogue, is fetched anew
        kept = read_stored(_path(entry))
        if not _difference(entry, kept):
            return kept
    answer = _fetch(entry, source, progress or (lambda _: None))
    try:
        dataset = _dataset(entry, source, answer)
    except (ValueError, LookupError, TypeError) as error:
        raise InvalidData(f"{_named(entry, source)} is not what it should be: {_first_line(error)}") from error
    if difference := _difference(entry, dataset):
        raise InvalidData(f"{_named(entry, source)} is not what it should be: {difference}")
    _keep(entry, dataset)
    return dataset


def _path(entry: CatalogueEntry) -> Path:
    return data_folder() / "openml" / f"{entry.key}.parquet"


def _named(entry: CatalogueEntry, source: OpenMLSource) -> str:
    return f"{entry.name}: data set {source.data_id} of OpenML"


def _fetch(entry: CatalogueEntry, source: OpenMLSource, progress: Progress) -> Any:
    """Ask OpenML in a thread of its own, and tell meanwhile how much has come."""
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    with tempfile.TemporaryDirectory(prefix=TEMPORARY_PREFIX, ignore_cleanup_errors=True) as folder:
        threading.Thread(target=_ask, args=(source.data_id, folder, answers), daemon=True).start()
        size, patient_until = 0, time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < patient_until:
            with suppress(queue.Empty):
                answer = answers.get(timeout=_LOOK_SECONDS)
                if isinstance(answer, Exception):
                    raise InvalidData(f"{_named(entry, source)} {_reason(answer)}") from answer
                return answer
            if (now := _size(Path(folder))) != size:
                size, patient_until = now, time.monotonic() + _PATIENCE_SECONDS
                progress(size)
    raise InvalidData(f"{_named(entry, source)} does not come: nothing was sent for {_PATIENCE_SECONDS:g} seconds")


def _ask(data_id: int, folder: str, answers: queue.SimpleQueue[Any]) -> None:
    from sklearn.datasets import fetch_openml  # takes as long as all else that is needed to read a file

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns when it tries again; the last failure is what counts
            answer = fetch_openml(
                data_id=data_id,
                data_home=folder,
                as_frame="auto",
                n_retries=1,
                read_csv_kwargs={"dtype": str},  # categories that look like numbers break its reading with pandas 3
            )
    except Exception as error:  # whatever it is, the thread that waits turns it into a sentence
        if isinstance(error, HTTPError):
            error.close()  # it holds on to the connection
        answers.put(error)
    else:
        answers.put(answer)


def _size(folder: Path) -> int:
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # files are renamed while they are counted
                size += os.path.getsize(os.path.join(place, name))
    return size


def _reason(error: Exception) -> str:
    if isinstance(error, HTTPError):
        return f"cannot be had: OpenML answers {error.code} ({error.reason})"
    if isinstance(error, (URLError, TimeoutError, ConnectionError)):
        reason = getattr(error, "reason", error)
        return f"cannot be fetched: OpenML cannot be reached ({getattr(reason, 'strerror', None) or reason})"
    return f"cannot be read, its answer is broken: {_first_line(error)}"


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]


def _dataset(entry: CatalogueEntry, source: OpenMLSource, answer: Any) -> Dataset:
    frame = answer.data
    if not isinstance(frame, pd.DataFrame):  # the sparse format
        frame = pd.DataFrame(frame.toarray(), columns=answer.feature_names)
    frame = frame.iloc[:, [position for position in range(frame.shape[1]) if position + 1 not in source.drop]]
    if frame.shape != (entry.rows, entry.attributes):
        raise ValueError(_sizes(entry, *frame.shape))
    attributes: list[Attribute] = []
    columns: list[npt.NDArray[Any]] = []
    names = source.columns or [unquote(str(name)) for name in frame.columns]
    for position, name in enumerate(names):
        if position in entry.nominal_positions:
            codes, categories = _categorise(frame.iloc[:, position])
            attributes.append(Attribute(name, "nominal", categories))
            columns.append(codes)
        else:
            attributes.append(Attribute(name, "numeric"))
            columns.append(pd.to_numeric(frame.iloc[:, position]).to_numpy(np.float64))
    labels, classes = _categorise(pd.Series(answer.target))
    table = Table.from_columns(attributes, columns)
    return Dataset(entry.name, table, labels, classes, "class", f"OpenML, data set {source.data_id}")


def _categorise(column: pd.Series[Any]) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Return codes, -1 where the value is missing, and the values that occur: numbers first and by size, then texts."""
    found, values = pd.factorize(column)
    texts = [str(value).strip("'") for value in values]
    categories = sorted(set(texts), key=_in_order)
    codes = {text: code for code, text in enumerate(categories)}
    return np.array([*(codes[text] for text in texts), MISSING], dtype=np.int32)[found], tuple(categories)


def _in_order(text: str) -> tuple[bool, float, str]:
    try:
        return (False, float(text), text)
    except ValueError:
        return (True, 0.0, text)


def _difference(entry: CatalogueEntry, dataset: Dataset) -> str | None:
    """Say in which way the data set is not the one of the catalogue; None when it is."""
    if (len(dataset), len(dataset.attributes)) != (entry.rows, entry.attributes):
        return _sizes(entry, len(dataset), len(dataset.attributes))
    sizes = sorted(np.bincount(dataset.labels).tolist(), reverse=True)
    if len(sizes) != entry.classes or (entry.class_sizes and sizes != list(entry.class_sizes)):
        expected = list(entry.class_sizes) or f"{entry.classes} classes"
        return f"examples by class must be {expected}, got {sizes}"
    if dataset.table.schema.nominal != entry.nominal_positions:
        return "other attributes are nominal"
    if entry.sha256 not in (None, dataset.sha256):
        return "its content has changed"
    return None


def _sizes(entry: CatalogueEntry, rows: int, attributes: int) -> str:
    return f"it must have {entry.rows:,} rows and {entry.attributes:,} attributes, got {rows:,} and {attributes:,}"


def _keep(entry: CatalogueEntry, dataset: Dataset) -> None:
    path = _path(entry)
    try:
        make_private(data_folder())
        path.parent.mkdir(exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=path.parent, suffix=".part")
        os.close(handle)
        try:
            write_dataset(dataset, unfinished)
            os.replace(unfinished, path)
        finally:
            Path(unfinished).unlink(missing_ok=True)
    except OSError as error:
        raise InvalidData(f"{entry.name}: it cannot be kept in {path.parent}: {error.strerror}") from error
