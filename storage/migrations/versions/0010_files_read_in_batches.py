"""Data sets may be files that are read in batches where they lie: of these a sample is stored, and how they are read."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("datasets", sa.Column("file", sa.Text))
