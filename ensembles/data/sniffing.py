"""How a table is laid out as text: delimiter, quotes, header, names of the columns."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from ensembles.data.columns import MOST_COLUMNS, check_cells, check_columns
from ensembles.data.decoding import count_lines
from ensembles.data.header import count_titles, looks_like_header, most_common, titles_notice, unique_names
from ensembles.data.missing_markers import is_missing_marker, looks_like_number
from ensembles.data.numbers import commas_are_decimal
from ensembles.errors import InvalidData

__all__ = [
    "DELIMITERS",
    "Layout",
    "join_blanks",
    "sniff_layout",
]

#: In order of preference: the comma comes late because it stands in numbers, the space last because it stands in text.
DELIMITERS = ("\t", ";", "|", ",", " ")

_SAMPLE = 1 << 20
_SAMPLE_ROWS = 200
_WHOLE_LINES = 20  # stand in the sample whatever their length: a header of 60,001 names of genes has more than 1 MiB
_MOST_IN_QUOTES = 10  # times the delimiters that columns need may stand in a line
_BLANK_LINES = re.compile(rb"( *\n)*")
_HINT = re.compile(rb"sep=([\t;|,: ])\n", re.IGNORECASE)
_ROW_NAME = "row"


@dataclass(frozen=True)
class Layout:
    """Where the cells are.

    Attributes
    ----------
    delimiter : str
    quote : str or None
        None when no quote occurs, which lets the parser work on blocks in parallel.
    names : tuple of str
        Unique names of the columns, from the header or made up.
    has_header : bool
    body : bytes or memoryview
        The lines of values: a view of the text where that is what they are, as a copy of a large file takes a second.
    first_line : int
        Number of the first line of `body` in the file, from 1.
    width_line : int
        Number of the line that tells how many cells every line has; 0 when the header says so.
    notices : tuple of str
        What was done to the names, in sentences.
    start : int
        Where the lines of values start in the text.
    quote_mark : str
        What quotes cells, whether it occurs or not.
    padded_quotes : bool
        Blanks stand between a delimiter and an opening quote.
    """

    delimiter: str
    quote: str | None
    names: tuple[str, ...]
    has_header: bool
    body: bytes | memoryview
    first_line: int
    width_line: int
    notices: tuple[str, ...]
    start: int = 0
    quote_mark: str = '"'
    padded_quotes: bool = False

    def of_rows(self, text: bytes, first_line: int, start: int = 0) -> Layout:
        """Return the layout of other lines of the same file: those of `text` from `start` on."""
        body = _tidy(memoryview(text)[start:], self.delimiter, self.quote_mark, self.padded_quotes)
        quote = self.quote_mark if text.find(self.quote_mark.encode(), start) >= 0 else None
        return replace(self, body=body, quote=quote, first_line=first_line)


def sniff_layout(
    text: bytes,
    filename: str,
    delimiter: str | None = None,
    has_header: bool | None = None,
    skip_rows: int | None = None,
) -> Layout:
    """Recognise the layout of `text` (UTF-8, lines ended by line feeds) from its first lines.

    Parameters
    ----------
    delimiter, has_header, skip_rows : optional
        What the user knows; recognised when None. `skip_rows` lines stand above the table.

    Raises
    ------
    InvalidData
        One column only, too many columns, or a header without a row of values.
    """
    start, hint = _skip_preamble(text, skip_rows, filename)
    sample = _sample(text, start, filename)
    delimiter = delimiter or hint or _best_delimiter(sample)
    quote = _quote_of(sample, delimiter)
    titles = 0 if skip_rows is not None or has_header is False else _lines_of_titles(sample, delimiter, quote)
    if titles:
        start = _after_blank_lines(text, _after_lines(text, start, titles))
        sample = _sample(text, start, filename)
    rows = _rows(sample, delimiter, quote)
    short_header = _is_short_header(rows)
    if has_header is None:
        has_header = short_header or (bool(rows) and looks_like_header(rows))
    _check_rows(rows, has_header, sample, filename)
    names, notices = _name_columns(rows, has_header, short_header, filename)
    if titles:
        notices = (titles_notice(titles), *notices)
    header_lines = _header_lines(sample, delimiter, quote) if has_header else 0
    first_row = _after_lines(text, start, header_lines)
    check_cells(filename, count_lines(text, first_row), len(names))
    start_line = text.count(b"\n", 0, start) + 1
    width_line = start_line + (header_lines if short_header else 0)
    padded = _has_padded_quotes(sample, delimiter, quote)
    layout = Layout(delimiter, None, names, has_header, b"", 0, width_line, notices, first_row, quote, padded)
    return layout.of_rows(text, start_line + header_lines, first_row)


def _check_rows(rows: list[list[str]], has_header: bool, sample: str, filename: str) -> None:
    if max(map(len, rows), default=0) < 2:
        wanted = "separated by comma, semicolon, tab, vertical bar or space"
        raise InvalidData(f"{filename}: only one column was found; two or more are needed, {wanted}")
    if has_header and len(rows) == 1:
        if len(sample.partition("\n")[2]) > (longest := csv.field_size_limit()):
            raise InvalidData(f"{filename}: the first row of values has a cell of more than {longest:,} characters")
        raise InvalidData(f"{filename}: there is a header but no row of values below it")


def _name_columns(
    rows: list[list[str]], has_header: bool, short_header: bool, filename: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the columns, and what people should be told about them."""
    cells = _header_cells(rows, short_header) if has_header else [""] * len(rows[0])
    check_columns(filename, len(cells))
    names, notices = unique_names(cells, has_header)
    if len(cells) > len(rows[0]) and cells[-1]:
        short = f"The header has one name less than the rows have cells, so the first column is called “{names[0]}”."
        notices = (short, *notices)
    return names, notices


