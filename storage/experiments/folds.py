"""Experiments that are listed as one row: those that carry one of the tags of a fold."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, Subquery, case, func, select

from storage.models import ExperimentRow, WordRow
from storage.records import Folded

__all__ = ["Folds", "folded_records", "hidden_by", "sums_of"]

Folds = Sequence[tuple[str, ...]]
Conditions = Sequence[ColumnElement[bool]]


def _members(folds: Folds) -> Subquery:
    """Return which experiments are in which fold, the first of several."""
    place = case(*((WordRow.word.in_(tags), number) for number, tags in enumerate(folds)))
    tagged = (WordRow.kind == "tag", WordRow.word.in_([tag for tags in folds for tag in tags]))
    found = select(WordRow.experiment_id, func.min(place).label("fold"))
    return found.where(*tagged).group_by(WordRow.experiment_id).subquery()


def hidden_by(folds: Folds, conditions: Conditions, order: Sequence[ColumnElement[Any]]) -> Select[Any]:
    """Return the numbers of the experiments that stand behind the first of their fold."""
    members = _members(folds)
    place = func.row_number().over(partition_by=members.c.fold, order_by=order).label("place")
    within = members.c.experiment_id == ExperimentRow.id
    ranked = select(ExperimentRow.id, place).join(members, within).where(*conditions).subquery()
    return select(ranked.c.id).where(ranked.c.place > 1)


def sums_of(folds: Folds, conditions: Conditions) -> Select[Any]:
    """Return what is known of each fold, by state."""
    members = _members(folds)
    sums: dict[str, ColumnElement[Any]] = {
        "experiments": func.count(),
        "total": func.sum(func.coalesce(ExperimentRow.total, 0)),
        "done": func.sum(ExperimentRow.done),
        "failed": func.sum(ExperimentRow.failed),
        "seconds": func.sum(ExperimentRow.seconds),
        "best_error": func.min(ExperimentRow.best_error),
        "created": func.max(ExperimentRow.created),
    }
    columns = [column.label(name) for name, column in sums.items()]
    query = select(members.c.fold, ExperimentRow.state, *columns)
    joined = query.join(members, members.c.experiment_id == ExperimentRow.id).where(*conditions)
    return joined.group_by(members.c.fold, ExperimentRow.state).order_by(members.c.fold, ExperimentRow.state)


def folded_records(folds: Folds, rows: Sequence[Row[Any]]) -> list[Folded]:
    """Return one record a fold of what `sums_of` found."""
    found = []
    for number, tags in enumerate(folds):
        own = [row for row in rows if row.fold == number]
        if not own:
            continue
        took = [row.seconds for row in own if row.seconds is not None]
        errors = [row.best_error for row in own if row.best_error is not None]
        found.append(
            Folded(
                tags=tags,
                experiments=sum(row.experiments for row in own),
                states=tuple((row.state, row.experiments) for row in own),
                total=sum(row.total for row in own),
                done=sum(row.done for row in own),
                failed=sum(row.failed for row in own),
                seconds=sum(took) if took else None,
                best_error=min(errors, default=None),
                created=max(row.created for row in own),
            )
        )
    return found
