"""Generated streams of any length, drawn while they are read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ensembles.data.source import Batch, check_start
from ensembles.data.table import Schema

if TYPE_CHECKING:
    from ensembles.data.generators.generator import Generator
from ensembles.data.generators.stream import Made, Stream

__all__ = ["GeneratedSource"]

_BLOCK = 8192  # rows at a time: where rows are not drawn one by one, what they are depends on it
_VERSION = 1  # of what is drawn: part of the hash


@dataclass(frozen=True)
class GeneratedSource:
    """A `Source` whose examples are generated block by block; it travels as its key and settings.

    Where the class follows from the attributes (SEA, STAGGER, hyperplane, random tree) and in the streams of MOA the first
    rows are those of the data set in memory with as many rows, as far as drifts are told in rows. LED-24, waveform and the
    synthetic data sets draw each block by itself, and differ from it.

    Parameters
    ----------
    key : str
        Of the generator.
    settings : dict
        All of them, checked.
    """

    key: str
    settings: dict[str, Any]

    target = "class"

    def __getstate__(self) -> dict[str, Any]:
        return {"key": self.key, "settings": self.settings}

    @property
    def _generator(self) -> Generator:
        from ensembles.data.generators import GENERATORS  # which need this module

        return GENERATORS[self.key]

    @cached_property
    def _stream(self) -> tuple[Stream, dict[str, Any]]:
        return self._generator.stream_of(self.settings)

    @cached_property
    def _first(self) -> Made:
        return self._made(0, {})

    @property
    def name(self) -> str:
        """What people read."""
        return self._first.name

    @property
    def schema(self) -> Schema:
        """The attributes."""
        return self._first.table.schema

    @property
    def classes(self) -> tuple[str, ...]:
        """All that there are."""
        return self._first.classes

    @property
    def origin(self) -> str:
        """The settings, in words."""
        return self._stream[0].source

    @property
    def n_examples(self) -> int:
        """How many there are."""
        return self._stream[0].rows

    @cached_property
    def sha256(self) -> str:
        """Hash of the key and the settings."""
        content = json.dumps([_VERSION, self.key, self.settings], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def batches(self, start: int = 0) -> Iterator[Batch]:
        """Give the examples from position `start` on, as `Source.batches`.

        Where rows depend on those before, these are drawn too, and dropped.
        """
        check_start(start)
        return self._batches(start)

    def _batches(self, start: int) -> Iterator[Batch]:
        carried: dict[str, Any] = {}
        begin = 0 if self._carries else start
        for at in range(begin - begin % _BLOCK, self.n_examples, _BLOCK):
            made = self._made(at, carried)
            if at + len(made.labels) > start:
                later = slice(max(start - at, 0), None)
                yield made.table.take(later), made.labels[later]

    @property
    def _carries(self) -> bool:
        """Whether rows depend on those before, as they do where examples are drawn until their class is the wanted one."""
        return self._generator.carries or (self._generator.by_rule and self.settings["class_ratio"] > 0)

    def _made(self, at: int, carried: dict[str, Any]) -> Made:
        stream, own = self._stream
        size = min(_BLOCK, stream.rows - at)
        return self._generator.make(replace(stream, start=at, size=size, carried=carried), **own)
