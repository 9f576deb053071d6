"""The tables of streams that run, and of models to take home; like those of `storage.models`, they stay inside `storage`."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from storage.columns import SafeText, UTCDateTime
from storage.models import Base

__all__ = ["KeptModelChunkRow", "KeptModelRow", "SnapshotChunkRow", "StreamRow"]


class StreamRow(Base):
    """What a trial on a stream tells of itself before it has ended, and where its snapshot was taken."""

    __tablename__ = "streams"

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(32), primary_key=True)
    dataset: Mapped[int]
    learner: Mapped[int]
    order: Mapped[int]
    told: Mapped[datetime] = mapped_column(UTCDateTime)
    news: Mapped[bytes] = mapped_column(LargeBinary)
    snapshot_seen: Mapped[int] = mapped_column(BigInteger, default=0)
    snapshot_bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    snapshot_taken: Mapped[datetime | None] = mapped_column(UTCDateTime)


class SnapshotChunkRow(Base):
    """A slice of a snapshot, so that neither side has to hold one huge value."""

    __tablename__ = "snapshot_chunks"

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(32), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class KeptModelRow(Base):
    """A model of a learner on a data set, or the wish for it, with who is at it.

    It was trained on all examples, or is what the trial of the first order has ended with, or come to.
    """

    __tablename__ = "kept_models"

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    dataset: Mapped[int] = mapped_column(primary_key=True)
    learner: Mapped[int] = mapped_column(primary_key=True)
    of_trial: Mapped[bool] = mapped_column(primary_key=True, default=False)
    state: Mapped[str] = mapped_column(String(8), index=True)
    asked: Mapped[datetime] = mapped_column(UTCDateTime)
    ended: Mapped[datetime | None] = mapped_column(UTCDateTime)
    runner: Mapped[str | None] = mapped_column(SafeText)
    lease_until: Mapped[datetime | None] = mapped_column(UTCDateTime)
    message: Mapped[str | None] = mapped_column(SafeText)
    facts: Mapped[str | None] = mapped_column(Text)
    size: Mapped[int] = mapped_column(BigInteger, default=0)


class KeptModelChunkRow(Base):
    """A slice of such a model."""

    __tablename__ = "kept_model_chunks"

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    dataset: Mapped[int] = mapped_column(primary_key=True)
    learner: Mapped[int] = mapped_column(primary_key=True)
    of_trial: Mapped[bool] = mapped_column(primary_key=True, default=False)
    position: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)
