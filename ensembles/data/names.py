"""Texts that people bring as names: of files, sheets, columns, categories and classes; safe to show and to store.

NUL is refused by PostgreSQL, lone surrogates by UTF-8, other control characters and those that turn the direction of writing
make a page say what it does not: all of them become the sign for what cannot be shown. What is too long is cut, and the cut
tells how it went on, so that two that differ still do.
"""

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ensembles.errors import InvalidData

__all__ = [
    "LONGEST_NAME",
    "LONGEST_VALUE",
    "chosen_name",
    "clean_name",
    "clean_text",
    "clean_values",
    "name_of",
    "stem",
]

LONGEST_NAME = 200  #: characters of the name of a column, a file or a sheet
LONGEST_VALUE = 1_000  #: characters of a category

_UNSHOWN = "\ufffd"
_TURNS = "\u202a-\u202e\u2066-\u2069"
_UNSAFE = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_TURNS}\ud800-\udfff]")
_UNSAFE_VALUES = r"[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{202a}-\x{202e}\x{2066}-\x{2069}]"


def clean_text(text: str) -> str:
    """Return `text` with the sign for what cannot be shown in place of what is unsafe; tabs and line feeds stay."""
    return _UNSAFE.sub(_UNSHOWN, text)


def clean_name(text: str, longest: int = LONGEST_NAME) -> str:
    """Return a name that is safe to show and to store, at most `longest` characters long."""
    return _cut(clean_text(text), longest)


def chosen_name(filename: str, name: str | None) -> str | None:
    """Return the name that somebody chose for the data set of a file, if any; raise `InvalidData` where it says nothing."""
    if name is not None and not clean_text(name).strip():
        raise InvalidData(f"{filename}: the name of the data set must have a character, got {name!r}")
    return name


def name_of(source: Any) -> str:
    """Return what messages call a file."""
    if isinstance(source, str | Path):
        return Path(source).name or "."
    return "the file" if isinstance(source, bytes) else "the table"


def stem(filename: str) -> str:
    """Return the name of a file without its endings."""
    name = filename.removesuffix(".gz").removesuffix(".zip")
    return name.rsplit(".", 1)[0] or name


def clean_values(values: Any) -> Any:
    """Return an array of strings in the same order, each safe to show and to store."""
    data = values.buffers()[2]
    seen = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    # a look at the bytes takes a fifth of the time of a regular expression, and there may be a hundred thousand columns
    if ((seen < 0x20) | (seen >= 0x7F)).any():
        values = pc.replace_substring_regex(values, _UNSAFE_VALUES, _UNSHOWN)
    if len(seen) > LONGEST_VALUE:
        long = pc.greater(pc.utf8_length(values), LONGEST_VALUE)
        if pc.any(long).as_py():
            shortened = [_cut(text, LONGEST_VALUE) for text in pc.filter(values, long).to_pylist()]
            values = pc.replace_with_mask(values, long, pa.array(shortened, pa.string()))
    return values


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    end = f"… ({len(text):,} characters, {hashlib.sha256(text.encode()).hexdigest()[:8]})"
    return text[: longest - len(end)].rstrip() + end
