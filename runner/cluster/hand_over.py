"""Workers are given what the trials of a run need; where that fails it is tried again, and not for ever."""

import time
from collections.abc import Collection
from concurrent.futures import Future as Answers
from threading import Event
from typing import Any

from ensembles.errors import EnsembleLabError, InvalidInput, NotFound
from runner.cluster.cluster import Cluster
from runner.worker_process.kept_data import NotWhole
from runner.worker_process.tasks import ExperimentContext

__all__ = ["ATTEMPTS_ALLOWED", "HandOver"]

ATTEMPTS_ALLOWED = 3
"""After so many attempts in a row that failed at some worker no more are made.

All but the last end processes, in which another run may have trials: less often than one of these is given up for.
"""

_PAUSE_SECONDS = 2.0  # for memory to become free, and for who has died to be missed

_NO_ANSWER = "the worker process died or did not answer (out of memory, or a crash in native code)"


class HandOver:
    """Knows which workers hold what the trials of a run need, and gives it to the others.

    A worker that cannot take it gets a new process where somebody starts one, and whoever is there then is asked again.
    Those that still cannot are left out as long as others hold it.
    """

    def __init__(self, cluster: Cluster, run: str, context: ExperimentContext) -> None:
        self._cluster, self._run, self._context = cluster, run, context
        self._holders: set[str] = set()
        self._asked: set[str] = set()
        self._answers: Answers[dict[str, Any]] = Answers()
        self._failures = 0
        self._paused_until = -1.0
        self._given_up = Event()

    @property
    def reached(self) -> set[str]:
        """Workers that hold the data, or may by now."""
        return self._holders | self._asked

    def give_up(self) -> None:
        """Give nothing more to anybody: the run is over."""
        self._given_up.set()

    def discard(self, address: str) -> None:
        """Note that a worker holds nothing any more."""
        self._holders.discard(address)

    def holders(self, present: Collection[str]) -> set[str]:
        """Return those present that can run trials, and see that there will be more; without waiting, as one may hang.

        Raises
        ------
        InvalidInput
            The data cannot be used, or nobody present holds them after several attempts.
        """
        if not self._asked and (needy := self._needy(present)):
            self._asked = needy
            self._answers = self._cluster.give(self._run, self._context, needy, self._given_up)
        if self._asked and self._answers.done():
            self._receive(present)
        return self._holders & set(present)

    def _needy(self, present: Collection[str]) -> set[str]:
        if time.monotonic() < self._paused_until:
            return set()
        if self._failures >= ATTEMPTS_ALLOWED and self._holders.isdisjoint(present):
            self._failures = 0  # those who held it have died since
        return set(present) - self._holders if self._failures < ATTEMPTS_ALLOWED else set()

    def _receive(self, present: Collection[str]) -> None:
        answers = self._cluster.answers(self._answers)
        problems = {name: answer for name, answer in answers.items() if isinstance(answer, BaseException)}
        self._holders |= answers.keys() - problems.keys()
        silent, self._asked = self._asked - answers.keys(), set()
        if not problems and not silent:
            self._failures = 0
            return
        self._failures += 1
        self._paused_until = time.monotonic() + _PAUSE_SECONDS
        for address, problem in problems.items():
            if isinstance(problem, InvalidInput | NotFound):  # it will be the same elsewhere
                raise self._refusal(address, f"got: {problem}")
        if self._failures < ATTEMPTS_ALLOWED:
            # what came damaged is sent again; no process is to blame for it
            self._cluster.renew(who for who, problem in problems.items() if not isinstance(problem, NotWhole))
        elif self._holders.isdisjoint(present):
            address = next(iter([*problems, *silent]))
            raise self._refusal(
                address, f"got at the last of {ATTEMPTS_ALLOWED} attempts: {self._why(problems.get(address))}"
            )

    def _why(self, problem: BaseException | None) -> str:
        if isinstance(problem, EnsembleLabError):
            return str(problem)
        said = _NO_ANSWER if problem is None else str(problem).partition("\n")[0] or type(problem).__name__
        return f"{self._context.largest}: {said}"

    def _refusal(self, address: str, got: str) -> InvalidInput:
        return InvalidInput(f"the Dask worker at {address} must be able to take the data of the experiment, {got}")
