"""What trials took in experiments that are over, by learner and data set: what times to come are told from."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import fields, replace
from itertools import product
from typing import Any

from sqlalchemy import Connection, Select, func, select, union_all

from ensembles.data import catalogue
from ensembles.experiments.config import DatasetRef, ExperimentConfig
from ensembles.experiments.past_trials import PastTrials, cost_name, is_stream
from storage.models import DatasetRow, ExperimentRow, TimingRow, TrialRow
from storage.repository import Repository, allowed

__all__ = ["TimingRepository", "timings_of"]

_NEWEST = 8  # experiments that tell of a learner on a data set
_NEWEST_ELSEWHERE = 24  # and of a learner on any
_MOST_SELECTS = 400  # of more learners and data sets the rest is not asked for
_AT_A_TIME = 100  # SQLite makes no union of more than 500
_MOST_RECENT = 50  # experiments that are looked at to see whether one is at work
_AT_WORK = ("running", "cancelling")

_SALT = secrets.token_bytes(32)

_TOLD = tuple(field.name for field in fields(PastTrials))


class TimingRepository(Repository):
    """Read what trials took."""

    @allowed("read")
    def find_past_trials(self, config: ExperimentConfig) -> list[PastTrials]:
        """Return what trials of the learners of `config` took in experiments that are over, whatever their members.

        They are those of the newest experiments on each of its data sets, and of the newest on any, the newest first: an
        index leads to so many rows, however many there are. They tell what experiments took that are hidden from who asks,
        as times cannot be told without; and neither their names nor whose they are, nor which data they were on.
        """
        learners = sorted({cost_name(learner, stream=is_stream(config)) for learner in config.learners})
        families = sorted({reference.family for reference in config.datasets})
        selects = [_newest(learner, None, _NEWEST_ELSEWHERE) for learner in learners]
        selects += [_newest(learner, data, _NEWEST) for learner, data in product(learners, families)]
        asked, found = selects[:_MOST_SELECTS], set[tuple[Any, ...]]()
        with self._database.session() as session:
            for start in range(0, len(asked), _AT_A_TIME):
                found.update(map(tuple, session.execute(union_all(*asked[start : start + _AT_A_TIME]))))
        past = [PastTrials(*row[2:]) for row in sorted(found, key=lambda row: row[:2], reverse=True)]
        if self._actor.sees_all:
            return past
        return [one if one.data in families else replace(one, data=_other_data(one.data)) for one in past]

    @allowed("read")
    def ran_within(self, seconds: float) -> bool:
        """Return whether an experiment is at work or ended in the last `seconds`: its worker processes may be there."""
        newest = select(ExperimentRow.state, ExperimentRow.finished, self._database.moment())
        with self._database.session() as session:
            found = session.execute(newest.order_by(ExperimentRow.id.desc()).limit(_MOST_RECENT)).all()
        return any(
            state in _AT_WORK or (finished is not None and (now - finished).total_seconds() < seconds)
            for state, finished, now in found
        )


def _other_data(data: str) -> str:
    """Return a word that differs where data differ and tells nothing of them."""
    return hashlib.blake2b(data.encode(), key=_SALT, digest_size=16).hexdigest()


def _newest(learner: str, data: str | None, limit: int) -> Select[Any]:
    columns = (TimingRow.experiment_id, TimingRow.position, *(getattr(TimingRow, name) for name in _TOLD))
    query = select(*columns).where(TimingRow.learner == learner).order_by(TimingRow.experiment_id.desc()).limit(limit)
    return select((query if data is None else query.where(TimingRow.data == data)).subquery())


def timings_of(connection: Connection, experiment: int, config: ExperimentConfig) -> list[dict[str, Any]]:
    """Return a row for each learner on each data set of which trials of an experiment went well."""
    stream = is_stream(config)
    names = [cost_name(learner, stream=stream) for learner in config.learners]
    trainings = config.protocol.trainings
    shapes = [_shape(connection, reference) for reference in config.datasets]
    return [
        {
            "experiment_id": experiment,
            "position": len(names) * found.dataset + found.learner,
            "learner": names[found.learner],
            "data": config.datasets[found.dataset].family,
            "n_train": float(found.n_train),
            "n_test": float(found.n_test),
            "attributes": shapes[found.dataset][0],
            "classes": shapes[found.dataset][1],
            "members": config.learners[found.learner].n_members,
            "built": float(found.built),
            "fit_seconds": found.fit / trainings,
            "predict_seconds": found.predict / trainings,
            "busy": max(found.wall / found.cpu, 1.0) if found.cpu > 0 else 1.0,
            "trials": found.trials,
            "host": found.host,
        }
        for found in connection.execute(_means(experiment))
        if found.dataset < len(shapes) and found.learner < len(names)
    ]


def _means(experiment: int) -> Select[Any]:
    predict, predict_cpu = (
        func.coalesce(column, 0.0) for column in (TrialRow.predict_seconds, TrialRow.predict_cpu_seconds)
    )
    columns = {
        "trials": func.count(),
        "n_train": func.avg(TrialRow.n_train),
        "n_test": func.avg(TrialRow.n_test),
        "built": func.avg(TrialRow.members_used),
        "fit": func.avg(TrialRow.fit_cpu_seconds),
        "predict": func.avg(predict_cpu),
        "wall": func.sum(TrialRow.fit_seconds + predict),
        "cpu": func.sum(TrialRow.fit_cpu_seconds + predict_cpu),
        "host": func.max(TrialRow.host),
    }
    kind = (TrialRow.dataset, TrialRow.learner)
    timed = (TrialRow.error.is_(None), TrialRow.fit_seconds.is_not(None), TrialRow.fit_cpu_seconds.is_not(None))
    means = select(*kind, *(column.label(name) for name, column in columns.items()))
    return means.where(TrialRow.experiment_id == experiment, *timed).group_by(*kind)


def _shape(connection: Connection, reference: DatasetRef) -> tuple[int, int]:
    """Return the numbers of attributes and classes of a data set."""
    if reference.key is not None:
        entry = catalogue()[reference.key]
        return entry.attributes, entry.classes
    counted = select(DatasetRow.nominal + DatasetRow.numeric, DatasetRow.classes)
    found = connection.execute(counted.where(DatasetRow.sha256 == reference.sha256)).one_or_none()
    return (found[0], found[1]) if found else (1, 2)
