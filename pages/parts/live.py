"""What changes while people look at it: asked once a second for all sessions."""

import math
import time
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar, cast

from pages.parts.store import store
from storage import ExperimentRecord, Folded, Wanted, Word

__all__ = ["Shared", "ask_anew", "count_now", "experiment_now", "experiments_now", "folded_now", "shared", "words_now"]

_T = TypeVar("_T")
_MOST_QUESTIONS = 256  # searches are among them


class Shared:
    """Answers that are kept for a moment, so that many who ask the same at about the same time cost as much as one.

    Parameters
    ----------
    seconds : float
        How old an answer may be.
    clock : callable
        Gives seconds that only grow.
    """

    def __init__(self, seconds: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._asking: dict[Hashable, Lock] = {}  # held while one asks: the others wait for the same answer
        self._answers: dict[Hashable, tuple[float, Any]] = {}

    def get(self, key: Hashable, ask: Callable[[], _T]) -> _T:
        """Return the answer to the question called `key`; an error is nobody else's answer."""
        if len(self._asking) >= _MOST_QUESTIONS:
            self.clear()
        with self._asking.setdefault(key, Lock()):
            now = self._clock()
            asked, answer = self._answers.get(key, (-math.inf, None))
            if now - asked >= self.seconds:
                answer = ask()
                self._answers[key] = now, answer
            return cast(_T, answer)

    def clear(self) -> None:
        """Forget every answer."""
        self._asking, self._answers = {}, {}


shared = Shared()


def ask_anew() -> None:
    """Let the next look see what was just done here."""
    shared.clear()


def experiments_now(wanted: Wanted, limit: int, offset: int = 0) -> list[ExperimentRecord]:
    """Return what `Storage.find_experiments` does, at most a second old."""
    return shared.get(("list", wanted, limit, offset), lambda: store().find_experiments(wanted, limit, offset))


def count_now(wanted: Wanted) -> int:
    """Return what `Storage.count_found` does, at most a second old."""
    return shared.get(("count", wanted), lambda: store().count_found(wanted))


def folded_now(wanted: Wanted) -> list[Folded]:
    """Return what `Storage.find_folded` does, at most a second old."""
    return shared.get(("folded", wanted), lambda: store().find_folded(wanted))


def words_now() -> dict[str, list[Word]]:
    """Return what `Storage.list_words` does, at most a second old."""
    return shared.get("words", lambda: store().list_words())


def experiment_now(experiment_id: str) -> ExperimentRecord:
    """Return an experiment as it stands, at most a second old; raise `NotFound`."""
    return shared.get(("experiment", experiment_id), lambda: store().get_experiment(experiment_id))
