"""The first rows of a table: titles, the header, the names of the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import dropwhile

from ensembles.data.missing_markers import is_missing_marker, looks_like_number
from ensembles.data.names import clean_name

__all__ = ["TARGET_NAMES", "count_titles", "looks_like_header", "most_common", "titles_notice", "unique_names"]

#: A column called like this is taken for the class.
TARGET_NAMES = (
    *("class", "target", "label", "y", "outcome", "response", "category", "diagnosis", "species"),
    *("class_label", "target_class", "klasse", "classe", "clase"),
)

_SHOWN_NAMES = 5
_MOST_TITLES = 50


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Decide by vote: text above numbers speaks for a header; a number, or a value seen again below, against one."""
    first, rest = rows[0], rows[1:]
    if _names_a_class(rows):
        return True
    if len(first) > 3 and list(first) in ([str(i + start) for i in range(len(first))] for start in (0, 1)):
        return bool(rest)
    if votes := _votes(rows):
        return votes > 0
    return not any(map(looks_like_number, first)) and len(set(first)) == len(first)


def _names_a_class(rows: Sequence[Sequence[str]]) -> bool:
    columns = zip(rows[0], zip(*rows[1:], strict=False), strict=False)
    return any(name.casefold() in TARGET_NAMES and name not in column for name, column in columns)


def _votes(rows: Sequence[Sequence[str]]) -> int:
    """Return how many columns speak for a header in the first row, less those that speak against it."""
    first, rest = rows[0], rows[1:]
    votes = 0
    for position, cell in enumerate(first):
        below = [row[position] for row in rest if position < len(row) and not is_missing_marker(row[position])]
        if is_missing_marker(cell) or not below:
            continue
        if all(map(looks_like_number, below)):
            votes += -1 if looks_like_number(cell) else 1
        elif cell in below:
            votes -= 1
    return votes


def unique_names(cells: Sequence[str], has_header: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a unique name for each column, and sentences about those that had to be made up."""
    cells = [clean_name(cell) for cell in cells]
    names: list[str] = []
    taken, seen, unnamed, repeated = set(cells), {""}, [], []
    number: dict[
        str, int
    ] = {}  # the next one to try behind a name: twenty thousand equal names are told apart in one go
    for position, cell in enumerate(cells, start=1):
        stem = name = cell or f"a{position}"
        fresh = cell not in seen or (not cell and name not in taken)
        while not fresh:
            number[stem] = number.get(stem, 1) + 1
            name = f"{stem}_{number[stem]}"
            fresh = name not in taken
        taken.add(name)
        seen.add(cell)
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


def count_titles(rows: Sequence[Sequence[str]]) -> int:
    """Return how many of the first rows are titles: a cell or two, above a header and a block of rows with more cells.

    A row counts as a title only if its first cell is filled and at most half as many cells as in most rows are, or if it
    is a comment, which starts with # and has not as many cells as most rows, or stands between a comment and a header. Two
    columns are too few to tell a title from the name of one column, so there the row below must be a header beyond doubt.
    """
    filled = [sum(map(bool, row)) for row in rows]
    usual = most_common(Counter(filled)) if filled else 0
    titles = 0
    for row, count in zip(rows[:_MOST_TITLES], filled, strict=False):
        is_comment = row[0].startswith("#") and (count != usual or (titles > 0 and _is_above_header(rows[titles:])))
        if not row[0] or (count > usual / 2 and not is_comment):
            break
        titles += 1
    below = rows[titles:]
    if not titles or len(below) < 2:
        return 0
    return titles if _is_beyond_doubt(below) or (usual > 2 and looks_like_header(below)) else 0


def _is_above_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row that does not start with # is a header beyond doubt."""
    below = [*dropwhile(lambda row: row[0].startswith("#"), rows)]
    return len(below) > 1 and _is_beyond_doubt(below)


def _is_beyond_doubt(rows: Sequence[Sequence[str]]) -> bool:
    return _votes(rows) > 0 or _names_a_class(rows)


def titles_notice(titles: int) -> str:
    """Return the sentence that says that rows were taken for titles."""
    first = "The first row is a title" if titles == 1 else f"The first {titles} rows are titles"
    return f"{first} above the table and left out; “Rows to skip” (skip_rows) changes that."


def most_common(widths: Counter[int]) -> int:
    """Return what was counted most often."""
    return widths.most_common(1)[0][0]
