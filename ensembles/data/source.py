"""Examples that come batch by batch, in order: more of them than memory holds, or without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.errors import InvalidParameter

__all__ = ["Batch", "Source", "check_start"]

Batch = tuple[Table, npt.NDArray[np.int64]]
"""Examples and their classes, as indices into `Source.classes`."""


class Source(Protocol):
    """Where a stream comes from. It is small and can be sent to another process, where it is opened again.

    Attributes
    ----------
    name : str
        What people read. Data of the user: never trusted as markup.
    schema : Schema
    classes : tuple of str
        All that there are: a class that comes later than others is known from the start.
    target : str
        Name of the class column.
    origin : str
        Where the examples come from, in words.
    n_examples : int or None
        None: without end.
    sha256 : str
        What tells this source from any other: equal ones give equal examples.
    """

    @property
    def name(self) -> str: ...
    @property
    def schema(self) -> Schema: ...
    @property
    def classes(self) -> tuple[str, ...]: ...
    @property
    def target(self) -> str: ...
    @property
    def origin(self) -> str: ...
    @property
    def n_examples(self) -> int | None: ...
    @property
    def sha256(self) -> str: ...

    def batches(self, start: int = 0) -> Iterator[Batch]:
        """Give the examples from position `start` on, in order, in batches of some thousands.

        The examples do not depend on where one starts or how they are cut into batches. Memory does not grow with them.

        Raises
        ------
        InvalidParameter
            There is no such position.
        InvalidData
            What is read is not what it was when the source was described, or cannot be read.
        """
        ...


def check_start(start: object) -> None:
    """Raise `InvalidParameter` unless `start` can be a position of an example."""
    if not isinstance(start, int | np.integer) or start < 0:
        raise InvalidParameter(f"batches: start must be an integer >= 0, got {start!r}")
