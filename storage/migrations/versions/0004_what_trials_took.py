"""Experiments that are over keep what the trials of each learner on each data set took: times to come are told from it."""

import json

import sqlalchemy as sa
from alembic import op

from ensembles.errors import InvalidInput
from ensembles.experiments.config import ExperimentConfig
from storage.timings import timings_of

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_OVER = ("finished", "cancelled", "failed")
_NUMBERS = ("n_train", "n_test", "members", "built", "fit_seconds", "predict_seconds", "busy")


def upgrade() -> None:
    table = op.create_table(
        "timings",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("experiment_id", "position")),
        sa.Column("learner", sa.String(32), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("attributes", "classes", "trials")),
        *(sa.Column(name, sa.Double, nullable=False) for name in _NUMBERS),
        sa.Column("host", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "position", name="pk_timings"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_timings_experiment_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_timings_learner", "timings", ["learner", "experiment_id"])
    op.create_index("ix_timings_data", "timings", ["learner", "data", "experiment_id"])
    _fill(op.get_bind(), table)


def _fill(connection: sa.Connection, table: sa.Table) -> None:
    """Write for experiments that are over what would have been written when they ended."""
    experiments = sa.table("experiments", *map(sa.column, ("id", "state", "config")))
    over = sa.select(experiments.c.id, experiments.c.config).where(experiments.c.state.in_(_OVER))
    for row in connection.execute(over).all():
        try:
            config = ExperimentConfig.from_dict(json.loads(row.config))
        except InvalidInput:  # with a learner of somebody's own that is not installed here, say
            continue
        if found := timings_of(connection, row.id, config):
            connection.execute(table.insert(), found)
