"""From a file to a data set: what was recognised, and what the user made of it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.data.attribute_kinds import KINDS, wanted_kinds
from ensembles.data.class_cuts import cuts_of, grouped_classes
from ensembles.data.columns import MOST_CATEGORIES
from ensembles.data.dataset import Dataset
from ensembles.data.dates import DATE_KINDS, date_columns, holds_dates
from ensembles.data.encoding import text_of
from ensembles.data.given import check_given
from ensembles.data.inference import class_problem
from ensembles.data.left_out import columns_left_out
from ensembles.data.names import chosen_name, clean_name, name_of, stem
from ensembles.data.numbers import Reading
from ensembles.data.parquet import parquet_of
from ensembles.data.preview import Preview, preview_file
from ensembles.data.row_choice import AS_THEY_ARE, RowChoice, chosen_rows
from ensembles.data.table import Attribute, Table
from ensembles.errors import InvalidData, LeftOut

__all__ = [
    "MOST_BINS",
    "MOST_CHARACTERS",
    "build_dataset",
    "category_order",
    "make_dataset",
    "read_dataset",
]

MOST_BINS = 100
MOST_CHARACTERS = 120  #: of the name of a data set


def read_dataset(
    source: str | Path | bytes | pd.DataFrame,
    target: str | None = None,
    *,
    target_bins: int | Sequence[str] | None = None,
    nominal: Collection[str] | str | None = None,
    numeric: Collection[str] | None = None,
    ignore: Collection[str] | None = None,
    missing: Collection[str] | None = None,
    sheet: str | None = None,
    skip_rows: int | None = None,
    name: str | None = None,
    filename: str | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    """Read a data set from a table: CSV, TSV, ARFF, Parquet or Excel; gzipped, in a ZIP archive or as it is.

    Parameters
    ----------
    source : path, bytes or DataFrame
        The file or its content, or a table in memory (of pandas, Polars or Arrow), which is read as a Parquet file would be.
    target : str, optional
        The class column; when None, one called "class", "target", ..., else the last one if it holds a few words.
    target_bins : int or sequence of str, optional
        Make this many classes of about equal size out of the numbers of the class column, in [2, 100]; or those that
        were made of another file, with the same cuts.
    nominal : collection of str or "all", optional
        Columns to take as nominal whatever was recognised; "all" for every one that is not ignored.
    numeric, ignore : collection of str, optional
        Columns to take as numeric, or to leave out.
    missing : collection of str, optional
        What stands for a missing cell besides an empty one, instead of the usual marks ("?", "NA", ...).
    sheet : str, optional
        Of a workbook; the first one when None.
    skip_rows : int, optional
        How many rows stand above the table; titles are recognised when None.
    name : str, optional
        Name of the data set; the file's name without its ending when None.
    filename : str, optional
        Of a source that is bytes.
    max_bytes : int, optional
        Limit for the size of the file, packed and unpacked, 1 GB when None; checked before it is read.

    Raises
    ------
    InvalidData
        The file, or what is asked of it, cannot be used, or it is not clear which column is the class.

    Warns
    -----
    LeftOut
        Columns are no attributes, such as dates and numbers of rows, though `ignore` does not name them.
    """
    check_given(name_of(source), filename=filename, name=name)
    filename = filename or name_of(source)
    preview = preview_file(
        _content_of(source), filename=filename, sheet=sheet, skip_rows=skip_rows, missing=missing, max_bytes=max_bytes
    )
    dataset = make_dataset(
        preview, target, target_bins=target_bins, nominal=nominal, numeric=numeric, ignore=ignore, name=name
    )
    for told in columns_left_out(preview.columns, dataset, ignore):
        warnings.warn(f"{filename}: {told}", LeftOut, stacklevel=2)
    return dataset


def _content_of(source: Any) -> str | Path | bytes:
    """Return what a file or table is read from."""
    return source if isinstance(source, str | Path | bytes) else parquet_of(source)


def make_dataset(
    preview: Preview,
    target: str | None = None,
    *,
    target_bins: int | Sequence[str] | None = None,
    nominal: Collection[str] | str | None = None,
    numeric: Collection[str] | None = None,
    ignore: Collection[str] | None = None,
    name: str | None = None,
) -> Dataset:
    """Make a data set of a previewed file as `read_dataset` does."""
    filename = preview.filename
    if target is None and preview.target is None:
        raise InvalidData(
            f"{filename}: it is not clear which column is the class, so name it (target); {preview.named_columns()}"
        )
    numbers = [guess.name for guess in preview.columns if guess.kind == "numeric"]
    kinds = wanted_kinds(filename, numbers, nominal=nominal, numeric=numeric, ignore=ignore)
    return build_dataset(
        preview,
        name=chosen_name(filename, name) or clean_name(stem(filename), MOST_CHARACTERS),
        target=str(preview.target if target is None else target),
        target_bins=target_bins,
        kinds=kinds,
        source=f"file {filename}" if Path(filename).suffix else filename,
    )


def build_dataset(
    preview: Preview,
    *,
    name: str,
    target: str,
    target_bins: int | Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    source: str = "",
    rows: RowChoice = AS_THEY_ARE,
) -> Dataset:
    """Make a data set of a previewed file.

    Parameters
    ----------
    preview : Preview
    name : str
        Name of the data set.
    target : str
        The class column. Rows without a class are left out.
    target_bins : int or sequence of str, optional
        Make this many classes of about equal size out of the numbers of the class column, in [2, 100]; or those that
        were made of another file, with the same cuts.
    kinds : mapping of str to {"nominal", "numeric", "ignore", "date as number", "date as parts"}, optional
        Kind of each column that shall differ from what was guessed.
    source : str
        Where the file comes from, in words.
    rows : RowChoice
        Which rows to keep, and in which order.

    Raises
    ------
    InvalidData
        An unknown column or kind, a column that cannot be of the kind wanted, a class column that holds no classes,
        or no attribute left.
    """
    wanted = {guess.name: str(guess.kind) for guess in preview.columns} | _checked_kinds(preview, kinds or {}, target)
    class_reading = preview.find_reading(target)
    used = [one for one in preview.readings if one is class_reading or wanted[one.column.name] != "ignore"]
    chosen = chosen_rows(rows, class_reading, used, wanted | {target: "nominal" if target_bins is None else "numeric"})
    if target_bins is not None:
        classes, labels = _group(preview, class_reading, chosen, target_bins)
    elif problem := class_problem(class_reading):
        raise InvalidData(f"{preview.filename}: the class column {target!r} {problem}")
    else:
        classes, labels = _categorise(class_reading, chosen)
    made = [
        pair
        for reading in used
        if reading is not class_reading
        for pair in _attributes(preview, reading, wanted[reading.column.name], chosen)
    ]
    if not made:
        raise InvalidData(f"{preview.filename}: no attribute is left, every column besides the class is ignored")
    attributes, columns = zip(*made, strict=True)
    return Dataset(name, Table.from_columns(attributes, columns), labels, classes, target, source)


def _checked_kinds(preview: Preview, kinds: Mapping[str, str], target: str) -> dict[str, str]:
    for column, kind in kinds.items():
        preview.find_reading(column)
        if kind not in (*KINDS, *DATE_KINDS):
            allowed = ", ".join((*KINDS, *DATE_KINDS))
            raise InvalidData(f"{preview.filename}: column {column!r} must be one of {allowed}, got {kind!r}")
        if column == target and kind == "ignore":
            raise InvalidData(f"{preview.filename}: the class column {target!r} cannot be ignored")
    return dict(kinds)


def _attributes(
    preview: Preview, reading: Reading, kind: str, rows: npt.NDArray[np.int64] | None
) -> list[tuple[Attribute, npt.NDArray[Any]]]:
    """Return the attributes that a column becomes: one, or the parts of a date."""
    if kind not in DATE_KINDS:
        return [_nominal(preview, reading, rows) if kind == "nominal" else _numeric(preview, reading, rows)]
    if not holds_dates(reading):
        raise InvalidData(f"{preview.filename}: column {reading.column.name!r} cannot be a {kind}: it holds no dates")
    own = date_columns(reading, kind).items()
    return [(Attribute(name, "numeric"), values if rows is None else values[rows]) for name, values in own]


def _nominal(
    preview: Preview, reading: Reading, rows: npt.NDArray[np.int64] | None
) -> tuple[Attribute, npt.NDArray[np.int32]]:
    name = reading.column.name
    if (found := reading.n_categories) > MOST_CATEGORIES:
        allowed = f"at most {MOST_CATEGORIES:,} are allowed"
        raise InvalidData(
            f"{preview.filename}: column {name!r} cannot be nominal: {found:,} different values, {allowed}"
        )
    categories, codes = _categorise(reading, rows)
    return Attribute(name, "nominal", categories), codes


def _numeric(
    preview: Preview, reading: Reading, rows: npt.NDArray[np.int64] | None
) -> tuple[Attribute, npt.NDArray[np.float64]]:
    column = reading.column
    if reading.wrong.any():
        position = int(np.argmax(reading.wrong))
        found = f"found {column.texts(np.array([position]))[0]!r} in {preview.place(column.first_row(position))}"
        raise InvalidData(f"{preview.filename}: column {column.name!r} cannot be numeric: {found}")
    codes = column.codes if rows is None else column.codes[rows]
    return Attribute(column.name, "numeric"), reading.numbers[codes]


def _group(
    preview: Preview, reading: Reading, rows: npt.NDArray[np.int64] | None, bins: int | Sequence[str]
) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Return classes cut at the quantiles of the numbers, and the class of each row; a number at a cut goes below it.

    Where many numbers are alike, there are fewer classes. Classes that were made so before are cut where they were.
    """
    _, numbers = _numeric(preview, reading, rows)
    if isinstance(bins, Integral):
        bins = _cut(preview, reading.column.name, numbers, int(bins))
    classes = tuple(map(str, bins)) if isinstance(bins, list | tuple) else ()
    cuts = cuts_of(classes)
    if cuts is None or grouped_classes(cuts) != classes:
        allowed = f"an integer in [2, {MOST_BINS}], or classes that were made so of another file"
        raise InvalidData(f"{preview.filename}: bins must be {allowed}, got {bins!r}")
    return classes, np.searchsorted([*map(float, cuts)], numbers, side="left").astype(np.int32)


