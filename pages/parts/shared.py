"""Answers that many ask for at about the same time, kept for a moment."""

import math
import time
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar, cast

__all__ = ["Shared"]

_T = TypeVar("_T")
_MOST_QUESTIONS = 1024  # searches are among them, and everybody asks for themselves


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
