"""Trials on streams tell of themselves while they run, and leave snapshots from which they go on."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "streams",
        sa.Column("experiment_id", sa.Integer, nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("dataset", "learner", "order")),
        sa.Column("told", moment, nullable=False),
        sa.Column("news", sa.LargeBinary, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("snapshot_seen", "snapshot_bytes")),
        sa.Column("snapshot_taken", moment),
        sa.PrimaryKeyConstraint("experiment_id", "key", name="pk_streams"),
        _of_an_experiment("streams"),
    )
    op.create_table(
        "snapshot_chunks",
        sa.Column("experiment_id", sa.Integer, nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "key", "position", name="pk_snapshot_chunks"),
        _of_an_experiment("snapshot_chunks"),
    )
    op.add_column("experiments", sa.Column("snapshots_wanted", sa.Integer, nullable=False, server_default="0"))


def _of_an_experiment(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_experiment_id"
    return sa.ForeignKeyConstraint(["experiment_id"], ["experiments.id"], name=name, ondelete="CASCADE")
