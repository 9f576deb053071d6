"""Reading ARFF, the format of Weka: what attributes are stands in the file.

See the Weka manual, chapter "ARFF". Nominal, numeric (also real and integer), string and date attributes, dense
and sparse rows, quotes, escapes, comments. Data without quotes, braces and comments goes through the parser of tables as
text; the rest is taken apart here, cell by cell.

Not `scipy.io.arff`, which knows neither strings nor sparse rows, and not liac-arff, which takes every cell apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from ensembles.data.columns import DATE, Column, ColumnKind, Content, check_cells, check_columns, text_column
from ensembles.data.header import unique_names
from ensembles.data.parsing import line_of_first_row, parse, parse_numbers
from ensembles.data.sniffing import Layout, join_blanks
from ensembles.errors import InvalidData

__all__ = ["ArffHeader", "looks_like_arff", "read_arff", "read_arff_header"]

_START = re.compile(rb"\s*(%[^\n]*\n\s*)*@(relation|attribute)\b", re.IGNORECASE)
_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+(?:{_QUOTED}|([^\s'\"{{]+))\s*(.*)", re.IGNORECASE)
_NOMINAL = re.compile(r"\{(.*)\}\s*(%.*)?")
_VALUE = rf"(?:(?:{_QUOTED})\s*|([^\s,'\"{{}}%][^,{{}}%]*))"
_CELL = re.compile(rf"\s*{_VALUE}?(,|%.*|$)")
_SPARSE_CELL = re.compile(rf"\s*([0-9]{{1,9}})\s+{_VALUE}(,|$)")
_SPARSE_ROW = re.compile(r"\{(.*?)\}\s*(?:,\s*\{[^{}]*\}\s*)?(%.*)?")
_WEIGHT = re.compile(r",\s*\{[^{}]*\}\s*(%.*)?$")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_NEEDS_CARE = re.compile(rb"['\"\\{}%]")
_MARKS = ("?", "")
_CELLS_AT_ONCE = 400_000
_NO_ROWS = "{}: there are no rows behind @data"
_WEIGHTS = "Weights of examples stand in the file; they are not used, every example counts 1."
_KINDS: dict[str, tuple[ColumnKind | None, str]] = {
    "numeric": ("numeric", "Declared numeric in the file."),
    "string": (None, ""),
    "date": ("ignore", DATE),
}
_WORDS = {"real": "numeric", "integer": "numeric", "numeric": "numeric", "string": "string", "date": "date"}


@dataclass(frozen=True)
class _Attribute:
    name: str
    type: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArffHeader:
    """What stands above the rows.

    Attributes
    ----------
    names : tuple of str
        Unique names of the attributes.
    notices : tuple of str
        What was done to them, in sentences.
    start, first_line : int
        Where the rows start in the text, and their first line.
    """

    attributes: tuple[_Attribute, ...]
    names: tuple[str, ...]
    notices: tuple[str, ...]
    start: int
    first_line: int

    @property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the attributes that are declared numeric."""
        return tuple(position for position, one in enumerate(self.attributes) if one.type == "numeric")

    def columns(
        self, body: bytes, first_line: int, filename: str, *, numbers: Collection[int] = (), first_row: int = 0
    ) -> tuple[tuple[Column, ...], bool]:
        """Return some rows, whole lines, as columns, and whether they have weights.

        Parameters
        ----------
        numbers : collection of int
            Numeric attributes whose values nobody tells apart.
        first_row : int
            Number of the first of them, from 0.
        """
        weighted = False
        if _NEEDS_CARE.search(body):
            rows = _Rows(filename, self.attributes, first_line)
            lines = [line.strip() for line in body.decode().split("\n")]
            check_cells(filename, sum(bool(line) and not line.startswith("%") for line in lines), len(self.names))
            columns, weighted = _gather(rows.read(lines), self.names, filename), rows.weighted
        else:
            delimiter = _delimiter(body)
            body = join_blanks(body) if delimiter == " " else body
            check_cells(filename, body.count(b"\n"), len(self.names))
            layout = Layout(delimiter, None, self.names, True, body, first_line, 0, ())
            columns = parse_numbers(layout, filename, numbers, _MARKS, ".") if numbers else parse(layout, filename)
        declared = tuple(map(_declare, self.attributes, columns))
        for attribute, column in zip(self.attributes, declared, strict=True):
            _refuse_undeclared(attribute, column, filename, first_row)
        return declared, weighted