def _skip_preamble(text: bytes, skip_rows: int | None, filename: str) -> tuple[int, str | None]:
    """Return where the table starts, behind blank lines and the `sep=;` line that spreadsheets write, and that hint."""
    start = 0
    if skip_rows:
        lines = text.count(b"\n") + (not text.endswith(b"\n"))
        if skip_rows >= lines:
            raise InvalidData(f"{filename}: skip_rows must leave a row, got {skip_rows:,} of {lines:,} lines")
        start = _after_lines(text, 0, skip_rows)
    start = _after_blank_lines(text, start)
    hint = _HINT.match(text, start)
    return (hint.end(), hint.group(1).decode()) if hint else (start, None)


def _sample(text: bytes, start: int, filename: str) -> str:
    """Return whole lines: 1 MiB, or the first twenty where these are longer."""
    end = start
    for _ in range(_WHOLE_LINES):
        line, end = end, (text.find(b"\n", end) + 1) or len(text)
        if (marks := max(text.count(mark.encode(), line, end) for mark in DELIMITERS)) > MOST_COLUMNS * _MOST_IN_QUOTES:
            raise InvalidData(f"{filename}: a line has {marks + 1:,} cells; at most {MOST_COLUMNS:,} are allowed")
    if end < start + _SAMPLE:
        end = len(text) if start + _SAMPLE >= len(text) else text.rindex(b"\n", start, start + _SAMPLE) + 1
    return text[start:end].decode("utf-8", "ignore")


def _best_delimiter(sample: str) -> str:
    """Return the delimiter that gives most rows the same number of cells, two or more.

    Of equals it is the one that cuts fewest quotes. As spaces stand in text, the space has to give more cells than any other
    that does so, and none of these may cut the first row.
    """
    agreement: dict[str, tuple[float, int]] = {}
    most = 0
    for delimiter in DELIMITERS:
        rows = _rows(sample, delimiter, '"')
        widths = Counter(map(len, rows))
        if widths and (width := most_common(widths)) > 1 and (delimiter != " " or width > most):
            cut = sum('"' in cell for row in rows for cell in row)
            agreement[delimiter] = (widths[width] / widths.total(), -cut)
            most = max(most, width if len(rows[0]) == 1 else MOST_COLUMNS)  # more than which are refused
    best = max(agreement, key=lambda delimiter: agreement[delimiter], default=",")
    return " " if best == "," and commas_are_decimal(_rows(sample, " ", '"')) else best


