"""Many trials of an experiment are kept as columns of numbers too, which are read at once."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "trial_blocks",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("experiment_id", "position", "trials")),
        sa.Column("last_id", sa.BigInteger, nullable=False),
        sa.Column("confusion", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "position", name="pk_trial_blocks"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_trial_blocks_experiment_id", ondelete="CASCADE"
        ),
    )
