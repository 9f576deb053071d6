"""What the repositories have in common."""

import time
from collections.abc import Callable

from sqlalchemy import select
from sqlalchemy.orm import Session

from ensembles.data.names import clean_text
from ensembles.errors import InvalidInput, NotFound
from storage.access import PROGRAM, Actor
from storage.database import Database
from storage.models import DatasetRow
from storage.silence import SilenceWatch

__all__ = ["Repository", "checked_name", "get_dataset_row"]

_LONGEST_NAME = 200


class Repository:
    """A part of the storage that works on one database, for one who asks."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic, actor: Actor = PROGRAM) -> None:
        self._database = database
        self._watch = SilenceWatch(clock)
        self._clock, self._actor = clock, actor


def checked_name(what: str, name: str) -> str:
    """Return `name` on one line and safe to show; raise `InvalidInput` when nothing or too much is left."""
    trimmed = " ".join(clean_text(name).split())
    if not 1 <= len(trimmed) <= _LONGEST_NAME:
        raise InvalidInput(f"{what}: the name must have 1 to {_LONGEST_NAME} characters, got {len(trimmed)}")
    return trimmed


def get_dataset_row(session: Session, sha256: str) -> DatasetRow:
    """Return the row of a stored data set; raise `NotFound`."""
    row = session.scalars(select(DatasetRow).where(DatasetRow.sha256 == sha256)).one_or_none()
    if row is None:
        raise NotFound(f"there is no stored data set with SHA-256 {sha256!r}; it may have been deleted")
    return row
