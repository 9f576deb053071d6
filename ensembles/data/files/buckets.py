"""What lies in buckets, asked in threads of their own: a store may take long to answer, or never do."""

from __future__ import annotations

import time
from concurrent.futures import Future
from threading import Lock, Thread
from typing import NamedTuple

from ensembles.data.files.opened import OpenedFile
from ensembles.data.names import clean_name
from ensembles.errors import InvalidData

__all__ = ["Sizes", "ask", "wait_for"]

Sizes = dict[str, int]
"""Bytes of files by their addresses."""

_FRESH_SECONDS = 60.0


class _Question(NamedTuple):
    begun: float
    answer: Future[Sizes]

    @property
    def is_stale(self) -> bool:
        return self.answer.done() and time.monotonic() - self.begun > _FRESH_SECONDS


_asked: dict[str, _Question] = {}  # whose answers have not come, or nobody has heard
_lock = Lock()


def ask(place: str) -> Future[Sizes]:
    """Return the answer to come of which files lie at an address; a store that is being asked is not asked again."""
    with _lock:
        question = _asked.get(place)
        if question is None or question.is_stale:
            question = _asked[place] = _Question(time.monotonic(), Future())
            Thread(target=_answer, args=(place, question.answer), daemon=True).start()
        return question.answer


def wait_for(place: str, seconds: float) -> Sizes:
    """Return what lies at an address, as soon as that is known.

    Raises
    ------
    TimeoutError
        The store has not answered yet. Who asks later hears what it answers meanwhile.
    InvalidData
        It cannot be read.
    """
    answer = ask(place)
    answer.exception(seconds)
    with _lock:
        if place in _asked and _asked[place].answer is answer:
            del _asked[place]
    return answer.result()


def _answer(place: str, answer: Future[Sizes]) -> None:
    try:
        answer.set_result(_look(place))
    except Exception as error:  # told to who waits
        answer.set_exception(error)


def _look(place: str) -> Sizes:
    bucket, scheme = OpenedFile(place), place.split("://")[0]
    try:
        with bucket.reading():
            system, root = bucket.system()
            known = system.find(root, detail=True)
    except InvalidData as error:
        said = clean_name(str(error.__cause__))
        raise InvalidData(f"{clean_name(place)}: what lies there cannot be listed ({said})") from error
    return {f"{scheme}://{name.lstrip('/')}": int(facts.get("size") or 0) for name, facts in known.items()}
