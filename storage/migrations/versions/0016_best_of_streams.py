"""The tables stay; the best of a stream is one that was asked about all of it, which is written down after this."""

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing: the schema tells that the best of older experiments are to be told anew (`storage.migrate`)."""
