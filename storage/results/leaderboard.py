"""How learners did across all experiments: from what was written down when each ended, none of its trials is read."""

import json
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, and_, case, func, select

from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.protocol_spec import PROTOCOLS
from storage.access import visible_experiments
from storage.models import ExperimentRow, ScoreRow, WordRow
from storage.repository import Repository, allowed
from storage.results.records import Score, Scored

__all__ = ["LeaderboardRepository"]


class LeaderboardRepository(Repository):
    """Compare across experiments. Those in the archive do not count."""

    @allowed("read")
    def list_scored(self) -> list[Scored]:
        """Return on which data there are results, by task, those with the most learners first."""
        learners, experiments = (
            func.count(column.distinct()) for column in (ScoreRow.settings, ScoreRow.experiment_id)
        )
        columns: tuple[Any, ...] = (ScoreRow.data, WordRow.word, learners, experiments)
        query = self._counted(select(*columns))
        order = (learners.desc(), ScoreRow.data, WordRow.word)
        with self._database.session() as session:
            found = session.execute(query.group_by(ScoreRow.data, WordRow.word).order_by(*order))
            return [Scored(*row) for row in found]

    @allowed("read")
    def best_scores(self, protocol: str, data: str | None = None, limit: int = 1000) -> list[Score]:
        """Return what is known of each learner on each data set, the lowest errors first.

        Those of equal errors come as they stand in their experiments. Of several experiments with the same learner and data
        that with the most splits tells, the newest of these.

        Parameters
        ----------
        protocol : str
            A task (`Scored.protocol`): errors under another one are no errors of the same thing.
        data : str, optional
            Only on this one: `DatasetRef.content`.
        """
        place = func.row_number().over(
            partition_by=(ScoreRow.data, ScoreRow.settings),
            order_by=(ScoreRow.splits.desc(), ScoreRow.experiment_id.desc()),
        )
        query = self._counted(select(*_SCORE, place.label("place")), protocol, data)
        ranked = query.subquery()
        best = select(ranked).where(ranked.c.place == 1).order_by(*_order(ranked)).limit(limit)
        return self._scores(best)

    @allowed("read")
    def score_history(self, protocol: str, data: str, limit: int = 1000) -> list[Score]:
        """Return the best learner of each experiment on a data set, the newest experiments first."""
        place = func.row_number().over(partition_by=ScoreRow.experiment_id, order_by=(ScoreRow.error, ScoreRow.learner))
        ranked = self._counted(select(*_SCORE, place.label("place")), protocol, data).subquery()
        best = select(ranked).where(ranked.c.place == 1).order_by(ranked.c.experiment_id.desc()).limit(limit)
        return self._scores(best)

    def _scores(self, ranked: Select[Any]) -> list[Score]:
        chosen = ranked.subquery()
        trains_often = ExperimentRow.config.contains('"bias_variance"')
        config = case((trains_often, ExperimentRow.config)).label("config")
        about = (ExperimentRow.public_id, ExperimentRow.name, ExperimentRow.created, config)
        query = select(chosen, *about).join(ExperimentRow, ExperimentRow.id == chosen.c.experiment_id)
        with self._database.session() as session:
            rows = session.execute(query.order_by(*_order(chosen))).all()
        return [
            Score(
                experiment=row.public_id,
                name=row.name,
                created=row.created,
                data=row.data,
                spec=spec,
                error=row.error,
                spread=row.spread,
                splits=row.splits,
                ratio=row.ratio,
                cpu_seconds=None if row.cpu_seconds is None else row.cpu_seconds / _trainings(row.config),
            )
            for row in rows
            if (spec := _spec_from_text(row.settings)) is not None
        ]

    def _counted(self, query: Select[Any], protocol: str | None = None, data: str | None = None) -> Select[Any]:
        """Return a query over the scores that count, with the protocol beside them."""
        is_protocol = and_(WordRow.experiment_id == ScoreRow.experiment_id, WordRow.kind == "task")
        conditions: list[ColumnElement[bool]] = [ExperimentRow.archived.is_(False), visible_experiments(self._actor)]
        if protocol is not None:
            conditions.append(WordRow.word == protocol)
        if data is not None:
            conditions.append(ScoreRow.data == data)
        joined = query.join(ExperimentRow, ExperimentRow.id == ScoreRow.experiment_id).join(WordRow, is_protocol)
        return joined.where(*conditions)


def _order(scores: Subquery) -> tuple[ColumnElement[Any], ...]:
    """Return the order by error, in which equal ones have a place too: a limit cuts between the same."""
    return scores.c.error, scores.c.experiment_id, scores.c.learner, scores.c.data


_SCORE = (
    ScoreRow.experiment_id,
    ScoreRow.learner,
    ScoreRow.data,
    ScoreRow.settings,
    ScoreRow.error,
    ScoreRow.spread,
    ScoreRow.splits,
    ScoreRow.ratio,
    ScoreRow.cpu_seconds,
)


@lru_cache(maxsize=2048)
def _spec_from_text(canonical: str) -> LearnerSpec | None:
    """Return the learner of which `LearnerSpec.canonical` tells; None for one of somebody's own that is not here."""
    try:
        return LearnerSpec.from_canonical(canonical)
    except ValueError:
        return None


@lru_cache(maxsize=2048)
def _trainings(config: str | None) -> int:
    """Return how often a trial of a stored experiment trains, of which seconds are sums: once where it was not read."""
    if config is None:
        return 1
    protocol = json.loads(config)["protocol"]
    return PROTOCOLS[protocol["kind"]].model_validate(protocol).trainings
