"""How a table is laid out as text: delimiter, quotes, header, names of the columns."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from ensembles.data.marks import is_mark, looks_like_number
from ensembles.errors import InvalidData

__all__ = ["DELIMITERS", "TARGET_NAMES", "Layout", "join_blanks", "looks_like_header", "sniff_layout", "unique_names"]

#: In order of preference: the comma comes late because it stands in numbers, the space last because it stands in text.
DELIMITERS = ("\t", ";", "|", ",", " ")

#: A column called like this is taken for the class.
TARGET_NAMES = (
    *("class", "target", "label", "y", "outcome", "response", "category", "diagnosis", "species"),
    *("class_label", "target_class", "klasse", "classe", "clase"),
)

_SAMPLE = 1 << 20
_SAMPLE_ROWS = 200
_BLANK_LINES = re.compile(rb"( *\n)*")
_HINT = re.compile(rb"sep=([\t;|,: ])\n", re.IGNORECASE)
_SHOWN_NAMES = 5
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
    body : bytes
        The lines of values.
    first_line : int
        Number of the first line of `body` in the file, from 1.
    width_line : int
        Number of the line that tells how many cells every line has; 0 when the header says so.
    notices : tuple of str
        What was done to the names, in sentences.
    """

    delimiter: str
    quote: str | None
    names: tuple[str, ...]
    has_header: bool
    body: bytes
    first_line: int
    width_line: int
    notices: tuple[str, ...]


def sniff_layout(text: bytes, filename: str, delimiter: str | None = None, has_header: bool | None = None) -> Layout:
    """Recognise the layout of `text` (UTF-8, lines ended by line feeds) from its first lines.

    Parameters
    ----------
    delimiter, has_header : optional
        What the user knows; recognised when None.

    Raises
    ------
    InvalidData
        One column only, or a header without a row of values.
    """
    start, hint = _skip_preamble(text)
    sample = _sample(text, start)
    delimiter = delimiter or hint or _best_delimiter(sample)
    quote = _quote_of(sample, delimiter)
    rows = _rows(sample, delimiter, quote)
    if max(map(len, rows), default=0) < 2:
        wanted = "separated by comma, semicolon, tab, vertical bar or space"
        raise InvalidData(f"{filename}: only one column was found; two or more are needed, {wanted}")
    short_header = _is_short_header(rows)
    if has_header is None:
        has_header = short_header or looks_like_header(rows)
    if has_header and len(rows) == 1:
        raise InvalidData(f"{filename}: there is a header but no row of values below it")
    cells = _header_cells(rows, short_header) if has_header else [""] * len(rows[0])
    names, notices = unique_names(cells, has_header)
    if len(cells) > len(rows[0]) and cells[-1]:
        short = f"The header has one name less than the rows have cells, so the first column is called “{names[0]}”."
        notices = (short, *notices)
    header_lines = _header_lines(sample, delimiter, quote) if has_header else 0
    body = _tidy(
        _after_lines(text, start, header_lines), delimiter, quote, _has_padded_quotes(sample, delimiter, quote)
    )
    start_line = text.count(b"\n", 0, start) + 1
    return Layout(
        delimiter=delimiter,
        quote=quote if quote.encode() in body else None,
        names=names,
        has_header=has_header,
        body=body,
        first_line=start_line + header_lines,
        width_line=start_line + (header_lines if short_header else 0),
        notices=notices,
    )


def _skip_preamble(text: bytes) -> tuple[int, str | None]:
    """Return where the table starts, behind blank lines and the `sep=;` line that spreadsheets write, and that hint."""
    blank = _BLANK_LINES.match(text)
    start = blank.end() if blank else 0
    hint = _HINT.match(text, start)
    return (hint.end(), hint.group(1).decode()) if hint else (start, None)


def _sample(text: bytes, start: int) -> str:
    sample = text[start : start + _SAMPLE]
    if start + _SAMPLE < len(text) and b"\n" in sample:
        sample = sample[: sample.rindex(b"\n") + 1]
    return sample.decode("utf-8", "ignore")


def _best_delimiter(sample: str) -> str:
    """Return the delimiter that gives most rows the same number of cells, two or more."""
    agreement = {}
    for delimiter in DELIMITERS:
        widths = Counter(map(len, _rows(sample, delimiter, '"')))
        if widths and (width := _most_common(widths)) > 1:
            agreement[delimiter] = widths[width] / widths.total()
    if len(agreement) > 1:
        agreement.pop(" ", None)
    return max(agreement, key=lambda delimiter: agreement[delimiter], default=",")


