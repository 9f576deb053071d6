"""The tables stay; tasks tell what is trained on and which test set is meant, which is written down after this."""

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing: the schema tells that tasks of older experiments are to be told anew (`storage.migrate`)."""
