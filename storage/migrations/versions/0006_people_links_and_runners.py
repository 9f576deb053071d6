"""People own experiments and data sets, share them by links, comment on them; runners say that they are there."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.execute("ALTER TABLE experiments RENAME COLUMN owner TO runner")
    _create_users()
    _create_links()
    _create_notes_and_tokens()
    for table in ("experiments", "datasets"):
        _add_owner(table)
    # What hides experiments stands in the index that lists and counts are read from.
    op.drop_index("ix_experiments_archived", "experiments")
    op.create_index("ix_experiments_archived", "experiments", ["archived", "id", "deleted", "visibility", "user_id"])
    # The words of those that are not hidden are counted from the index alone.
    op.drop_index("ix_experiment_words_kind", "experiment_words")
    op.create_index("ix_experiment_words_kind", "experiment_words", ["kind", "word", "experiment_id", "label"])
    op.add_column("experiments", sa.Column("priority", sa.Integer, nullable=False, server_default="0"))
    op.add_column("experiments", sa.Column("paused", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("datasets", sa.Column("packed_bytes", sa.BigInteger, nullable=False, server_default="0"))
    op.execute(
        "UPDATE datasets SET packed_bytes = coalesce((SELECT sum(length(content)) FROM dataset_chunks"
        " WHERE dataset_id = datasets.id), 0)"
    )
    _create_holders()
    op.create_table(
        "runners",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "host", "version")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("pid", "workers", "busy")),
        *(sa.Column(name, _MOMENT, nullable=False) for name in ("started", "seen")),
        sa.PrimaryKeyConstraint("name", name="pk_runners"),
    )


def _add_owner(table: str) -> None:
    # A column with its reference in one statement, so that SQLite need not copy the table.
    op.execute(f"ALTER TABLE {table} ADD COLUMN user_id INTEGER CONSTRAINT fk_{table}_user_id REFERENCES users (id)")
    op.add_column(table, sa.Column("visibility", sa.String(8), nullable=False, server_default="team"))
    op.add_column(table, sa.Column("deleted", _MOMENT))
    op.create_index(f"ix_{table}_user_id", table, ["user_id"])
    # Of those in the bin alone: else a planner would think that this index leads to all that are not.
    in_bin = sa.text("deleted IS NOT NULL")
    op.create_index(f"ix_{table}_deleted", table, ["deleted"], sqlite_where=in_bin, postgresql_where=in_bin)


def _create_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("email", sa.Text),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("locked", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("limits", sa.Text, nullable=False, server_default="{}"),
        sa.Column("created", _MOMENT, nullable=False),
        sa.Column("seen", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("subject", name="uq_users_subject"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("moment", _MOMENT, nullable=False),
        sa.Column("user_id", sa.Integer),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("who", "action", "kind", "subject", "detail")),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_audit_user_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_moment", "audit", ["moment"])
    op.create_index("ix_audit_subject", "audit", ["kind", "subject"])


def _create_links() -> None:
    op.create_table(
        "share_links",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer),
        sa.Column("page", sa.String(16), nullable=False),
        sa.Column("view", sa.Text, nullable=False),
        sa.Column("needs_sign_in", sa.Boolean, nullable=False),
        sa.Column("created", _MOMENT, nullable=False),
        *(sa.Column(name, _MOMENT) for name in ("expires", "revoked", "last_opened")),
        sa.Column("opened", sa.Integer, nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("id", name="pk_share_links"),
        sa.UniqueConstraint("token_hash", name="uq_share_links_token_hash"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_share_links_user_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "share_link_experiments",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("link_id", "experiment_id")),
        sa.PrimaryKeyConstraint("link_id", "experiment_id", name="pk_share_link_experiments"),
        sa.ForeignKeyConstraint(
            ["link_id"], ["share_links.id"], name="fk_share_link_experiments_link_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_share_link_experiments_experiment_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_share_link_experiments_experiment_id", "share_link_experiments", ["experiment_id"])


def _create_notes_and_tokens() -> None:
    op.create_table(
        "comments",
        sa.Column("id", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("experiment_id", "user_id")),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_comments"),
        sa.ForeignKeyConstraint(
            ["experiment_id"], ["experiments.id"], name="fk_comments_experiment_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_comments_user_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_comments_experiment_id", "comments", ["experiment_id"])
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "scopes")),
        sa.Column("created", _MOMENT, nullable=False),
        *(sa.Column(name, _MOMENT) for name in ("expires", "revoked", "last_used")),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.UniqueConstraint("token_hash", name="uq_api_tokens_token_hash"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_api_tokens_user_id"),
        sqlite_autoincrement=True,
    )


def _create_holders() -> None:
    op.create_table(
        "dataset_holders",
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("dataset_id", "user_id")),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("visibility", sa.String(8), nullable=False),
        sa.Column("created", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "user_id", name="pk_dataset_holders"),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name="fk_dataset_holders_dataset_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_dataset_holders_user_id"),
    )
    op.create_index("ix_dataset_holders_user_id", "dataset_holders", ["user_id"])
