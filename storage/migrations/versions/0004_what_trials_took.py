"""Experiments that are over keep what the trials of each learner on each data set took: times to come are told from it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_NUMBERS = ("n_train", "n_test", "members", "built", "fit_seconds", "predict_seconds", "busy")


def upgrade() -> None:
    op.create_table(
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
