"""Beside the models that were trained on all examples there are those that trials on streams have ended with."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, place in (
        ("kept_models", ["experiment_id", "dataset", "learner", "of_trial"]),
        ("kept_model_chunks", ["experiment_id", "dataset", "learner", "of_trial", "position"]),
    ):
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column("of_trial", sa.Boolean, nullable=False, server_default=sa.false()))
            batch.drop_constraint(f"pk_{table}", type_="primary")
            batch.create_primary_key(f"pk_{table}", place)
