"""What every part of the storage does with the row of an experiment."""

import json
import logging
import re
from datetime import datetime, timedelta
from functools import lru_cache

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import DataError
from sqlalchemy.orm import Session

from ensembles.errors import InvalidConfig, InvalidInput, NotFound
from ensembles.experiments.config import FORMAT, ExperimentConfig
from storage.experiments.imported import CUT_OFF, IMPORTED, is_import, with_origin
from storage.models import ExperimentRow, ScoreRow, TimingRow
from storage.records import ExperimentRecord, State
from storage.results.packed import UNREADABLE, pack_all
from storage.results.timings import timings_of
from storage.results.words import best_of, scores_of

__all__ = [
    "acquire_lease",
    "config_from_text",
    "config_to_text",
    "ended_import",
    "experiment_record",
    "finish",
    "get_experiment_row",
    "is_readable",
    "let_go",
    "missing_experiment",
    "write_scores",
]

_ALLOWED = re.compile(r" must be one of .*, got ")  # the names of all learners, say

_log = logging.getLogger(__name__)


def get_experiment_row(session: Session, experiment_id: str, *, lock: bool = False) -> ExperimentRow:
    """Return the row of an experiment, held against other writers when `lock`; raise `NotFound`.

    It is there for the program, so only for what runners do; others go by `storage.people.reach`.
    """
    wanted = select(ExperimentRow).where(ExperimentRow.public_id == experiment_id, ExperimentRow.deleted.is_(None))
    row = session.scalars(wanted.with_for_update() if lock else wanted).one_or_none()
    if row is None:
        raise missing_experiment(experiment_id)
    return row


def missing_experiment(experiment_id: str) -> NotFound:
    """Return the error that says that there is no such experiment."""
    return NotFound(f"there is no experiment {experiment_id!r}; it may have been deleted")


def experiment_record(row: ExperimentRow, now: datetime) -> ExperimentRecord:
    """Return the record of a row as it stands at the moment `now` of the database."""
    is_silent = row.lease_until is not None and row.lease_until <= now
    readable, unreadable = _read(row.config)
    return ExperimentRecord(
        id=row.public_id,
        name=row.name,
        state=row.state,  # type: ignore[arg-type]
        readable=readable,
        created=row.created,
        started=row.started,
        finished=row.finished,
        total=row.total,
        done=row.done,
        failed=row.failed,
        seconds_left=row.seconds_left,
        message=row.message,
        silent_since=row.lease_until if is_silent else None,
        starred=row.starred,
        archived=row.archived,
        notes=row.notes,
        tags=tuple(row.tags.split()),
        seconds=row.seconds,
        best_learner=row.best_learner,
        best_error=row.best_error,
        extends=row.extends,
        user_id=row.user_id,
        user_name=row.user_name,
        visibility=row.visibility,
        priority=row.priority,
        paused=row.paused,
        deleted=row.deleted,
        unreadable=unreadable,
    )


def is_readable(session: Session, experiment: int) -> bool:
    """Return whether this installation can read an experiment; one that is gone it cannot."""
    text = session.scalar(select(ExperimentRow.config).where(ExperimentRow.id == experiment))
    return text is not None and _read(text)[0] is not None


def _read(text: str) -> tuple[ExperimentConfig, None] | tuple[None, str]:
    """Return a configuration, or why it cannot be read here."""
    try:
        return config_from_text(text), None
    except InvalidConfig as error:
        return None, str(error)


def config_to_text(config: ExperimentConfig, *, format: int = FORMAT, former_names: bool = False) -> str:
    """Return a configuration as the JSON that is stored, or as earlier releases stored it."""
    return json.dumps(config.to_dict(format=format, former_names=former_names), separators=(",", ":"))


@lru_cache(maxsize=512)  # a live list reads the same configurations again and again, and they never change
def config_from_text(text: str) -> ExperimentConfig:
    """Return the configuration that `config_to_text` wrote.

    Raises
    ------
    InvalidConfig
        A newer version wrote it, or it has learners that are not installed here; one sentence on this.
    """
    try:
        return ExperimentConfig.from_dict(json.loads(text), stored=True)
    except ValueError as error:
        reason = _ALLOWED.sub(" unknown here: ", str(error).partition("\n")[0]).partition("; ")[0]
        raise InvalidConfig(
            f"this experiment needs a newer version, or learners that are not installed here: {reason}"
        ) from None


def acquire_lease(row: ExperimentRow, runner: str, now: datetime, seconds: float) -> None:
    """Put an experiment into the hands of `runner`; a wish to cancel it stays."""
    if row.runner != runner:
        count_seconds(row, now)
    row.state = "cancelling" if row.state == "cancelling" else "running"
    row.runner, row.lease_until = runner, now + timedelta(seconds=seconds)
    row.started = row.started or now
    row.message = IMPORTED if is_import(runner) else with_origin(None, row.message)


def let_go(row: ExperimentRow, now: datetime, message: str | None = None) -> None:
    """Let an experiment wait for the next runner; how long it would have taken tells how far it came."""
    count_seconds(row, now)
    row.state, row.runner, row.lease_until = "waiting", None, None
    row.message = with_origin(message, row.message)


def count_seconds(row: ExperimentRow, now: datetime) -> None:
    """Add the time since an experiment was taken to that for which it was run before; not that since its runner died."""
    if row.started is not None and row.runner is not None:
        until = now if row.lease_until is None else min(now, row.lease_until)
        row.seconds = (row.seconds or 0.0) + max((until - row.started).total_seconds(), 0.0)
        row.started = None


def finish(session: Session, row: ExperimentRow, state: State, message: str | None, now: datetime) -> None:
    """Put an experiment into a final state, and write down how well its learners did and what their trials took.

    Where that cannot be worked out it stays as it was: an experiment ends whatever its trials say.
    """
    started = row.started
    count_seconds(row, now)
    row.state, row.message = state, with_origin(message, row.message)
    row.started, row.finished = started, now
    row.runner, row.lease_until, row.seconds_left, row.paused = None, None, None, False
    try:
        with session.begin_nested():
            write_scores(session, row)
    except (*UNREADABLE, DataError):
        _log.exception("experiment %s: how well its learners did cannot be written down", row.public_id)


def ended_import(session: Session, row: ExperimentRow, now: datetime) -> bool:
    """Put an experiment to its end if whoever imported it has died: nobody asked for its trials to be run here."""
    if is_import(row.runner):
        row.started = None
        finish(session, row, "cancelled", CUT_OFF, now)
        return True
    return False


def write_scores(session: Session, row: ExperimentRow) -> None:
    """Write down how well the learners of an experiment did and what their trials took, in the place of what there was."""
    trials = pack_all(session, row.id)
    trials = trials[trials["error"].isna()]
    for table in (ScoreRow, TimingRow):
        session.execute(delete(table).where(table.experiment_id == row.id))
    row.best_learner, row.best_error = None, None
    if trials.empty:
        return
    try:
        config = config_from_text(row.config)
    except InvalidInput:  # written by a newer version, or with a learner that is not installed here
        return
    found = scores_of(config, trials)
    row.best_learner, row.best_error = best_of(config, found)
    if found:
        session.execute(insert(ScoreRow), [{"experiment_id": row.id, **score} for score in found])
    if timed := timings_of(session.connection(), row.id, config):
        session.execute(insert(TimingRow), timed)
