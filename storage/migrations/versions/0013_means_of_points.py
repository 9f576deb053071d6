"""The tables stay; of large experiments that are over, what is drawn of all kinds of curves is worked out after this."""

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing: what is kept of older experiments is told by the schema, and `storage.migrate` fills it in."""
