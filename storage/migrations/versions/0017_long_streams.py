"""Trials and data sets count more than 2,147,483,647 examples: streams may be longer."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_COUNTS = {"datasets": ("rows",), "trials": ("n_train", "n_test")}


def upgrade() -> None:
    """Widen the columns of PostgreSQL, each table written once; an integer of SQLite holds as much already."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for table, columns in _COUNTS.items():
        op.execute(f"ALTER TABLE {table} {', '.join(f'ALTER COLUMN {name} TYPE BIGINT' for name in columns)}")
