"""Experiments name the stored data that they use, and data of the catalogue are the same where they were uploaded.

No table changes: `storage.migrate` has what is derived from experiments written anew.
"""

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    pass
