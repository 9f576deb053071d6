"""What the repositories have in common."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from ensembles.data.names import clean_text
from ensembles.errors import InvalidInput
from storage.access import PROGRAM, Actor, Rule, require
from storage.database import Database
from storage.running.silence import SilenceWatch

__all__ = ["RULES", "Repository", "allowed", "checked_name", "checked_text"]

_LONGEST_NAME = 200

RULES: dict[str, Rule] = {}
"""What each public method of the storage asks of who calls it; one that is not here is a mistake."""

_Self = TypeVar("_Self", bound="Repository")
_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Method = Callable[Concatenate[_Self, _Given], _Answer]


class Repository:
    """A part of the storage that works on one database, for one who asks."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float] = time.monotonic,
        actor: Actor = PROGRAM,
        watch: SilenceWatch | None = None,  # of whoever else looks at the same database: silence takes time to hear
    ) -> None:
        self._database = database
        self._watch = SilenceWatch(clock) if watch is None else watch
        self._model_watch = SilenceWatch(clock)  # only the program looks at models that are trained
        self._clock, self._actor = clock, actor


def allowed(rule: Rule) -> Callable[[_Method[_Self, _Given, _Answer]], _Method[_Self, _Given, _Answer]]:
    """Declare who may call a method at all; whom it does anything for, its body asks of `storage.people.reach`."""

    def declare(method: _Method[_Self, _Given, _Answer]) -> _Method[_Self, _Given, _Answer]:
        RULES[method.__name__] = rule

        @wraps(method)
        def checked(self: _Self, /, *given: _Given.args, **named: _Given.kwargs) -> _Answer:
            require(self._actor, rule)
            return method(self, *given, **named)

        return checked

    return declare


def checked_name(what: str, name: str) -> str:
    """Return `name` on one line and safe to show; raise `InvalidInput` when nothing or too much is left."""
    trimmed = " ".join(clean_text(name).split())
    if not 1 <= len(trimmed) <= _LONGEST_NAME:
        raise InvalidInput(f"{what}: the name must have 1 to {_LONGEST_NAME} characters, got {len(trimmed)}")
    return trimmed


def checked_text(what: str, text: str, longest: int, shortest: int = 0) -> str:
    """Return `text` safe to show, with its lines; raise `InvalidInput` when too little or too much is left."""
    cleaned = "\n".join(clean_text(line) for line in text.splitlines()).strip()
    if not shortest <= len(cleaned) <= longest:
        allowed_lengths = f"{shortest} to {longest:,}" if shortest else f"at most {longest:,}"
        raise InvalidInput(f"{what}: must have {allowed_lengths} characters, got {len(cleaned):,}")
    return cleaned
