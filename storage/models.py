"""The tables. They stay inside `storage`; records go in and out. Change them only together with a migration."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    column,
    select,
    table,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedSQLExpression, column_property, mapped_column

from storage.columns import SafeString, SafeText, UTCDateTime

__all__ = [
    "NEVER_REUSED",
    "Base",
    "CurveRow",
    "CurveSumRow",
    "DatasetChunkRow",
    "DatasetRow",
    "ExperimentDatasetRow",
    "ExperimentRow",
    "ScoreRow",
    "TimingRow",
    "TrialBlockRow",
    "TrialRow",
    "WordRow",
    "name_of",
]

# Without it SQLite gives the number of a deleted row to the next one.
NEVER_REUSED = {"sqlite_autoincrement": True}

# Of examples, of which a stream has more than four bytes count. SQLite's integers are that long under any name.
_Count = BigInteger().with_variant(Integer(), "sqlite")


class Base(DeclarativeBase):
    """Common ancestor of the tables; constraints have names, so that migrations can speak of them."""

    type_annotation_map = {float: Double}
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


def _bin_index(name: str) -> Index:
    """Return an index of what is in the bin alone: else a planner would think that it leads to all that is not."""
    in_bin = text("deleted IS NOT NULL")
    return Index(name, "deleted", sqlite_where=in_bin, postgresql_where=in_bin)


def name_of(user_id: Mapped[Any]) -> MappedSQLExpression[str | None]:
    """Return what the owner of a row is called, which is read with it."""
    users = table("users", column("id", Integer()), column("name", SafeText()))
    name = select(users.c.name).where(users.c.id == user_id).correlate_except(users)
    return column_property(name.scalar_subquery())


class DatasetRow(Base):
    """A stored data set, without its content."""

    __tablename__ = "datasets"
    __table_args__ = (_bin_index("ix_datasets_deleted"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(SafeString(64), unique=True)
    name: Mapped[str] = mapped_column(SafeText)
    rows: Mapped[int] = mapped_column(_Count)
    nominal: Mapped[int]
    numeric: Mapped[int]
    classes: Mapped[int]
    missing_cells: Mapped[int] = mapped_column(BigInteger)
    source: Mapped[str] = mapped_column(SafeText)
    created: Mapped[datetime] = mapped_column(UTCDateTime)
    packed_bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), index=True)  # nobody: of the program itself
    visibility: Mapped[str] = mapped_column(String(8), default="team")
    deleted: Mapped[datetime | None] = mapped_column(UTCDateTime)  # since when it is in the bin
    file: Mapped[str | None] = mapped_column(Text)  # how a file is read in batches, of which the content is a sample
    facts: Mapped[str | None] = mapped_column(
        Text, deferred=True
    )  # what its card says, so that nobody reads the rows for it
    user_name: Mapped[str | None] = name_of(user_id)


class DatasetChunkRow(Base):
    """A slice of a data set's content, so that neither side has to hold one huge value."""

    __tablename__ = "dataset_chunks"

    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class ExperimentRow(Base):
    """An experiment with its state, its counters and the lease of the runner that holds it."""

    __tablename__ = "experiments"
    __table_args__ = (
        Index("ix_experiments_state", "state"),
        Index("ix_experiments_archived", "archived", "id", "deleted", "visibility", "user_id"),
        _bin_index("ix_experiments_deleted"),
        Index("ix_experiments_best_error", "best_error"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column("permalink", SafeString(12), unique=True)
    name: Mapped[str] = mapped_column(SafeText)
    state: Mapped[str] = mapped_column(String(12))
    config: Mapped[str] = mapped_column(Text)
    created: Mapped[datetime] = mapped_column(UTCDateTime)
    started: Mapped[datetime | None] = mapped_column(UTCDateTime)
    finished: Mapped[datetime | None] = mapped_column(UTCDateTime)
    total: Mapped[int | None]
    done: Mapped[int]
    failed: Mapped[int]
    seconds_left: Mapped[float | None]
    message: Mapped[str | None] = mapped_column(SafeText)
    runner: Mapped[str | None] = mapped_column(SafeText)
    lease_until: Mapped[datetime | None] = mapped_column(UTCDateTime)
    starred: Mapped[bool] = mapped_column(default=False)
    archived: Mapped[bool] = mapped_column(default=False)
    notes: Mapped[str] = mapped_column(SafeText, default="")
    tags: Mapped[str] = mapped_column(SafeText, default="")  # for display; `WordRow` is what is searched
    seconds: Mapped[float | None]
    best_learner: Mapped[int | None]
    best_error: Mapped[float | None]
    extends: Mapped[str | None] = mapped_column(SafeString(12))
    priority: Mapped[int] = mapped_column(default=0)
    paused: Mapped[bool] = mapped_column(default=False)
    snapshots_wanted: Mapped[int] = mapped_column(default=0)  # how often somebody wished for them
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"), index=True)  # nobody: of the program itself
    visibility: Mapped[str] = mapped_column(String(8), default="team")
    deleted: Mapped[datetime | None] = mapped_column(UTCDateTime)  # since when it is in the bin
    user_name: Mapped[str | None] = name_of(user_id)


class WordRow(Base):
    """One thing that experiments are found by: a data set, a method, a base model, the protocol, a tag.

    Another is by what their learners are ranked: the task, a protocol with what makes its errors those of another question.
    """

    __tablename__ = "experiment_words"
    __table_args__ = (Index("ix_experiment_words_kind", "kind", "word", "experiment_id", "label"),)

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(8), primary_key=True)
    word: Mapped[str] = mapped_column(SafeText, primary_key=True)
    label: Mapped[str] = mapped_column(SafeText)


class ScoreRow(Base):
    """How well a learner did on a data set in an experiment that is over: what is compared across experiments."""

    __tablename__ = "scores"
    __table_args__ = (Index("ix_scores_data", "data", "error"),)

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    dataset: Mapped[int] = mapped_column(primary_key=True)
    learner: Mapped[int] = mapped_column(primary_key=True)
    data: Mapped[str] = mapped_column(SafeText)
    settings: Mapped[str] = mapped_column(SafeText)
    error: Mapped[float]
    spread: Mapped[float | None]
    splits: Mapped[int]
    ratio: Mapped[float]
    cpu_seconds: Mapped[float | None]


class TimingRow(Base):
    """What the trials of a learner on a data set took in an experiment that is over, as `PastTrials` says."""

    __tablename__ = "timings"
    __table_args__ = (
        Index("ix_timings_learner", "learner", "experiment_id"),
        Index("ix_timings_data", "learner", "data", "experiment_id"),
    )

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    learner: Mapped[str] = mapped_column(String(32))
    data: Mapped[str] = mapped_column(SafeText)
    n_train: Mapped[float]
    n_test: Mapped[float]
    attributes: Mapped[int]
    classes: Mapped[int]
    members: Mapped[float]
    built: Mapped[float]
    fit_seconds: Mapped[float]
    predict_seconds: Mapped[float]
    busy: Mapped[float]
    trials: Mapped[int]
    host: Mapped[str] = mapped_column(SafeText)


class ExperimentDatasetRow(Base):
    """Which stored data sets an experiment needs; they cannot be deleted while it exists."""

    __tablename__ = "experiment_datasets"

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id"), primary_key=True, index=True)


class TrialRow(Base):
    """A trial that has ended, well or not."""

    __tablename__ = "trials"
    __table_args__ = (
        UniqueConstraint("experiment_id", "key"),
        Index("ix_trials_experiment_id", "experiment_id", "id"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(32))
    dataset: Mapped[int]
    learner: Mapped[int]
    repeat: Mapped[int]
    fold: Mapped[int]
    order: Mapped[int]
    measures: Mapped[str] = mapped_column(Text)
    fit_seconds: Mapped[float | None]
    predict_seconds: Mapped[float | None]
    fit_cpu_seconds: Mapped[float | None]
    predict_cpu_seconds: Mapped[float | None]
    members_used: Mapped[int]
    stopped: Mapped[str | None] = mapped_column(SafeText)
    n_train: Mapped[int] = mapped_column(_Count)
    n_test: Mapped[int] = mapped_column(_Count)
    error: Mapped[str | None] = mapped_column(SafeText)
    host: Mapped[str] = mapped_column(SafeText)
    version: Mapped[str] = mapped_column(SafeText)
    confusion: Mapped[str] = mapped_column(Text)


class CurveRow(Base):
    """One curve of a trial: two series of doubles."""

    __tablename__ = "curves"

    trial_id: Mapped[int] = mapped_column(ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    x: Mapped[bytes] = mapped_column(LargeBinary)
    y: Mapped[bytes] = mapped_column(LargeBinary)


class CurveSumRow(Base):
    """What is drawn of the curves of many trials of an experiment that is over: `storage.results.curve_sums`."""

    __tablename__ = "curve_sums"

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    trials: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)


class TrialBlockRow(Base):
    """What reports read of many trials of an experiment, as columns of numbers: `storage.results.packed`."""

    __tablename__ = "trial_blocks"

    experiment_id: Mapped[int] = mapped_column(ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    trials: Mapped[int]
    last_id: Mapped[int] = mapped_column(BigInteger)
    confusion: Mapped[str] = mapped_column(Text)
    content: Mapped[bytes] = mapped_column(LargeBinary)
