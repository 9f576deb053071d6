"""Of many curves what is drawn is written down; trials are found by their numbers within an experiment."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "curve_sums",
        sa.Column("experiment_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("trials", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "name", name="pk_curve_sums"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_curve_sums_experiment_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_trials_experiment_id", "trials", ["experiment_id", "id"])