def looks_like_arff(text: bytes) -> bool:
    """Say whether `text` starts like an ARFF file."""
    return _START.match(text) is not None


def read_arff(text: bytes, filename: str) -> Content:
    """Read an ARFF file.

    Parameters
    ----------
    text : bytes
        In UTF-8, lines ended by line feeds.
    filename : str
        What messages call the file.

    Raises
    ------
    InvalidData
        No attributes or no data, a relational attribute, a value that is not declared, a row that cannot be read.
    """
    header = read_arff_header(text, filename)
    body = text[header.start :]
    if not body or body.isspace():
        raise InvalidData(_NO_ROWS.format(filename))
    columns, weighted = header.columns(body, header.first_line, filename)
    notices = (*header.notices, _WEIGHTS) if weighted else header.notices
    return Content("ARFF", columns, notices, line_of_first_row(body, header.first_line, len(columns[0].codes)))


def read_arff_header(text: bytes, filename: str) -> ArffHeader:
    """Read what stands above the rows; `text` may end anywhere behind it.

    Raises
    ------
    InvalidData
        No attributes, no `@data`, or a line that cannot be read.
    """
    attributes, start, first_line = _read_header(text, filename)
    names, notices = unique_names([attribute.name for attribute in attributes], has_header=True)
    return ArffHeader(tuple(attributes), names, notices, start, first_line)


def _read_header(text: bytes, filename: str) -> tuple[list[_Attribute], int, int]:
    """Return the attributes, where the data starts, and its first line."""
    attributes: list[_Attribute] = []
    start = 0
    for number in range(1, text.count(b"\n") + 2):
        check_columns(filename, len(attributes))  # before the next one: a million of them is a small file
        end = text.find(b"\n", start) % (len(text) + 1)
        line = text[start:end].decode().strip()
        start = end + 1
        word = line.split(None, 1)[0].lower() if line else ""
        if word == "@data" and attributes:
            return attributes, start, number + 1
        if word == "@attribute":
            attributes.append(_attribute(line, filename, number))
        elif word and word != "@relation" and not word.startswith("%"):
            raise InvalidData(
                f"{filename}: line {number:,} must be @relation, @attribute, @data or a comment, found {line[:40]!r}"
            )
    raise InvalidData(f"{filename}: this is an ARFF file without {'@data' if attributes else 'attributes'}")


def _attribute(line: str, filename: str, number: int) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise InvalidData(f"{filename}: line {number:,} is an @attribute without a name and a type")
    name, rest = _cell_text(match), match[4]
    if nominal := _NOMINAL.fullmatch(rest):
        values = _cells(nominal[1])
        if values is None:
            raise InvalidData(f"{filename}: the values of attribute {name!r} in line {number:,} cannot be read")
        return _Attribute(name, "nominal", tuple(value.strip() for value in values))
    found = re.match("[a-z]*", rest, re.IGNORECASE)
    word = found[0].lower() if found else ""
    if word not in _WORDS:
        allowed = "numeric, real, integer, string, date or {values}"
        raise InvalidData(
            f"{filename}: the type of attribute {name!r} in line {number:,} must be {allowed}, got {rest[:40]!r}"
        )
    return _Attribute(name, _WORDS[word])


