"""How much each user may have: by default what `ENSEMBLE_LAB_LIMITS` says, for single users what an admin says."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ensembles.errors import Forbidden, InvalidInput
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.trials import check_number, count_trials
from storage.access import Actor
from storage.models import DatasetRow, ExperimentRow
from storage.people.rows import DatasetHolderRow, UserRow
from storage.records import FINAL_STATES

__all__ = [
    "Limits",
    "checked_limits",
    "default_limits",
    "limits_of",
    "require_room",
    "require_trials",
    "require_turn",
    "require_within",
    "take_turn",
]

_SETTING = "ENSEMBLE_LAB_LIMITS"


@dataclass(frozen=True)
class Limits:
    """How much a user may have; None: as much as they like.

    Attributes
    ----------
    upload_bytes, rows : int or None
        Size and examples of a file that is uploaded.
    stored_bytes : int or None
        All their data sets together, as they are stored; those in the bin do not count.
    experiments : int or None
        Those that wait or run at once.
    trials : int or None
        Of an experiment.
    """

    upload_bytes: int | None = None
    rows: int | None = None
    stored_bytes: int | None = None
    experiments: int | None = None
    trials: int | None = None


_NAMES = tuple(field.name for field in fields(Limits))


def limits_of(session: Session, actor: Actor) -> Limits:
    """Return the limits of who asks: of a user the defaults, changed by what an admin said of them; else none."""
    if actor.user_id is None:
        return Limits()
    own = json.loads(session.scalar(select(UserRow.limits).where(UserRow.id == actor.user_id)) or "{}")
    return Limits(**{**asdict(default_limits()), **own})


def checked_limits(what: str, limits: Mapping[str, Any]) -> dict[str, int | None]:
    """Return limits by name; raise `InvalidInput` for another name, or what is no number of 0 or more."""
    for name, value in limits.items():
        if name not in _NAMES:
            raise InvalidInput(f"{what}: a limit must be one of {', '.join(_NAMES)}, got {name!r}")
        is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
        if value is not None and not is_number:
            raise InvalidInput(f"{what}: {name} must be a whole number of 0 or more, got {value!r}")
    return dict(limits)


def require_within(limits: Limits, name: str, what: str, got: int) -> None:
    """Raise `InvalidInput` when there is more than a limit allows of `what`, as "bytes in a file"."""
    allowed = getattr(limits, name)
    if allowed is not None and got > allowed:
        raise InvalidInput(f"you may have at most {allowed:,} {what} (limit {name}), got {got:,}")


def take_turn(session: Session, actor: Actor) -> None:
    """Do what `require_room` begins with, to be called before a data set is held against others, as launches do.

    Else of two things that a user does at once one holds the user and the other the data set, and both wait for ever.
    """
    if limits_of(session, actor).stored_bytes is not None:
        _take_turns(session, actor)


def require_room(session: Session, actor: Actor, n_bytes: int, whose: str = "yours") -> None:
    """Raise `Forbidden`, which says `whose` limit it is, when so many bytes more are more than the actor may store."""
    allowed = limits_of(session, actor).stored_bytes
    if allowed is None:
        return
    _take_turns(session, actor)
    size, kept = func.coalesce(func.sum(DatasetRow.packed_bytes), 0), DatasetRow.deleted.is_(None)
    own = session.scalar(select(size).where(DatasetRow.user_id == actor.user_id, kept)) or 0
    holding = (DatasetHolderRow.user_id == actor.user_id, DatasetHolderRow.deleted.is_(None))
    held = select(size).join(DatasetHolderRow).where(*holding)
    wanted = int(own) + int(session.scalar(held) or 0) + n_bytes
    if wanted > allowed:
        raise Forbidden(
            f"data sets: all of {whose} together may take {allowed:,} bytes (stored_bytes), with this {wanted:,}"
        )


def require_turn(session: Session, actor: Actor) -> None:
    """Raise `Forbidden` when the actor has as many experiments that are not over as they may have at once."""
    allowed = limits_of(session, actor).experiments
    if allowed is None:
        return
    _take_turns(session, actor)
    active = (ExperimentRow.state.not_in(FINAL_STATES), ExperimentRow.deleted.is_(None))
    query = select(func.count()).where(ExperimentRow.user_id == actor.user_id, *active)
    if (got := session.scalar(query) or 0) >= allowed:
        raise Forbidden(
            f"experiments: you may have {allowed:,} that wait or run at once (experiments), there are {got:,} already"
        )


def require_trials(session: Session, actor: Actor, config: ExperimentConfig, n_trials: int | None) -> None:
    """Raise `InvalidInput` when an experiment has more trials than any, or than the actor, may have in one."""
    check_number(config)
    limits = limits_of(session, actor)
    if limits.trials is not None:
        require_within(limits, "trials", "trials in an experiment", max(count_trials(config), n_trials or 0))


def _take_turns(session: Session, actor: Actor) -> None:
    """Let what a user does at once come one after another: else each of two would find room for itself alone.

    Rows that only name the user, as the log does, are written meanwhile.
    """
    session.execute(select(UserRow.id).where(UserRow.id == actor.user_id).with_for_update(key_share=True))


def default_limits() -> Limits:
    """Return the limits that `ENSEMBLE_LAB_LIMITS` sets; raise `InvalidInput` where it cannot be read."""
    text = os.environ.get(_SETTING, "").strip()
    try:
        found = json.loads(text) if text.startswith("{") else dict(map(_pair, filter(str.strip, text.split(","))))
    except ValueError:
        raise InvalidInput(f"{_SETTING}: must be JSON or name=number,name=number, got {text!r}") from None
    return Limits(**checked_limits(_SETTING, found))


def _pair(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    return name.strip(), int(value)