def _most_common(widths: Counter[int]) -> int:
    return widths.most_common(1)[0][0]


def _rows(sample: str, delimiter: str, quote: str) -> list[list[str]]:
    """Return the first rows of the sample as trimmed cells, blank lines left out."""
    if delimiter == " ":
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
    return len(rows[0]) == _most_common(Counter(map(len, rows[1:]))) - 1


def _could_be_name(cell: str) -> bool:
    return not looks_like_number(cell) and not is_mark(cell)


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Decide by vote: text above numbers speaks for a header; a number, or a value seen again below, against one."""
    first, rest = rows[0], rows[1:]
    for name, column in zip(first, zip(*rest, strict=False), strict=False):
        if name.casefold() in TARGET_NAMES and name not in column:
            return True
    if len(first) > 3 and list(first) in ([str(i + start) for i in range(len(first))] for start in (0, 1)):
        return bool(rest)
    votes = 0
    for position, cell in enumerate(first):
        below = [row[position] for row in rest if position < len(row) and not is_mark(row[position])]
        if is_mark(cell) or not below:
            continue
        if all(map(looks_like_number, below)):
            votes += -1 if looks_like_number(cell) else 1
        elif cell in below:
            votes -= 1
    if votes:
        return votes > 0
    return not any(map(looks_like_number, first)) and len(set(first)) == len(first)


def _header_cells(rows: Sequence[Sequence[str]], short_header: bool) -> list[str]:
    if not short_header:
        return list(rows[0])
    if all(row[-1] == "" for row in rows[1:]):
        return [*rows[0], ""]
    return [_ROW_NAME, *rows[0]]


def unique_names(cells: Sequence[str], has_header: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a unique name for each column, and sentences about those that had to be made up."""
    names: list[str] = []
    taken, unnamed, repeated = set(cells), [], []
    for position, cell in enumerate(cells, start=1):
        name, number = cell or f"a{position}", 2
        fresh = cell not in names if cell else name not in taken
        while not fresh:
            name, number = f"{cell or f'a{position}'}_{number}", number + 1
            fresh = name not in taken
        taken.add(name)
        names.append(name)
        if not cell:
            unnamed.append(name)
        elif name != cell:
            repeated.append(f"“{name}”")
    if not has_header:
        notice = f"The first line holds values, not names, so the columns are called {names[0]} to {names[-1]}."
        return tuple(names), (notice,)
    notices = []
    if unnamed:
        have = "1 column has" if len(unnamed) == 1 else f"{len(unnamed):,} columns have"
        notices.append(f"{have} no name in the header; named by position: {_listed(unnamed)}.")
    if repeated:
        names_were = "1 name was" if len(repeated) == 1 else f"{len(repeated):,} names were"
        notices.append(f"{names_were} taken in the header; renamed to {_listed(repeated)}.")
    return tuple(names), tuple(notices)


def _listed(words: Sequence[str]) -> str:
    shown = ", ".join(words[:_SHOWN_NAMES])
    return shown if len(words) <= _SHOWN_NAMES else f"{shown} and so on ({len(words)} in all)"


def _header_lines(sample: str, delimiter: str, quote: str) -> int:
    reader = csv.reader(io.StringIO(sample), delimiter=delimiter, quotechar=quote)
    next(reader)
    return reader.line_num


def _after_lines(text: bytes, start: int, lines: int) -> bytes:
    for _ in range(lines):
        start = text.index(b"\n", start) + 1
    return text[start:]


def _tidy(body: bytes, delimiter: str, quote: str, padded_quotes: bool) -> bytes:
    """Make runs of blanks one delimiter; take blanks away between a delimiter and an opening quote."""
    if delimiter == " ":
        return join_blanks(body)
    if padded_quotes:
        mark, opening = delimiter.encode(), quote.encode()
        return re.sub(re.escape(mark) + rb" +" + opening, mark + opening, body)
    return body


def join_blanks(body: bytes) -> bytes:
    return re.sub(rb" {2,}", b" ", re.sub(rb"(?m)^ +| +$", b"", body))