class _Rows:
    """The rows of data, taken apart one by one."""

    def __init__(self, filename: str, attributes: Sequence[_Attribute], first_line: int) -> None:
        self._filename, self._width, self._first_line = filename, len(attributes), first_line
        self._omitted = [
            "0" if attribute.type == "numeric" else next(iter(attribute.values), "") for attribute in attributes
        ]
        self.weighted = False

    def read(self, lines: Sequence[str]) -> Iterator[list[str]]:
        for number, line in enumerate(lines, start=self._first_line):
            if line and not line.startswith("%"):
                yield self._sparse(line, number) if line.startswith("{") else self._dense(line, number)

    def _dense(self, line: str, number: int) -> list[str]:
        if line.endswith("}") and (weight := _WEIGHT.search(line)):
            self.weighted, line = True, line[: weight.start()]
        cells = _cells(line)
        if cells is None:
            raise InvalidData(f"{self._filename}: line {number:,} cannot be read, its quotes or braces are not closed")
        if len(cells) != self._width:
            counted = "1 cell" if len(cells) == 1 else f"{len(cells):,} cells"
            raise InvalidData(
                f"{self._filename}: line {number:,} has {counted}, but the header declares {self._width:,}"
            )
        return cells

    def _sparse(self, line: str, number: int) -> list[str]:
        """Read `{index value, index value}`; what is left out is 0, or the first value of a nominal attribute."""
        self.weighted |= bool(_WEIGHT.search(line))
        row = _SPARSE_ROW.fullmatch(line)
        text, cells, position = row[1].strip() if row else "", self._omitted.copy(), 0
        while row and position < len(text):
            match = _SPARSE_CELL.match(text, position)
            if match is None or int(match[1]) >= self._width:
                row = None
            else:
                cells[int(match[1])] = _cell_text(match, first_group=2)
                position = match.end()
        if row is None:
            raise InvalidData(
                f"{self._filename}: line {number:,} cannot be read as a sparse row "
                f"{{index value, ...}} with indices from 0 to {self._width - 1:,}"
            )
        return cells


def _cells(text: str) -> list[str] | None:
    """Return the cells between commas, quotes and escapes resolved; None when they do not close."""
    cells, position = [], 0
    while match := _CELL.match(text, position):
        cells.append(_cell_text(match))
        position = match.end()
        if match[4] != ",":
            return cells
    return None


def _cell_text(match: re.Match[str], first_group: int = 1) -> str:
    single, double, plain = match.group(first_group, first_group + 1, first_group + 2)
    if plain is not None:
        return str(plain).rstrip()
    quoted = single if single is not None else double or ""
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), quoted) if "\\" in quoted else quoted


def _gather(rows: Iterator[list[str]], names: Sequence[str], filename: str) -> tuple[Column, ...]:
    """Return rows as columns. Python's texts are given up early, batch by batch."""
    chunks: list[list[Any]] = [[] for _ in names]
    count = 0
    while batch := list(islice(rows, max(1, _CELLS_AT_ONCE // len(names)))):
        count += len(batch)
        for column, cells in zip(chunks, zip(*batch, strict=True), strict=True):
            column.append(pa.array(cells, pa.string()))
    if count == 0:
        raise InvalidData(_NO_ROWS.format(filename))
    return tuple(map(text_column, names, (pa.chunked_array(column) for column in chunks)))


def _delimiter(body: bytes) -> str:
    line = body.lstrip().split(b"\n", 1)[0]
    return next((mark for mark in ",\t" if mark.encode() in line), " " if b" " in line.strip() else ",")


def _declare(attribute: _Attribute, column: Column) -> Column:
    if attribute.type == "nominal":
        return replace(column, declared="nominal", reason="Declared nominal in the file.", marks=_MARKS)
    kind, reason = _KINDS[attribute.type]
    return replace(column, declared=kind, reason=reason)


def _refuse_undeclared(attribute: _Attribute, column: Column, filename: str, first_row: int) -> None:
    if attribute.type != "nominal":
        return
    known = {*attribute.values, *_MARKS}
    for position, text in enumerate(column.texts(np.arange(len(column.values)))):
        if text not in known:
            row = first_row + column.first_row(position) + 1
            raise InvalidData(
                f"{filename}: attribute {attribute.name!r} has the value {text!r} in row {row:,} of the data, "
                "which is not among those declared"
            )
