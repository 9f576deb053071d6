"""Trials that have ended: stored once, counted once, whatever arrives twice."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from ensembles.evaluation.curve import Curve
from ensembles.experiments.config import Prequential
from ensembles.experiments.records import TrialPlan, TrialResult
from storage.columns import from_null, measures_from_text, measures_to_text, pack_series, to_null, unpack_series
from storage.experiments.imported import with_origin
from storage.experiments.rows import config_from_text, get_experiment_row
from storage.models import CurveRow, TrialRow
from storage.people.reach import readable_experiment
from storage.repository import Repository, allowed
from storage.results.packed import forget_packed, pack_many
from storage.running.model_rows import keep_models_of_trials
from storage.running.streams import forget_streams

__all__ = ["TrialRepository"]

_Item = TypeVar("_Item")

_BATCH = 500  # below the number of bound values that any SQLite build allows, times the columns of a row

_IDENTITY = {"id", "experiment_id", "key"}
_REPLACED = tuple(column.name for column in TrialRow.__table__.columns if column.name not in _IDENTITY)


class TrialRepository(Repository):
    """Write and read trials. The runner is the only one who writes."""

    @allowed("program")
    def save_trials(self, experiment_id: str, trials: Iterable[tuple[TrialPlan, TrialResult]]) -> None:
        """Store trials and count them on the experiment, in one transaction.

        A trial that is there already stays as it is: what comes again is the echo of a runner that slept until another
        one had taken over. Only a failure gives way to a success.

        Raises
        ------
        NotFound
            The experiment was deleted.
        """
        newest = {plan.key: (plan, result) for plan, result in trials}
        with self._database.session(writes=True, lasts=False) as session:  # what a power cut takes runs again
            experiment = get_experiment_row(session, experiment_id, lock=True)
            for batch in _batches(list(newest.values())):
                known = self._known_failures(session, experiment.id, [plan.key for plan, _ in batch])
                kept = [
                    (plan, result)
                    for plan, result in batch
                    if plan.key not in known or (known[plan.key] and result.error is None)
                ]
                if any(known.get(plan.key) for plan, _ in kept):
                    forget_packed(session, experiment.id)
                self._write(session, experiment.id, kept)
                if isinstance(config_from_text(experiment.config).protocol, Prequential):
                    forget_streams(session, experiment, [plan.key for plan, result in kept if result.error is None])
                    keep_models_of_trials(session, experiment.id, kept, self._database.now(session))
                experiment.done += sum(plan.key not in known for plan, _ in kept)
                experiment.failed += sum(
                    (result.error is not None) - known.get(plan.key, False) for plan, result in kept
                )
            pack_many(session, experiment.id, experiment.done)

    @allowed("read")
    def finished_keys(self, experiment_id: str, *, failed: bool = True) -> set[str]:
        """Return the keys of the trials that have ended, well or not, or only those that ended well; raise `NotFound`."""
        with self._database.session() as session:
            experiment = readable_experiment(session, self._actor, experiment_id)
            query = select(TrialRow.key).where(TrialRow.experiment_id == experiment.id)
            return set(session.scalars(query if failed else query.where(TrialRow.error.is_(None))))

    @allowed("program")
    def adopt_trials(self, experiment_id: str, source_id: str, plans: Sequence[TrialPlan]) -> int:
        """Take over trials of another experiment that finished, found by their keys; return how many there were.

        Equal keys stand for equal numbers: the same data, learner, split, order, seed, measures and curves. Where they
        stand among the data sets and learners `plans` say.

        Raises
        ------
        NotFound
            One of the experiments was deleted.
        """
        adopted = 0
        for batch in _batches(plans):
            with self._database.session() as session:
                source = get_experiment_row(session, source_id)
                mine = (TrialRow.experiment_id == source.id, TrialRow.key.in_([plan.key for plan in batch]))
                rows = session.scalars(select(TrialRow).where(*mine, TrialRow.error.is_(None))).all()
                found = dict(zip([row.key for row in rows], _results(session, rows), strict=True))
            self.save_trials(experiment_id, [(plan, found[plan.key]) for plan in batch if plan.key in found])
            adopted += len(found)
        if adopted and (told := with_origin(None, source.message)) is not None:
            with self._database.session(writes=True) as session:
                get_experiment_row(session, experiment_id, lock=True).message = told
        return adopted

    @allowed("read")
    def list_trials(
        self, experiment_id: str, limit: int = 1000, offset: int = 0, *, with_curves: bool = True
    ) -> list[tuple[TrialPlan, TrialResult]]:
        """Return trials whole, with confusion matrix and curves, in the order in which they ended; raise `NotFound`."""
        with self._database.session() as session:
            experiment = readable_experiment(session, self._actor, experiment_id)
            query = select(TrialRow).where(TrialRow.experiment_id == experiment.id)
            rows = session.scalars(query.order_by(TrialRow.id).limit(limit).offset(offset)).all()
            results = _results(session, rows) if with_curves else [_result(row, {}) for row in rows]
            return list(zip(map(_plan, rows), results, strict=True))

    @allowed("read")
    def each_trial(self, experiment_id: str) -> Iterator[tuple[TrialPlan, TrialResult]]:
        """Yield all trials as `list_trials` returns them, read some at a time; raise `NotFound`."""
        last: int | None = 0
        while last is not None:
            with self._database.session() as session:
                experiment = readable_experiment(session, self._actor, experiment_id)
                query = select(TrialRow).where(TrialRow.experiment_id == experiment.id, TrialRow.id > last)
                rows = session.scalars(query.order_by(TrialRow.id).limit(_BATCH)).all()
                some = list(zip(map(_plan, rows), _results(session, rows), strict=True))
                last = rows[-1].id if rows else None
            yield from some

    def _known_failures(self, session: Session, experiment: int, keys: Sequence[str]) -> dict[str, bool]:
        """Return for each key that is stored already whether it is a failure."""
        query = select(TrialRow.key, TrialRow.error.is_not(None)).where(TrialRow.experiment_id == experiment)
        return {key: bool(failed) for key, failed in session.execute(query.where(TrialRow.key.in_(keys)))}

    def _write(self, session: Session, experiment: int, trials: Sequence[tuple[TrialPlan, TrialResult]]) -> None:
        if not trials:
            return
        statement = self._database.insert(TrialRow)
        upsert = statement.on_conflict_do_update(
            index_elements=["experiment_id", "key"], set_={name: statement.excluded[name] for name in _REPLACED}
        ).returning(TrialRow.id, TrialRow.key)
        rows = [_row(experiment, plan, result) for plan, result in trials]
        numbers = {key: number for number, key in session.execute(upsert, rows)}
        session.execute(delete(CurveRow).where(CurveRow.trial_id.in_(numbers.values())))
        curves = [
            {"trial_id": numbers[plan.key], "name": name, "x": pack_series(curve.x), "y": pack_series(curve.y)}
            for plan, result in trials
            for name, curve in result.curves.items()
        ]
        if curves:
            session.execute(insert(CurveRow), curves)


def _results(session: Session, rows: Sequence[TrialRow]) -> list[TrialResult]:
    curves: dict[int, dict[str, Curve]] = defaultdict(dict)
    for some in _batches(rows):
        found = select(CurveRow).where(CurveRow.trial_id.in_([row.id for row in some]))
        for curve in session.scalars(found.order_by(CurveRow.name)):
            curves[curve.trial_id][curve.name] = _curve(curve)
    return [_result(row, curves[row.id]) for row in rows]


def _batches(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))


def _row(experiment: int, plan: TrialPlan, result: TrialResult) -> dict[str, Any]:
    return {
        "experiment_id": experiment,
        "key": plan.key,
        "dataset": plan.dataset,
        "learner": plan.learner,
        "repeat": plan.repeat,
        "fold": plan.fold,
        "order": plan.order,
        "measures": measures_to_text(result.measures),
        "fit_seconds": to_null(result.fit_seconds),
        "predict_seconds": to_null(result.predict_seconds),
        "fit_cpu_seconds": to_null(result.fit_cpu_seconds),
        "predict_cpu_seconds": to_null(result.predict_cpu_seconds),
        "members_used": result.members_used,
        "stopped": result.stopped,
        "n_train": result.n_train,
        "n_test": result.n_test,
        "error": result.error,
        "host": result.host,
        "version": result.version,
        "confusion": json.dumps(result.confusion, separators=(",", ":")),
    }


def _plan(row: TrialRow) -> TrialPlan:
    return TrialPlan(row.key, row.dataset, row.learner, row.repeat, row.fold, row.order)


def _result(row: TrialRow, curves: dict[str, Curve]) -> TrialResult:
    return TrialResult(
        key=row.key,
        error=row.error,
        measures=measures_from_text(row.measures),
        fit_seconds=from_null(row.fit_seconds),
        predict_seconds=from_null(row.predict_seconds),
        fit_cpu_seconds=from_null(row.fit_cpu_seconds),
        predict_cpu_seconds=from_null(row.predict_cpu_seconds),
        members_used=row.members_used,
        stopped=row.stopped,
        n_train=row.n_train,
        n_test=row.n_test,
        curves=curves,
        confusion=tuple(map(tuple, json.loads(row.confusion))),
        host=row.host,
        version=row.version,
    )


def _curve(row: CurveRow) -> Curve:
    return Curve(tuple(unpack_series(row.x).tolist()), tuple(unpack_series(row.y).tolist()))
