"""Ids of experiments, and launches that are sent again when their answer was lost."""

import hashlib
import secrets
import string

from sqlalchemy import select
from sqlalchemy.orm import Session

from ensembles.errors import Conflict, InvalidInput
from ensembles.experiments.config import ExperimentConfig
from storage.access import Actor
from storage.experiments.rows import config_from_text, is_readable
from storage.models import ExperimentRow

__all__ = ["launched_before", "new_id"]

_ALPHABET = string.ascii_letters + string.digits
_LENGTH = 12
_LEAST_KEY, _MOST_KEY = 16, 100


def new_id(actor: Actor, key: str | None = None) -> str:
    """Return the id of a new experiment: random, or of the key of the launch, so that two of one key cannot be there.

    Raises
    ------
    InvalidInput
        The key is too short to be random, or too long.
    """
    if key is None:
        return "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
    if not _LEAST_KEY <= len(key) <= _MOST_KEY:
        raise InvalidInput(f"launch: the key must be random, of {_LEAST_KEY} to {_MOST_KEY} characters, got {len(key)}")
    number = int.from_bytes(hashlib.sha256(f"{actor.user_id}:{key}".encode()).digest())
    return "".join(_ALPHABET[number // len(_ALPHABET) ** place % len(_ALPHABET)] for place in range(_LENGTH))


def launched_before(
    session: Session, actor: Actor, experiment_id: str, config: ExperimentConfig
) -> ExperimentRow | None:
    """Return the experiment that was launched with the same key, in the bin maybe.

    Raises
    ------
    Conflict
        It is of another document, or of somebody else.
    """
    row = session.scalars(select(ExperimentRow).where(ExperimentRow.public_id == experiment_id)).one_or_none()
    # Data sets are named by the storage, and may have been renamed meanwhile.
    unnamed = {"datasets": ()}
    if row is not None and (
        row.user_id != actor.user_id
        or not is_readable(session, row.id)
        or config_from_text(row.config).model_copy(update=unnamed) != config.model_copy(update=unnamed)
    ):
        raise Conflict("launch: each key stands for one experiment, got that of another one")
    return row
