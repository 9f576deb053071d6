"""Models that were trained on all examples, to be taken home, and those that somebody waits for."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "kept_models",
        *_place(),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("asked", moment, nullable=False),
        sa.Column("ended", moment),
        sa.Column("runner", sa.Text),
        sa.Column("lease_until", moment),
        sa.Column("message", sa.Text),
        sa.Column("facts", sa.Text),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "dataset", "learner", name="pk_kept_models"),
        _of_an_experiment("kept_models"),
    )
    op.create_index("ix_kept_models_state", "kept_models", ["state"])
    op.create_table(
        "kept_model_chunks",
        *_place(),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "dataset", "learner", "position", name="pk_kept_model_chunks"),
        _of_an_experiment("kept_model_chunks"),
    )


def _place() -> list[sa.Column[int]]:
    return [sa.Column(name, sa.Integer, nullable=False) for name in ("experiment_id", "dataset", "learner")]


def _of_an_experiment(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_experiment_id"
    return sa.ForeignKeyConstraint(["experiment_id"], ["experiments.id"], name=name, ondelete="CASCADE")