def _cut(preview: Preview, column: str, numbers: npt.NDArray[np.float64], bins: int) -> tuple[str, ...]:
    """Return the names of classes of about equal size."""
    if not 2 <= bins <= MOST_BINS:
        raise InvalidData(f"{preview.filename}: bins must be an integer in [2, {MOST_BINS}], got {bins}")
    cuts = np.unique(np.quantile(numbers, np.arange(1, bins) / bins, method="lower")) if len(numbers) else numbers
    edges = [text_of(float(cut)) for cut in cuts[cuts < numbers.max(initial=-np.inf)]]
    if not edges:
        raise InvalidData(
            f"{preview.filename}: the numbers of the class column {column!r} cannot be grouped, nearly all are the same"
        )
    return grouped_classes(edges)


def _categorise(reading: Reading, rows: npt.NDArray[np.int64] | None) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Return the values that occur in `rows`, numbers first and by size, then texts, and the code of each row."""
    codes = reading.column.codes if rows is None else reading.column.codes[rows]
    occurs = np.bincount(codes, minlength=len(reading.missing)) > 0
    positions = np.flatnonzero(occurs & ~reading.missing)
    texts = reading.column.texts(positions)
    order = category_order(texts, reading.numbers[positions])
    new_code = np.full(len(reading.missing), -1, dtype=np.int32)
    new_code[positions[order]] = np.arange(len(order), dtype=np.int32)
    return tuple(texts[i] for i in order), new_code[codes]


def category_order(texts: Sequence[str], numbers: npt.NDArray[np.float64]) -> list[int]:
    """Return the positions of categories in their order: numbers first and by size, then texts (NaN among `numbers`)."""
    return sorted(
        range(len(texts)), key=lambda i: (np.isnan(numbers[i]), 0.0 if np.isnan(numbers[i]) else numbers[i], texts[i])
    )
