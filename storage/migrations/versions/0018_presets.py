"""Presets that people save, for all web servers of a team; they were files of one of them."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "presets",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("user_id", sa.Integer),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_presets"),
        sa.UniqueConstraint("name", name="uq_presets_name"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_presets_user_id"),
        sqlite_autoincrement=True,
    )
