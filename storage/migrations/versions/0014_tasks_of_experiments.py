"""The tables stay; experiments are ranked by tasks, which are words of theirs that are written down after this."""

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing: what is known of older experiments is told by the schema, and `storage.migrate` fills it in."""
