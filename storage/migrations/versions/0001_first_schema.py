"""First schema: data sets, experiments, trials, curves."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_datasets()
    _create_experiments()
    _create_trials()


def _create_datasets() -> None:
    op.create_table(
        "datasets",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("rows", sa.Integer, nullable=False),
        sa.Column("nominal", sa.Integer, nullable=False),
        sa.Column("numeric", sa.Integer, nullable=False),
        sa.Column("classes", sa.Integer, nullable=False),
        sa.Column("missing_cells", sa.BigInteger, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("created", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_datasets"),
        sa.UniqueConstraint("sha256", name="uq_datasets_sha256"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "dataset_chunks",
        sa.Column("dataset_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "position", name="pk_dataset_chunks"),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name="fk_dataset_chunks_dataset_id", ondelete="CASCADE"
        ),
    )


def _create_experiments() -> None:
    op.create_table(
        "experiments",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("permalink", sa.String(12), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("created", _MOMENT, nullable=False),
        sa.Column("started", _MOMENT),
        sa.Column("finished", _MOMENT),
        sa.Column("total", sa.Integer),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("failed", sa.Integer, nullable=False),
        sa.Column("seconds_left", sa.Double),
        sa.Column("message", sa.Text),
        sa.Column("owner", sa.Text),
        sa.Column("lease_until", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_experiments"),
        sa.UniqueConstraint("permalink", name="uq_experiments_permalink"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_experiments_state", "experiments", ["state"])
    op.create_table(
        "experiment_datasets",
        sa.Column("experiment_id", sa.Integer, nullable=False),
        sa.Column("dataset_id", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("experiment_id", "dataset_id", name="pk_experiment_datasets"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_experiment_datasets_experiment_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name="fk_experiment_datasets_dataset_id"),
    )
    op.create_index("ix_experiment_datasets_dataset_id", "experiment_datasets", ["dataset_id"])


def _create_trials() -> None:
    op.create_table(
        "trials",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("experiment_id", sa.Integer, nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("dataset", "learner", "repeat", "fold", "order")),
        sa.Column("measures", sa.Text, nullable=False),
        *(sa.Column(name, sa.Double) for name in ("fit_seconds", "predict_seconds", "fit_cpu_seconds")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("members_used", "n_train", "n_test")),
        sa.Column("error", sa.Text),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("host", "version", "confusion")),
        sa.PrimaryKeyConstraint("id", name="pk_trials"),
        sa.UniqueConstraint("experiment_id", "key", name="uq_trials_experiment_id"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_trials_experiment_id", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "curves",
        sa.Column("trial_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("x", sa.LargeBinary, nullable=False),
        sa.Column("y", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("trial_id", "name", name="pk_curves"),
        sa.ForeignKeyConstraint(["trial_id"], ["trials.id"], name="fk_curves_trial_id", ondelete="CASCADE"),
    )
