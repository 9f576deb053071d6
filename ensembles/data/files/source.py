"""A file that is read in batches, as it was described."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ensembles.data.columns import Column
from ensembles.data.files.blocks import START, Block, Mark, Plain
from ensembles.data.files.formats import open_blocks
from ensembles.data.files.opened import Fingerprint, OpenedFile
from ensembles.data.files.tally import Cells
from ensembles.data.source import Batch, check_start
from ensembles.data.table import MISSING, Attribute, Schema, Table
from ensembles.errors import InvalidData

__all__ = ["ColumnPlan", "FileSource"]

_UNKNOWN = -3
_FORMAT = 1  # of what `to_dict` returns

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ColumnPlan:
    """How a column of the file is read.

    Attributes
    ----------
    position : int
        In the file, from 0.
    cells : Cells
        Of a nominal attribute and the class, `missing` are all texts in the file that stand for a missing cell.
    """

    position: int
    cells: Cells


@dataclass(frozen=True, repr=False)
class FileSource:
    """A `Source` whose examples stand in a file; made by `describe_file`. It is small and travels without them.

    Attributes
    ----------
    path : str
        Of the file, or its address.
    format : {"text", "ARFF", "Parquet"}
    names : tuple of str
        Of all columns of the file.
    fingerprint : Fingerprint
        By what the file is known again.
    columns : tuple of ColumnPlan
        Of the attributes, and of the class at the end.
    marks : tuple of Mark
        Places from which reading can start.
    encoding : str
        Of text; empty for Parquet.
    jumps : bool
        Whether a mark is a place in the file itself, so that what comes before it need not be read.
    skip_rows : int, optional
        How many lines stand above the table.
    """

    path: str
    name: str
    target: str
    schema: Schema
    classes: tuple[str, ...]
    n_examples: int
    sha256: str
    origin: str
    format: str
    names: tuple[str, ...]
    fingerprint: Fingerprint
    columns: tuple[ColumnPlan, ...]
    marks: tuple[Mark, ...] = (START,)
    encoding: str = ""
    jumps: bool = False
    skip_rows: int | None = None

    def __repr__(self) -> str:
        shape = f"{self.n_examples:,} examples, {len(self.schema.attributes)} attributes, {len(self.classes)} classes"
        return f"<FileSource {self.name}: {shape}>"

    def batches(self, start: int = 0) -> Iterator[Batch]:
        """Give the examples from position `start` on, as `Source.batches`.

        Whether the file is there, and the one that was described, is looked at before the first batch is asked for, and
        once more before the last one is given, unless another file was put in its place meanwhile: this one is read on.
        """
        check_start(start)
        file = OpenedFile(self.path)
        file.check_unchanged(self.fingerprint)
        return self._batches(file, start)

    def _batches(self, file: OpenedFile, start: int) -> Iterator[Batch]:
        as_described = OpenedFile(self.path, self.fingerprint.n_bytes)
        blocks = open_blocks(as_described, self.skip_rows, encoding=self.encoding, jumps=self.jumps)
        if (blocks.format, blocks.names) != (self.format, self.names):
            raise InvalidData(f"{file.filename}: the columns are not those that were described; describe it anew")
        numeric = [self.columns[position] for position in self.schema.numeric]
        cells = numeric[0].cells if numeric else Cells()
        fast = frozenset(plan.position for plan in numeric if plan.cells.decimal == blocks.decimal)
        mark = max((mark for mark in self.marks if mark.examples <= start), key=lambda mark: mark.examples)
        reader = _Reader(self, file.filename)
        plain = Plain(fast, cells.missing, blocks.decimal)
        skip, seen, inode = start - mark.examples, mark.examples, file.inode
        for block in blocks.read(mark, plain, {plan.position for plan in self.columns}):
            table, labels = reader.examples(block)
            seen += len(labels)
            if seen >= self.n_examples and file.inode == inode:  # what was written over may have been read in part
                file.check_unchanged(self.fingerprint, may_grow=True)
            if skip < len(labels):
                yield (table.take(slice(skip, None)), labels[skip:]) if skip else (table, labels)
            skip = max(skip - len(labels), 0)

    def to_dict(self) -> dict[str, Any]:
        """Return all there is to know, fit for JSON."""
        plain = asdict(self)
        attributes = [[one.name, one.kind, list(one.categories)] for one in self.schema.attributes]
        return {**plain, "schema": attributes, "form": _FORMAT}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Return what `to_dict` came from.

        Raises
        ------
        InvalidData
            It is no such thing, or was written by a later version.
        """
        try:
            if plain["form"] != _FORMAT:
                raise InvalidData(f"described file: expected form {_FORMAT}, got {plain['form']}")
            attributes = tuple(Attribute(name, kind, tuple(known)) for name, kind, known in plain["schema"])
            columns = tuple(_plan(**one) for one in plain["columns"])
            lists = {"classes": tuple(plain["classes"]), "names": tuple(plain["names"]), "columns": columns}
            marks = tuple(Mark(**mark) for mark in plain["marks"])
            rest = {name: value for name, value in plain.items() if name != "form"}
            known = Fingerprint(**plain["fingerprint"])
            return cls(**{**rest, **lists, "schema": Schema(attributes), "marks": marks, "fingerprint": known})
        except (LookupError, TypeError, ValueError) as error:
            raise InvalidData("described file: this is no description of a file, or a damaged one") from error