def _rows(sample: str, delimiter: str, quote: str) -> list[list[str]]:
    """Return the first rows of the sample as trimmed cells, blank lines left out."""
    if delimiter == " " and " " in sample:
        sample = join_blanks(sample.encode()).decode()
    rows = _raw_rows(sample, delimiter, quote, skipinitialspace=True)
    trimmed = ([cell.strip() for cell in row] for row in rows)
    return [row for row in trimmed if row and row != [""]]


def _raw_rows(sample: str, delimiter: str, quote: str, skipinitialspace: bool) -> list[list[str]]:
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(sample), delimiter=delimiter, quotechar=quote, skipinitialspace=skipinitialspace)
    # a field beyond the module's limit ends the sample: what came before it is enough
    with suppress(csv.Error):
        rows.extend(islice(reader, _SAMPLE_ROWS))
    return rows


def _has_padded_quotes(sample: str, delimiter: str, quote: str) -> bool:
    """Say whether blanks stand between a delimiter and an opening quote, which the parser would not see as quoting."""
    rows = _raw_rows(sample, delimiter, quote, skipinitialspace=False)
    return any(cell.startswith(" ") and cell.lstrip(" ").startswith(quote) for row in rows for cell in row)


def _quote_of(sample: str, delimiter: str) -> str:
    """Return the single quote when cells start with it and it opens and closes properly throughout, else the double."""
    cells = (cell for row in _raw_rows(sample, delimiter, '"', skipinitialspace=True) for cell in row)
    if '"' in sample or not any(cell.startswith("'") for cell in cells):
        return '"'
    reader = csv.reader(io.StringIO(sample), delimiter=delimiter, quotechar="'", strict=True)
    try:
        for _ in islice(reader, _SAMPLE_ROWS):
            pass
    except csv.Error:
        return '"'
    return "'"


def _is_short_header(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the first row holds names and one cell less than the rows below, which start with a name each."""
    if len(rows) < 2 or not all(_could_be_name(cell) for cell in rows[0]):
        return False
    return len(rows[0]) == most_common(Counter(map(len, rows[1:]))) - 1


def _could_be_name(cell: str) -> bool:
    return not looks_like_number(cell) and not is_missing_marker(cell)


def _header_cells(rows: Sequence[Sequence[str]], short_header: bool) -> list[str]:
    if not short_header:
        return list(rows[0])
    if all(row[-1] == "" for row in rows[1:]):
        return [*rows[0], ""]
    return [_ROW_NAME, *rows[0]]


def _lines_of_titles(sample: str, delimiter: str, quote: str) -> int:
    """Return how many lines the titles above the table take."""
    reader = csv.reader(io.StringIO(sample), delimiter=delimiter, quotechar=quote, skipinitialspace=True)
    rows: list[list[str]] = []
    ends: list[int] = []
    with suppress(csv.Error):
        for raw in islice(reader, _SAMPLE_ROWS):
            row = [cell.strip() for cell in raw]
            if any(row):
                rows.append(row)
                ends.append(reader.line_num)
    titles = 0 if delimiter == " " else count_titles(rows)
    return ends[titles - 1] if titles else 0


def _header_lines(sample: str, delimiter: str, quote: str) -> int:
    reader = csv.reader(io.StringIO(sample), delimiter=delimiter, quotechar=quote)
    next(reader)
    return reader.line_num


def _after_blank_lines(text: bytes, start: int) -> int:
    blank = _BLANK_LINES.match(text, start)
    return blank.end() if blank else start


def _after_lines(text: bytes, start: int, lines: int) -> int:
    """Return where the text goes on behind so many lines."""
    for _ in range(lines):
        start = text.index(b"\n", start) + 1
    return start


def _tidy(body: memoryview, delimiter: str, quote: str, padded_quotes: bool) -> bytes | memoryview:
    """Make runs of blanks one delimiter; take blanks away between a delimiter and an opening quote."""
    if delimiter == " ":
        return join_blanks(bytes(body))
    if padded_quotes:
        mark, opening = delimiter.encode(), quote.encode()
        return re.sub(re.escape(mark) + rb" +" + opening, mark + opening, body)
    return body


def join_blanks(body: bytes) -> bytes:
    return re.sub(rb"(?m)^ | $", b"", re.sub(rb" {2,}", b" ", body))  # in this order it takes linear time
