"""The way of data sets to workers: through the scheduler, in pieces, and only to those that do not hold them yet."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from threading import Event, Lock
from typing import Any

from ensembles.data import Dataset
from ensembles.data.pieces import Heading, array_bytes
from runner.worker_process.tasks import ExperimentContext, Parcel, Pieces, lacking, load, take_pieces

__all__ = ["Delivery"]

_MESSAGE_BYTES = 16 * 2**20

Ask = Callable[..., dict[str, Any]]
"""Calls a function with arguments in the workers `addresses`; returns answers or errors by worker."""


class Delivery:
    """Gives workers what the trials of runs need, for all runs of this process.

    Two runs that need the same data set at the same time send it once: the second one waits for the first.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._guard = Lock()
        self._locks: dict[str, Lock] = {}

    def give(
        self,
        run: str,
        context: ExperimentContext,
        addresses: Collection[str],
        *,
        trial_bytes: float | None,
        given_up: Event,
    ) -> dict[str, Any]:
        """Make workers able to run trials of `run`; waits for them.

        Parameters
        ----------
        trial_bytes : float, optional
            How much memory a trial may take; the workers' own limit when not given.
        given_up : Event
            Set when nobody wants this any more.

        Returns
        -------
        dict of str to None or an error
            By worker; without those that died.
        """
        asked = _Asked(self._ask, run, set(addresses))
        for group in _together(context.by_hash):
            with self._alone(group):
                lacks = asked.of(asked.able, lacking, list(group))
                for pieces, hashes in _messages(group, set().union(*lacks.values())):
                    if not given_up.is_set():
                        asked.of({who for who in lacks if hashes & set(lacks[who])}, take_pieces, pieces)
        if not given_up.is_set():
            asked.of(asked.able, load, Parcel(context), trial_bytes)
        return {**dict.fromkeys(asked.able), **asked.problems}

    def _alone(self, hashes: Iterable[str]) -> ExitStack:
        """Return a block in which no other run sends one of these data sets."""
        stack = ExitStack()
        for sha256 in sorted(hashes):  # in one order for all, so that no two wait for each other
            with self._guard:
                lock = self._locks.setdefault(sha256, Lock())
            stack.enter_context(lock)
        return stack


class _Asked:
    """Workers that are asked one thing after another, and those that could not answer, which are not asked again."""

    def __init__(self, ask: Ask, run: str, addresses: set[str]) -> None:
        self._ask, self._run = ask, run
        self.able = addresses
        self.problems: dict[str, BaseException] = {}

    def of(self, addresses: Collection[str], function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Return what those say that are able."""
        asked = self.able & set(addresses)
        answers = self._ask(function, self._run, *arguments, addresses=asked) if asked else {}
        self.problems |= {who: answer for who, answer in answers.items() if isinstance(answer, BaseException)}
        self.able = self.able - (asked - answers.keys()) - self.problems.keys()
        return {who: answer for who, answer in answers.items() if who in self.able}


def _together(datasets: dict[str, Dataset]) -> Iterator[dict[str, Dataset]]:
    """Yield groups of data sets that go in one message, the small ones first; a large one is a group of its own."""
    group: dict[str, Dataset] = {}
    for sha256, dataset in sorted(datasets.items(), key=lambda item: array_bytes(item[1])):
        if group and sum(map(array_bytes, group.values())) + array_bytes(dataset) > _MESSAGE_BYTES:
            yield group
            group = {}
        group[sha256] = dataset
    if group:
        yield group


def _messages(group: dict[str, Dataset], wanted: Collection[str]) -> Iterator[tuple[Pieces, set[str]]]:
    """Yield the pieces of the data sets that are wanted, and whose they are: a large one in many messages."""
    headings = {sha256: Heading.of(group[sha256]) for sha256 in group if sha256 in wanted}
    if len(headings) == 1:
        for sha256, heading in headings.items():
            for position in range(heading.n_pieces):
                yield Pieces([(heading, position, heading.cut(group[sha256], position))]), {sha256}
    elif headings:
        pieces = [
            (heading, position, heading.cut(group[sha256], position))
            for sha256, heading in headings.items()
            for position in range(heading.n_pieces)
        ]
        yield Pieces(pieces), set(headings)
