"""Trials keep processor seconds to predict, and why training ended before all members were trained."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("trials", sa.Column("predict_cpu_seconds", sa.Double))
    op.add_column("trials", sa.Column("stopped", sa.Text))
