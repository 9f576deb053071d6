"""Who holds a data set beside its owner has a bin for it too."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("dataset_holders", sa.Column("deleted", sa.DateTime(timezone=True)))
