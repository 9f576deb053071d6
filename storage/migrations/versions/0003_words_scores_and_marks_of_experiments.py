"""Experiments carry tags, notes and marks, are found by what they compare, and keep how well their learners did."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("starred", "archived"):
        op.add_column("experiments", sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()))
    for name in ("notes", "tags"):
        op.add_column("experiments", sa.Column(name, sa.Text, nullable=False, server_default=""))
    op.add_column("experiments", sa.Column("seconds", sa.Double))
    op.add_column("experiments", sa.Column("best_learner", sa.Integer))
    op.add_column("experiments", sa.Column("best_error", sa.Double))
    op.add_column("experiments", sa.Column("extends", sa.String(12)))
    op.create_index("ix_experiments_archived", "experiments", ["archived", "id"])
    op.create_index("ix_experiments_best_error", "experiments", ["best_error"])
    _create_words()
    _create_scores()


def _create_words() -> None:
    op.create_table(
        "experiment_words",
        sa.Column("experiment_id", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("word", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "kind", "word", name="pk_experiment_words"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_experiment_words_experiment_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_experiment_words_kind", "experiment_words", ["kind", "word", "label"])


def _create_scores() -> None:
    op.create_table(
        "scores",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("experiment_id", "dataset", "learner")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("data", "settings")),
        sa.Column("error", sa.Double, nullable=False),
        sa.Column("spread", sa.Double),
        sa.Column("splits", sa.Integer, nullable=False),
        sa.Column("ratio", sa.Double, nullable=False),
        sa.Column("cpu_seconds", sa.Double),
        sa.PrimaryKeyConstraint("experiment_id", "dataset", "learner", name="pk_scores"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_scores_experiment_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_scores_data", "scores", ["data", "error"])
