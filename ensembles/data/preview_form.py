"""A preview as files in a folder, so that one process reads a table and another one has it. Nothing is pickled.

What was recognised stands as JSON, the columns as Arrow, one row a column, which is mapped into memory and not copied.
"""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ensembles.data.columns import Column, Content
from ensembles.data.inference import ColumnGuess
from ensembles.data.numbers import Reading
from ensembles.data.parsing import THREADS
from ensembles.data.preview import Preview

__all__ = ["load_preview", "save_preview"]

_FACTS = "preview.json"
_SCHEMA = pa.schema(
    {
        "texts": pa.large_list(pa.string()),
        "doubles": pa.large_list(pa.float64()),
        "codes": pa.large_list(pa.int32()),
        "missing": pa.large_list(pa.bool_()),
        "wrong": pa.large_list(pa.bool_()),
        "numbers": pa.large_list(pa.float64()),
    }
)
_BATCH_BYTES = 2**24
_OF_COLUMN = ("name", "declared", "reason", "marks", "spelled")
_PLAIN = [field.name for field in fields(Content) if field.name != "columns"]


def save_preview(preview: Preview, folder: Path) -> None:
    """Write `preview` into a folder."""
    facts = {
        "filename": preview.filename,
        "content": {name: getattr(preview.content, name) for name in _PLAIN},
        "missing_marks": preview.missing_marks,
        "columns": [asdict(guess) for guess in preview.columns],
        "rows": preview.rows,
        "target": preview.target,
        "head": {"columns": list(preview.head.columns), "data": preview.head.to_numpy().tolist()},
        "notices": preview.notices,
        "readings": [
            [
                *(getattr(reading.column, name) for name in _OF_COLUMN),
                reading.grouped,
                _is_plain(reading),
            ]
            for reading in preview.readings
        ],
    }
    with ThreadPoolExecutor(THREADS) as pool:  # to take new memory for the files lasts longer than to write them
        files = pool.map(lambda number, some: _write(some, _path(folder, number)), count(), _batches(preview.readings))
        facts["files"] = len([*files])
    (folder / _FACTS).write_text(json.dumps(facts), encoding="utf-8")


def _path(folder: Path, number: int) -> Path:
    return folder / f"columns-{number}.arrow"


def _write(readings: Sequence[Reading], path: Path) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, _SCHEMA) as writer:
        writer.write_batch(_pack(readings))


def load_preview(folder: Path) -> Preview:
    """Return what `save_preview` wrote. The folder may go afterwards, where the system lets mapped files go."""
    facts = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
    readings: list[Reading] = []
    for number in range(facts["files"]):
        batch = pa.ipc.open_file(pa.memory_map(str(_path(folder, number)))).get_batch(0)
        batch.validate(full=True)
        readings += _unpack(batch, facts["readings"][len(readings) : len(readings) + batch.num_rows], facts["rows"])
    content = {name: _frozen(value) for name, value in facts["content"].items()}
    guesses = (ColumnGuess(**{**guess, "examples": tuple(guess["examples"])}) for guess in facts["columns"])
    return Preview(
        filename=facts["filename"],
        content=Content(**content, columns=tuple(reading.column for reading in readings)),
        missing_marks=tuple(facts["missing_marks"]),
        columns=tuple(guesses),
        rows=facts["rows"],
        target=facts["target"],
        head=pd.DataFrame(**facts["head"], dtype=object),
        notices=tuple(facts["notices"]),
        readings=tuple(readings),
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _batches(readings: Sequence[Reading]) -> Iterator[list[Reading]]:
    """Yield columns, many narrow ones or a few long ones at a time."""
    some: list[Reading] = []
    size = 0
    for reading in readings:
        own = reading.column.codes.nbytes + 2 * reading.numbers.nbytes + reading.column.values.nbytes
        if some and size + own > _BATCH_BYTES:
            yield some
            some, size = [], 0
        some.append(reading)
        size += own
    yield some


def _is_plain(reading: Reading) -> bool:
    """Say whether the values are all that is to be known: numbers that were read out of text, one a row."""
    return bool(reading.column.spelled) and not reading.missing.any()


def _pack(readings: Sequence[Reading]) -> Any:
    none = {True: pa.array([], pa.float64()), False: pa.array([], pa.string())}
    full = [not _is_plain(reading) for reading in readings]
    values = [(reading.column.holds_numbers, reading.column.values) for reading in readings]
    parts = (
        [none[False] if doubles else some for doubles, some in values],
        [some if doubles else none[True] for doubles, some in values],
        *(
            [pa.array(_kept(array, keep)) for array, keep in zip(arrays, full, strict=True)]
            for arrays in (
                [reading.column.codes for reading in readings],
                [reading.missing for reading in readings],
                [reading.wrong for reading in readings],
                [reading.numbers for reading in readings],
            )
        ),
    )
    return pa.record_batch([_lists(arrays, field.type) for arrays, field in zip(parts, _SCHEMA, strict=True)], _SCHEMA)


def _kept(array: Any, keep: bool) -> Any:
    return array if keep else array[:0]


def _lists(arrays: Sequence[Any], kind: Any) -> Any:
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
    flat = arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)
    return pa.LargeListArray.from_arrays(pa.array(offsets), flat).cast(kind)


def _unpack(batch: Any, facts: Sequence[Sequence[Any]], n_rows: int) -> Iterator[Reading]:
    texts, doubles, codes, missing, wrong, numbers = batch.columns
    each, none = np.arange(n_rows, dtype=np.int32), np.zeros(n_rows, dtype=bool)
    for row, (name, declared, reason, marks, spelled, grouped, plain) in enumerate(facts):
        values = doubles[row].values if len(doubles[row].values) else texts[row].values
        rows = each if plain else codes[row].values.to_numpy()
        column = Column(name, values, rows, declared, reason, _frozen(marks), _frozen(spelled))
        if plain:
            yield Reading(column, none, none, values.to_numpy(), grouped)
            continue
        absent, alien = (mask[row].values.to_numpy(zero_copy_only=False) for mask in (missing, wrong))
        yield Reading(column, absent, alien, numbers[row].values.to_numpy(), grouped)
