"""The tables of people and of what they share; like those of `storage.models`, they stay inside `storage`."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from storage.columns import SafeText, UTCDateTime
from storage.models import NEVER_REUSED, Base, name_of

__all__ = [
    "AuditRow",
    "CommentRow",
    "DatasetHolderRow",
    "PresetRow",
    "RunnerRow",
    "ShareLinkExperimentRow",
    "ShareLinkRow",
    "TokenRow",
    "UserRow",
]


class UserRow(Base):
    """A person who has signed in; never deleted, as what they did stays."""

    __tablename__ = "users"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(SafeText, unique=True)  # who it is to whoever vouches: issuer and subject
    name: Mapped[str] = mapped_column(SafeText)
    email: Mapped[str | None] = mapped_column(SafeText)
    role: Mapped[str] = mapped_column(String(8))
    locked: Mapped[bool] = mapped_column(default=False)
    limits: Mapped[str] = mapped_column(SafeText, default="{}")  # JSON: what differs from the limits of everybody
    created: Mapped[datetime] = mapped_column(UTCDateTime)
    seen: Mapped[datetime] = mapped_column(UTCDateTime)


class DatasetHolderRow(Base):
    """Somebody who uploaded the same content as the owner of a data set, under a name of their own."""

    __tablename__ = "dataset_holders"

    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    name: Mapped[str] = mapped_column(SafeText)
    source: Mapped[str] = mapped_column(SafeText)
    visibility: Mapped[str] = mapped_column(String(8))
    created: Mapped[datetime] = mapped_column(UTCDateTime)
    deleted: Mapped[datetime | None] = mapped_column(UTCDateTime)  # since when it is in their bin
    user_name: Mapped[str | None] = name_of(user_id)


class ShareLinkRow(Base):
    """A link that shows one view of some experiments to whoever has it. Only the hash of its token is kept."""

    __tablename__ = "share_links"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    page: Mapped[str] = mapped_column(String(16))
    view: Mapped[str] = mapped_column(SafeText)  # the address of the view, after its question mark
    needs_sign_in: Mapped[bool]
    created: Mapped[datetime] = mapped_column(UTCDateTime)
    expires: Mapped[datetime | None] = mapped_column(UTCDateTime)
    revoked: Mapped[datetime | None] = mapped_column(UTCDateTime)
    last_opened: Mapped[datetime | None] = mapped_column(UTCDateTime)
    opened: Mapped[int] = mapped_column(default=0)
    user_name: Mapped[str | None] = name_of(user_id)


class ShareLinkExperimentRow(Base):
    """An experiment that a link shows."""

    __tablename__ = "share_link_experiments"

    link_id: Mapped[int] = mapped_column(ForeignKey("share_links.id", ondelete="CASCADE"), primary_key=True)
    experiment_id: Mapped[int] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True, index=True
    )


class CommentRow(Base):
    """What somebody said about an experiment."""

    __tablename__ = "comments"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(primary_key=True)
    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    text: Mapped[str] = mapped_column(SafeText)
    created: Mapped[datetime] = mapped_column(UTCDateTime)
    user_name: Mapped[str | None] = name_of(user_id)


class PresetRow(Base):
    """What a new experiment can start from; everybody who may launch one can."""

    __tablename__ = "presets"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(SafeText, unique=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))  # nobody: of the program itself
    document: Mapped[str] = mapped_column(Text)
    created: Mapped[datetime] = mapped_column(UTCDateTime)
    user_name: Mapped[str | None] = name_of(user_id)


class TokenRow(Base):
    """What a program shows instead of signing in. Only the hash is kept."""

    __tablename__ = "api_tokens"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    name: Mapped[str] = mapped_column(SafeText)
    scopes: Mapped[str] = mapped_column(SafeText)  # words, separated by blanks
    created: Mapped[datetime] = mapped_column(UTCDateTime)
    expires: Mapped[datetime | None] = mapped_column(UTCDateTime)
    revoked: Mapped[datetime | None] = mapped_column(UTCDateTime)
    last_used: Mapped[datetime | None] = mapped_column(UTCDateTime)
    user_name: Mapped[str | None] = name_of(user_id)


class AuditRow(Base):
    """Who did what, when; the name as it was then."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_moment", "moment"), Index("ix_audit_subject", "kind", "subject"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(primary_key=True)
    moment: Mapped[datetime] = mapped_column(UTCDateTime)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    who: Mapped[str] = mapped_column(SafeText)
    action: Mapped[str] = mapped_column(SafeText)
    kind: Mapped[str] = mapped_column(SafeText)
    subject: Mapped[str] = mapped_column(SafeText)
    detail: Mapped[str] = mapped_column(SafeText)


class RunnerRow(Base):
    """A runner that is there, or was when it was last seen."""

    __tablename__ = "runners"

    name: Mapped[str] = mapped_column(SafeText, primary_key=True)
    host: Mapped[str] = mapped_column(SafeText)
    version: Mapped[str] = mapped_column(SafeText)
    pid: Mapped[int]
    workers: Mapped[int]
    busy: Mapped[int]  # trials that are running
    started: Mapped[datetime] = mapped_column(UTCDateTime)
    seen: Mapped[datetime] = mapped_column(UTCDateTime)
