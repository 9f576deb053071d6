"""Threads over the members of an ensemble: the results are those of one thread, to the last bit.

Members are divided into stages. Each block of examples passes through the stages in their order, each stage takes blocks in
theirs, and different stages work on different blocks at the same time: a pipeline. So what one member hands on to the next,
the weight of an example in boosting or a sum of votes, comes to it as it would in one thread. Kernels hold no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice, pairwise
from threading import Condition, Thread
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs

from ensembles.declarations import argument
from ensembles.errors import InvalidParameter
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.sharing import ALONE, sharing_of
from ensembles.wording import written

__all__ = [
    "N_JOBS",
    "StageMaker",
    "block_by_member",
    "bounds_of",
    "by_member",
    "by_ranges",
    "in_stages",
    "in_turn",
    "one_ahead",
    "threads_of",
    "votes_in_threads",
]

Block = TypeVar("Block")
Made = TypeVar("Made")

#: From members, the number of the first of them, and of the one after the last, to what shows them a block.
StageMaker = Callable[[Any, int, int], Callable[[Any], None]]

N_JOBS = argument(
    default=None,
    what="int or None",
    help="How many threads train members and ask them: one if None, -1 for as many as there are processors, -2 for one "
    "less. Results are the same. Lossless trees, and members that ask Python, take one.",
    kw_only=True,
    lasting=False,
)

_MANY = 2048  # examples that a thread asks members about at a time
_STAGES = 2  # for each thread: members differ in how long they take


def threads_of(learner: Any) -> int:
    """Return how many threads a learner may use.

    Raises
    ------
    InvalidParameter
        Its `n_jobs` is neither None nor an integer other than 0.
    """
    given = getattr(learner, "n_jobs", None)
    if given is None:
        return 1
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or given == 0:
        raise InvalidParameter(f"{learner.key}: n_jobs must be None or an integer other than 0, got {written(given)}")
    return int(effective_n_jobs(given))


def bounds_of(n_members: int, n_threads: int, least: int = 2) -> list[tuple[int, int]]:
    """Return the first member of each stage, and the one after its last; no stage has fewer than `least`, if there are."""
    n_stages = 1 if n_threads == 1 else max(1, min(_STAGES * n_threads, n_members // least))
    edges = [n_members * stage // n_stages for stage in range(n_stages + 1)]
    return list(pairwise(edges))


def in_stages(blocks: Iterable[Block], stages: Sequence[Callable[[Block], None]], n_threads: int) -> None:
    """Hand each block to every stage in order, and to a stage one block after another; this thread makes the blocks."""
    if n_threads == 1:
        for block in blocks:
            for stage in stages:
                stage(block)
    else:
        _Pipeline(iter(blocks), stages, n_threads).run()


def block_by_member(members: Any, n_examples: int) -> int:
    """Return how many of `n_examples` pass through one member before the next: 0 if all members are shown each together."""
    size: int = members.member_block(n_examples) if hasattr(members, "member_block") else 0
    return size


def by_member(stage: StageMaker, whole: bool) -> StageMaker:
    """Return what makes, of all members, one stage in which a block passes through some of them, one after another.

    So what a member remembers stays near the processor for a block of examples: 1.6 times as fast with ten Hoeffding trees
    once they are full, 1.7 with 100 lossless trees on Nursery, 1.7 to 2.6 with 100 Mondrian trees. `whole`: stages get all
    members.
    """

    def make(members: Any, first: int, stop: int) -> Callable[[Any], None]:
        steps = [stage(members if whole else members.one_member(m), m, m + 1) for m in range(first, stop)]

        def hand(block: Any) -> None:
            for step in steps:
                step(block)

        return hand

    return make


class _Pipeline:
    def __init__(self, blocks: Iterator[Any], stages: Sequence[Callable[[Any], None]], n_threads: int) -> None:
        self.blocks, self.stages, self.n_threads = blocks, stages, n_threads
        self.most = len(stages) + n_threads  # blocks on their way
        self.way: dict[int, Any] = {}
        self.made, self.ended = 0, False
        self.passed, self.busy = [0] * len(stages), [False] * len(stages)
        self.change = Condition()
        self.error: BaseException | None = None

    def run(self) -> None:
        """Work until all blocks have passed; raise what a stage, or whoever makes the blocks, raised."""
        helpers = [Thread(target=self._work, daemon=True) for _ in range(self.n_threads - 1)]
        for helper in helpers:
            helper.start()
        try:
            self._work(makes_blocks=True)
        except BaseException as error:
            self._fail(error)
        for helper in helpers:
            helper.join()
        if self.error is not None:
            raise self.error

    def _work(self, *, makes_blocks: bool = False) -> None:
        while (stage := self._next(makes_blocks)) is not None:
            try:
                if stage < 0:
                    self._make()
                else:
                    self._pass(stage)
            except BaseException as error:
                self._fail(error)

    def _next(self, makes_blocks: bool) -> int | None:
        """Return a stage that can go on, the last first, or -1 to make a block; wait for one; None if there is no more."""
        with self.change:
            while True:
                if self.error is not None or (self.ended and self.passed[-1] == self.made):
                    return None
                if makes_blocks and not self.ended and self.made - self.passed[-1] < self.most:
                    return -1
                for stage in reversed(range(len(self.stages))):
                    ready = self.passed[stage - 1] if stage else self.made
                    if not self.busy[stage] and self.passed[stage] < ready:
                        self.busy[stage] = True
                        return stage
                self.change.wait()

    def _make(self) -> None:
        block = next(self.blocks, None)
        with self.change:
            if block is None:
                self.ended = True
            else:
                self.way[self.made] = block
                self.made += 1
            self.change.notify_all()

    def _pass(self, stage: int) -> None:
        number = self.passed[stage]
        self.stages[stage](self.way[number])
        with self.change:
            self.busy[stage] = False
            self.passed[stage] = number + 1
            if stage == len(self.stages) - 1:
                del self.way[number]
            self.change.notify_all()

    def _fail(self, error: BaseException) -> None:
        with self.change:
            self.error = self.error or error
            self.change.notify_all()


def by_ranges(work: Callable[..., object], n_members: int, n_threads: int, *given: Any) -> Iterator[int]:
    """Call `work` for ranges of members, with the first, the one after the last and `given`; yield how many are done."""
    bounds = bounds_of(n_members, n_threads, least=1)

    def work_on(number: int) -> int:
        work(*bounds[number], *given)
        return bounds[number][1]

    return in_turn(work_on, range(len(bounds)), n_threads)


def in_turn(make: Callable[[int], Made], numbers: Iterable[int], n_threads: int) -> Iterator[Made]:
    """Yield what `make` makes of each number, in their order; some are made while others are waited for."""
    if n_threads == 1:
        yield from map(make, numbers)
        return
    waiting = iter(numbers)
    with ThreadPoolExecutor(n_threads) as threads:
        try:
            ahead: list[Future[Made]] = [threads.submit(make, number) for number in islice(waiting, 2 * n_threads)]
            while ahead:
                made = ahead.pop(0).result()
                ahead += [threads.submit(make, number) for number in islice(waiting, 1)]
                yield made
        finally:
            threads.shutdown(wait=True, cancel_futures=True)


def one_ahead(made: Iterator[Made], n_threads: int) -> Iterator[Made]:
    """Yield what an iterator makes; with several threads, the next is made while the one before is used."""
    if n_threads == 1:
        yield from made
        return
    with ThreadPoolExecutor(1) as thread:
        following = thread.submit(next, made, None)
        while (one := following.result()) is not None:
            following = thread.submit(next, made, None)
            yield one


def votes_in_threads(
    base_model: BaseModel,
    members: Any,
    weights: npt.NDArray[np.float64],
    rows: Any,
    n_threads: int,
    **settings: Any,
) -> npt.NDArray[np.float64]:
    """Return the votes of members, as `BaseModel.votes_of`; threads ask them about different examples."""
    n, sharing = len(rows.codes), sharing_of(members)
    if n_threads == 1 or n <= _MANY or sharing is ALONE:
        return base_model.votes_of(members, weights, rows, **settings)
    base_model.settle(members)

    def ask(start: int) -> npt.NDArray[np.float64]:
        some = Rows(*(array[start : start + _MANY] for array in rows))
        return base_model.votes_of(sharing.room_apart(members), weights, some, **settings)

    return np.concatenate([*in_turn(ask, range(0, n, _MANY), n_threads)])