def _plan(position: int, cells: Mapping[str, Any]) -> ColumnPlan:
    return ColumnPlan(position, Cells(cells["decimal"], tuple(cells["missing"]), cells["may_group"]))


class _Reader:
    """Makes examples of blocks."""

    def __init__(self, source: FileSource, filename: str) -> None:
        self._source, self._filename = source, filename
        known = [*(attribute.categories for attribute in source.schema.attributes), source.classes]
        self._known = [_codes_by_text(names, plan.cells) for names, plan in zip(known, source.columns, strict=True)]

    def examples(self, block: Block) -> Batch:
        """Return the examples of a block: the rows that have a class."""
        source = self._source
        labels = self._codes(block, len(source.columns) - 1).astype(np.int64)
        made = [
            self._codes(block, i) if attribute.kind == "nominal" else self._numbers(block, i)
            for i, attribute in enumerate(source.schema.attributes)
        ]
        table = Table.from_columns(source.schema.attributes, made)
        if (labels >= 0).all():
            return table, labels
        there = np.flatnonzero(labels >= 0)
        return table.take(there), labels[there]

    def _codes(self, block: Block, place: int) -> Codes:
        known, column = self._known[place], block.columns[self._source.columns[place].position]
        if column.holds_numbers:
            return self._codes_of_numbers(block, column, known)
        codes = np.array([known.get(text, _UNKNOWN) for text in column.values.to_pylist()], dtype=np.int32)
        if (codes == _UNKNOWN).any():
            self._refuse(block, column, int(np.argmax(codes == _UNKNOWN)))
        found: Codes = codes[column.codes]
        return found

    def _codes_of_numbers(self, block: Block, column: Column, known: Mapping[str, int]) -> Codes:
        different, back = np.unique(column.values.to_numpy()[column.codes], return_inverse=True)
        by_number = {float(text): code for text, code in known.items() if text}
        codes = np.array(
            [MISSING if not np.isfinite(one) else by_number.get(one, _UNKNOWN) for one in different.tolist()], np.int32
        )
        found: Codes = codes[back]
        if (found == _UNKNOWN).any():
            self._refuse(block, column, int(column.codes[np.argmax(found == _UNKNOWN)]))
        return found

    def _refuse(self, block: Block, column: Column, value: int) -> None:
        text, place = column.texts(np.array([value]))[0], block.place(column.first_row(value))
        raise InvalidData(
            f"{self._filename}: column {column.name!r} holds {text!r} in {place}, which was nowhere when the file was "
            "described; describe it anew"
        )

    def _numbers(self, block: Block, place: int) -> npt.NDArray[np.float64]:
        plan = self._source.columns[place]
        column = block.columns[plan.position]
        reading = plan.cells.read(column)
        if reading.wrong.any():
            value = int(np.argmax(reading.wrong))
            found = f"found {column.texts(np.array([value]))[0]!r} in {block.place(column.first_row(value))}"
            raise InvalidData(f"{self._filename}: column {column.name!r} must hold numbers, {found}")
        if not reading.missing.any() and column.holds_numbers and len(reading.numbers) == len(column.codes):
            return reading.numbers  # each row has its own
        numbers: npt.NDArray[np.float64] = np.where(reading.missing, np.nan, reading.numbers)[column.codes]
        return numbers


def _codes_by_text(names: tuple[str, ...], cells: Cells) -> dict[str, int]:
    return {**dict.fromkeys(cells.missing, MISSING), **{name: code for code, name in enumerate(names)}}
