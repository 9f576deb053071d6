"""What a file holds, found out by reading it once in batches: kinds of columns, classes, categories, how many examples."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.attribute_kinds import KINDS, wanted_kinds
from ensembles.data.columns import MOST_CATEGORIES
from ensembles.data.dataset import Dataset
from ensembles.data.decoding import encoding_of
from ensembles.data.files.formats import open_blocks
from ensembles.data.files.opened import Fingerprint, OpenedFile
from ensembles.data.files.source import ColumnPlan, FileSource
from ensembles.data.files.survey import Survey
from ensembles.data.files.tally import Cells, Tally
from ensembles.data.files.text import LateText
from ensembles.data.given import check_given
from ensembles.data.inference import ColumnGuess, class_problem
from ensembles.data.missing_markers import check_markers
from ensembles.data.names import chosen_name, clean_name, stem
from ensembles.data.readers import MOST_CHARACTERS, category_order
from ensembles.data.table import MISSING, Attribute, Schema, Table
from ensembles.errors import InvalidData

__all__ = ["FileDescription", "describe_file"]

_VERSION = 1  # of how rows are made examples: part of the hash


@dataclass(frozen=True, eq=False)
class FileDescription:
    """A file that can be read in batches, and what was found in it.

    Attributes
    ----------
    source : FileSource
    sample : Dataset
        At most 100,000 of the examples, spread evenly over the file, and the first one of each class.
    columns : tuple of ColumnGuess
        What each column of the file was taken for.
    missing_cells : int
        Number of missing values in the whole file.
    """

    source: FileSource
    sample: Dataset
    columns: tuple[ColumnGuess, ...]
    missing_cells: int


def describe_file(
    path: str,
    target: str | None = None,
    *,
    nominal: Collection[str] | str | None = None,
    numeric: Collection[str] | None = None,
    ignore: Collection[str] | None = None,
    missing: Collection[str] | None = None,
    skip_rows: int | None = None,
    name: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> FileDescription:
    """Read a file once, in batches, and return what is needed to read it again as a stream.

    CSV, TSV and ARFF, gzipped or as they are, and Parquet. Attributes, categories and classes are those that `read_dataset`
    would find, with two differences: categories that occur only in rows without a class are among them, and of columns
    with more than 10,000 different values is told less, which changes their kind where they are called like numbers of
    rows.

    Parameters
    ----------
    path : str
        Of the file, or an address that fsspec knows (`s3://bucket/file.parquet`).
    target, nominal, numeric, ignore, missing, skip_rows, name
        As `read_dataset` takes them. The class column is recognised by the first rows.
    progress : callable, optional
        Called with the share of the work that is done, in [0, 1].

    Raises
    ------
    InvalidData
        The file, or what is asked of it, cannot be used.
    """
    file = OpenedFile(str(path))
    check_markers(file.filename, missing)
    check_given(file.filename, skip_rows=skip_rows, name=name)
    tell = progress or (lambda _: None)
    known = file.fingerprint(lambda share: tell(0.1 * share))
    survey = _survey(
        file,
        skip_rows,
        None if target is None else str(target),
        missing,
        lambda share: tell(0.1 + 0.9 * share),
        known.n_bytes,
    )
    maker = _Maker(file.filename, survey)
    numbers = [guess.name for guess in maker.guesses if guess.kind == "numeric"]
    plans = maker.plans(wanted_kinds(file.filename, numbers, nominal=nominal, numeric=numeric, ignore=ignore))
    source = _source(file, survey, plans, known, name=name, skip_rows=skip_rows)
    missing_cells = sum(plan.n_missing for plan in plans[:-1])
    return FileDescription(source, maker.sample(source, plans), tuple(maker.guesses), missing_cells)


def _survey(
    file: OpenedFile,
    skip_rows: int | None,
    target: str | None,
    missing: Collection[str] | None,
    progress: Callable[[float], None],
    n_bytes: int,
) -> Survey:
    """Read the file once; twice where its encoding shows late."""
    encoding = ""
    while True:
        try:
            survey = Survey(file, open_blocks(file, skip_rows, encoding=encoding), target, missing)
            survey.read(progress, n_bytes)
        except LateText as error:
            encoding = encoding_of(error.piece, file.filename)
            if encoding == "utf-8":  # most of it is, so some of it is damaged
                raise
            continue
        return survey


def _source(
    file: OpenedFile,
    survey: Survey,
    plans: Sequence[_Plan],
    known: Fingerprint,
    *,
    name: str | None,
    skip_rows: int | None,
) -> FileSource:
    source = FileSource(
        path=file.path,
        name=chosen_name(file.filename, name) or clean_name(stem(file.filename), MOST_CHARACTERS),
        target=survey.target,
        schema=Schema(tuple(plan.attribute for plan in plans[:-1])),
        classes=plans[-1].attribute.categories,
        n_examples=survey.n_examples,
        sha256="",
        origin=f"file {file.filename}, read in batches",
        format=survey.blocks.format,
        names=survey.blocks.names,
        fingerprint=known,
        columns=tuple(ColumnPlan(plan.position, plan.cells) for plan in plans),
        marks=survey.marks,
        encoding=survey.blocks.encoding,
        jumps=survey.jumps(known.n_bytes),
        skip_rows=skip_rows,
    )
    return replace(source, sha256=_hash_of(source))


def _hash_of(source: FileSource) -> str:
    """Return the hash of the bytes of a file and of all that decides which examples they are."""
    said: list[Any] = [_VERSION, source.fingerprint.content, source.target, source.skip_rows, source.n_examples]
    said += [source.classes, [[one.name, one.kind, one.categories] for one in source.schema.attributes]]
    said += [[plan.position, plan.cells.decimal, plan.cells.missing] for plan in source.columns]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class _Plan:
    """What a column becomes, and the codes of its values among all that were tallied."""

    position: int
    attribute: Attribute
    cells: Cells
    codes: npt.NDArray[np.int32]
    n_missing: int


class _Maker:
    """Makes attributes of what was tallied."""

    def __init__(self, filename: str, survey: Survey) -> None:
        self._filename, self._survey = filename, survey
        self.guesses = [tally.guess() for tally in survey.tallies]
        self._names = [guess.name for guess in self.guesses]

    def plans(self, kinds: dict[str, str]) -> list[_Plan]:
        """Return what the attributes become, and the class at the end."""
        target = self._survey.target
        for name, kind in kinds.items():
            if name not in self._names:
                raise InvalidData(
                    f"{self._filename}: there is no column {clean_name(name)!r}; {self._survey.columns_named}"
                )
            if name == target and kind == KINDS[2]:
                raise InvalidData(f"{self._filename}: the class column {target!r} cannot be ignored")
        plans = []
        for position, guess in enumerate(self.guesses):
            kind = kinds.get(guess.name, guess.kind)
            if guess.name != target and kind != "ignore":
                plans.append(self._nominal(position) if kind == "nominal" else self._numeric(position))
        if not plans:
            raise InvalidData(f"{self._filename}: no attribute is left, every column besides the class is ignored")
        return [*plans, self._class(self._names.index(target))]

    def _class(self, position: int) -> _Plan:
        tally, name = self._survey.tallies[position], self._names[position]
        more = f"holds more than {MOST_CATEGORIES:,} different values, so it is a quantity or a name and not a class"
        if problem := more if tally.is_many else class_problem(tally.reading()):
            raise InvalidData(f"{self._filename}: the class column {name!r} {problem}")
        return self._nominal(position)

    def _nominal(self, position: int) -> _Plan:
        tally, name = self._survey.tallies[position], self._names[position]
        if tally.is_many:
            allowed = f"at most {MOST_CATEGORIES:,} different values are allowed"
            raise InvalidData(f"{self._filename}: column {name!r} cannot be nominal: it has more, {allowed}")
        reading = tally.reading()
        there = np.flatnonzero(~reading.missing)
        texts = reading.column.texts(there)
        order = category_order(texts, reading.numbers[there])
        codes = np.full(len(reading.missing), MISSING, dtype=np.int32)
        codes[there[order]] = np.arange(len(order), dtype=np.int32)
        absent = tuple(reading.column.texts(np.flatnonzero(reading.missing)))
        n_missing = int(reading.column.counts[reading.missing].sum())
        attribute = Attribute(name, "nominal", tuple(texts[i] for i in order))
        return _Plan(position, attribute, Cells(missing=absent), codes, n_missing)

    def _numeric(self, position: int) -> _Plan:
        tally, name = self._survey.tallies[position], self._names[position]
        cells = tally.numeric_cells()
        if cells is None:
            raise InvalidData(f"{self._filename}: column {name!r} cannot be numeric: {self._stranger(tally)}")
        n_missing = tally.n_missing
        if not tally.is_many:
            reading = cells.read(tally.counted())
            n_missing = int(reading.column.counts[reading.missing].sum())
        return _Plan(position, Attribute(name, "numeric"), cells, np.empty(0, np.int32), n_missing)

    def _stranger(self, tally: Tally) -> str:
        if tally.is_many:
            return "some of its cells are texts"
        reading = tally.reading()
        return f"found {reading.column.texts(np.flatnonzero(reading.wrong)[:1])[0]!r}"

    def sample(self, source: FileSource, plans: list[_Plan]) -> Dataset:
        """Return the examples that were chosen."""
        made = [self._sampled(plan) for plan in plans]
        there = made[-1] >= 0
        table = Table.from_columns(source.schema.attributes, [column[there] for column in made[:-1]])
        return Dataset(source.name, table, made[-1][there], source.classes, source.target, source.origin)

    def _sampled(self, plan: _Plan) -> npt.NDArray[Any]:
        tally, parts = self._survey.tallies[plan.position], self._survey.sample.column(plan.position)
        if plan.attribute.kind == "nominal":
            codes: npt.NDArray[Any] = plan.codes[np.concatenate(parts)]
            return codes
        numbers = tally.former if tally.is_many else plan.cells.read(tally.counted()).numbers
        return np.concatenate([part if part.dtype.kind == "f" else numbers[part] for part in parts])
