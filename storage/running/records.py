"""What runners hear, and what is told of them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ensembles.evaluation.stream_watch import StreamNews
from storage.records import ExperimentRecord, Standing

__all__ = ["Holding", "ModelRecord", "ModelState", "ModelTask", "RunnerRecord", "StreamRecord"]

ModelState = Literal["waiting", "running", "ready", "failed"]


@dataclass(frozen=True)
class Holding:
    """What a runner hears of an experiment that it holds.

    Attributes
    ----------
    snapshots_wanted : int
        How often somebody has wished for snapshots of its streams.
    """

    standing: Standing
    priority: int = 0
    snapshots_wanted: int = 0


@dataclass(frozen=True)
class StreamRecord:
    """What is known of a trial on a stream that has not ended well.

    Attributes
    ----------
    key : str
        Of the trial.
    dataset, learner, order : int
        Its place in the experiment.
    told : datetime
        When it was heard last, in UTC.
    news : tuple of StreamNews
        What it told, the oldest first, thinned as there is more.
    snapshot_seen, snapshot_bytes : int
        After about how many examples its snapshot was taken, and how large that is; 0 without one.
    snapshot_taken : datetime or None
        When it was taken, in UTC.
    failed : bool
        Whether the trial has ended with a sentence.
    """

    key: str
    dataset: int
    learner: int
    order: int
    told: datetime
    news: tuple[StreamNews, ...]
    snapshot_seen: int = 0
    snapshot_bytes: int = 0
    snapshot_taken: datetime | None = None
    failed: bool = False


@dataclass(frozen=True)
class RunnerRecord:
    """A runner that claims experiments.

    Attributes
    ----------
    name : str
        As no other has ever been called.
    host, version : str
        Where it runs, and the version of the program.
    pid : int
        The number of its process there.
    workers, busy : int
        How many trials it can run at a time, and how many it runs.
    experiments : int
        How many experiments it holds.
    started, seen : datetime
        When it began and when it was heard last, in UTC: every second while it runs trials, else twice a minute.
    """

    name: str
    host: str
    version: str
    pid: int
    workers: int
    busy: int
    experiments: int
    started: datetime
    seen: datetime


@dataclass(frozen=True)
class ModelRecord:
    """A model of a learner on a data set, without its content.

    Attributes
    ----------
    dataset, learner : int
        Positions in the experiment.
    asked, ended : datetime, datetime or None
        When somebody wished for it first, and when it was trained or had failed, in UTC.
    message : str or None
        Why it failed, in a sentence.
    facts : dict or None
        What it was trained on, and how; once it is ready.
    size : int
        Bytes.
    of_trial : bool
        Whether it is what the trial of the first order on a stream has ended with, or come to, not trained on all examples.
    """

    dataset: int
    learner: int
    state: ModelState
    asked: datetime
    ended: datetime | None = None
    message: str | None = None
    facts: dict[str, Any] | None = None
    size: int = 0
    of_trial: bool = False

    @property
    def is_coming(self) -> bool:
        """Whether it waits or is being trained."""
        return self.state in ("waiting", "running")


@dataclass(frozen=True)
class ModelTask:
    """A model that a runner has to train.

    Attributes
    ----------
    dataset, learner : int
        Positions in the experiment.
    of_trial : bool
        See `ModelRecord`.
    trial : str
        Key of the trial whose snapshot it shall be made of; empty where there is none.
    """

    experiment: ExperimentRecord
    dataset: int
    learner: int
    of_trial: bool = False
    trial: str = ""
