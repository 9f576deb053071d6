"""Experiments carry tags, notes and marks, are found by what they compare, and keep how well their learners did."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

from ensembles.errors import InvalidInput
from ensembles.experiments.config import ExperimentConfig
from storage.words import TRIAL_FIELDS, best_of, scores_of, words_of

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_OVER = ("finished", "cancelled", "failed")


def upgrade() -> None:
    for name in ("starred", "archived"):
        op.add_column("experiments", sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()))
    for name in ("notes", "tags"):
        op.add_column("experiments", sa.Column(name, sa.Text, nullable=False, server_default=""))
    op.add_column("experiments", sa.Column("seconds", sa.Double))
    op.add_column("experiments", sa.Column("best_learner", sa.Integer))
    op.add_column("experiments", sa.Column("best_error", sa.Double))
    op.add_column("experiments", sa.Column("extends", sa.String(12)))
    op.create_index("ix_experiments_archived", "experiments", ["archived", "id"])
    op.create_index("ix_experiments_best_error", "experiments", ["best_error"])
    words, scores = _create_words(), _create_scores()
    _fill(op.get_bind(), words, scores)


def _create_words() -> sa.Table:
    table = op.create_table(
        "experiment_words",
        sa.Column("experiment_id", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("word", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "kind", "word", name="pk_experiment_words"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_experiment_words_experiment_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_experiment_words_kind", "experiment_words", ["kind", "word", "label"])
    return table


def _create_scores() -> sa.Table:
    table = op.create_table(
        "scores",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("experiment_id", "dataset", "learner")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("data", "settings")),
        sa.Column("error", sa.Double, nullable=False),
        sa.Column("spread", sa.Double),
        sa.Column("splits", sa.Integer, nullable=False),
        sa.Column("ratio", sa.Double, nullable=False),
        sa.Column("cpu_seconds", sa.Double),
        sa.PrimaryKeyConstraint("experiment_id", "dataset", "learner", name="pk_scores"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_scores_experiment_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_scores_data", "scores", ["data", "error"])
    return table


def _fill(connection: sa.Connection, words: sa.Table, scores: sa.Table) -> None:
    """Write for experiments that are there what would have been written for new ones."""
    moment = sa.DateTime(timezone=True)
    read: list[sa.ColumnClause[Any]] = [sa.column(name) for name in ("id", "state", "config")]
    read += [sa.column(name, moment) for name in ("started", "finished")]
    experiments = sa.table("experiments", *read, *map(sa.column, ("seconds", "best_learner", "best_error")))
    trials = sa.table("trials", *map(sa.column, ("experiment_id", "error", *TRIAL_FIELDS)))
    for row in connection.execute(sa.select(*read).select_from(experiments)).all():
        try:
            config = ExperimentConfig.from_dict(json.loads(row.config))
        except InvalidInput:  # with a learner of somebody's own that is not installed here, say
            continue
        connection.execute(words.insert(), [{"experiment_id": row.id, **word} for word in words_of(config)])
        if row.state not in _OVER:
            continue
        took = (row.finished - row.started).total_seconds() if row.finished and row.started else None
        wanted = sa.select(*(trials.c[name] for name in TRIAL_FIELDS))
        ended = connection.execute(wanted.where(trials.c.experiment_id == row.id, trials.c.error.is_(None))).all()
        found = scores_of(config, ended)
        if found:
            connection.execute(scores.insert(), [{"experiment_id": row.id, **score} for score in found])
        learner, error = best_of(found)
        changes = {"seconds": took, "best_learner": learner, "best_error": error}
        connection.execute(experiments.update().where(experiments.c.id == row.id).values(changes))
