"""Data sets that a worker process keeps, by what is in them: each comes once, however many experiments use it."""

import time
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field

from ensembles.data import Dataset
from ensembles.data.pieces import Assembly, Heading
from ensembles.errors import EnsembleLabError, InvalidData

__all__ = ["KeptData", "NoRoom", "NotWhole"]

_MIB = 2**20

_FORGOTTEN_SECONDS = 1800.0
"""A run of which nothing was heard for so long may have lost its runner: what it alone uses counts as unused.

One that was only slow is told that its data are gone, and gives them again.
"""


class NoRoom(EnsembleLabError):
    """A process has no memory left for a data set."""


class NotWhole(EnsembleLabError):
    """A data set has not come, not whole, or not as it was sent: it has to be sent again."""


@dataclass
class _Kept:
    content: Assembly | Dataset
    n_bytes: int
    used: float
    users: set[str] = field(default_factory=set)


class KeptData:
    """Keeps data sets, and drops what was not used for longest where memory is needed.

    What a run uses is never dropped.

    Parameters
    ----------
    most_kept, most_used : float
        Bytes of arrays: past `most_kept` unused data sets are dropped; more than `most_used` are never held.

    Attributes
    ----------
    n_bytes_ever : int
        Bytes of arrays of all data sets that ever came, or began to.
    """

    def __init__(
        self,
        most_kept: float = float("inf"),
        most_used: float = float("inf"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most_kept, self.most_used, self._clock = most_kept, most_used, clock
        self._kept: dict[str, _Kept] = {}
        self._heard: dict[str, float] = {}
        self.n_bytes_ever = 0

    @property
    def n_bytes(self) -> int:
        """How many bytes the arrays of all data sets take that are here, or coming."""
        return sum(kept.n_bytes for kept in self._kept.values())

    def knows(self, run: str) -> bool:
        """Return whether a run is not over, and not forgotten."""
        return run in self._heard

    def lacking(self, run: str, hashes: Iterable[str]) -> list[str]:
        """Return which data sets are not here; those that are, `run` uses from now on."""
        self.hear(run)
        lacking = []
        for sha256 in hashes:
            kept = self._kept.get(sha256)
            if kept is None or isinstance(kept.content, Assembly):
                lacking.append(sha256)
            else:
                self._use(run, kept)
        return lacking

    def hear(self, run: str) -> None:
        """Note that somebody is there who wants the trials of `run`."""
        self._heard[run] = self._clock()

    def add(self, run: str, heading: Heading, position: int, piece: bytes) -> None:
        """Take a piece of a data set that `run` uses; it is passed over when it is here already.

        Raises
        ------
        NoRoom
            The data set would take more memory than may be used.
        NotWhole
            The piece is damaged.
        """
        self.hear(run)
        kept = self._kept.get(heading.sha256)
        if kept is None:
            kept = self._begin(heading)
        self._use(run, kept)
        if not isinstance(kept.content, Assembly) or not kept.content.lacks(position):
            return
        try:
            kept.content.add(position, piece)
            if kept.content.is_whole:
                kept.content = kept.content.finish()
        except (InvalidData, MemoryError) as error:
            del self._kept[heading.sha256]  # all of it comes again
            if isinstance(error, MemoryError) or isinstance(error.__cause__, MemoryError):
                raise _no_memory(heading.name) from error
            raise NotWhole(str(error)) from error

    def get(self, sha256: str, name: str) -> Dataset:
        """Return a data set under the name `name`; raise `NotWhole` when it is not here, or not whole."""
        kept = self._kept.get(sha256)
        if kept is None:
            raise NotWhole(f"data set {name!r}: has not come to this worker")
        if isinstance(kept.content, Assembly):
            try:
                kept.content.finish()
            except InvalidData as error:
                raise NotWhole(str(error)) from error
        found = kept.content
        assert isinstance(found, Dataset)
        if found.name != name:  # an experiment keeps the name it was launched with
            found = copy(found)
            found.name = name
        return found

    def release(self, run: str) -> None:
        """Note that a run is over."""
        self._heard.pop(run, None)
        for kept in self._kept.values():
            if run in kept.users:
                kept.users.discard(run)
                kept.used = self._clock()
        self._drop_unused(self.most_kept)

    def _use(self, run: str, kept: _Kept) -> None:
        kept.users.add(run)
        kept.used = self._clock()

    def _begin(self, heading: Heading) -> _Kept:
        self._drop_unused(min(self.most_kept, self.most_used) - heading.n_bytes)
        if self.n_bytes + heading.n_bytes > self.most_used:
            raise NoRoom(
                f"data set {heading.name!r}: takes {heading.n_bytes / _MIB:,.0f} MiB, where a worker may hold "
                f"{self.most_used / _MIB:,.0f} MiB and other data sets in use take {self.n_bytes / _MIB:,.0f}"
            )
        try:
            assembly = Assembly(heading)
        except MemoryError as error:
            raise _no_memory(heading.name) from error
        self.n_bytes_ever += heading.n_bytes
        kept = self._kept[heading.sha256] = _Kept(assembly, heading.n_bytes, self._clock())
        return kept

    def _drop_unused(self, most: float) -> None:
        """Drop data sets that no run uses, the least recently used first, until those here take at most `most`."""
        forgotten = self._clock() - _FORGOTTEN_SECONDS
        self._heard = {run: heard for run, heard in self._heard.items() if heard > forgotten}
        for kept in self._kept.values():
            kept.users &= self._heard.keys()
        unused = [sha256 for sha256, kept in self._kept.items() if not kept.users]
        for sha256 in sorted(unused, key=lambda sha256: self._kept[sha256].used):
            if self.n_bytes <= most:
                return
            del self._kept[sha256]


def _no_memory(name: str) -> NoRoom:
    return NoRoom(f"data set {name!r}: no memory is left for it")
