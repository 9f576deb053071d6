"""The frozen records that go in and out of the storage."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ensembles.experiments.config import ExperimentConfig

__all__ = ["FINAL_STATES", "DatasetRecord", "ExperimentRecord", "Health", "Standing", "State"]

State = Literal["waiting", "running", "cancelling", "finished", "cancelled", "failed"]

Standing = Literal["held", "unwanted", "lost"]
"""How an experiment stands for the runner that took it: still its own; a user wishes it cancelled; deleted or another's."""

FINAL_STATES: frozenset[str] = frozenset({"finished", "cancelled", "failed"})


@dataclass(frozen=True)
class DatasetRecord:
    """A stored data set, without its content.

    Attributes
    ----------
    rows, nominal, numeric, classes, missing_cells : int
        Examples, attributes of each kind, classes, missing values.
    created : datetime
        When it was stored, in UTC.
    experiments : int
        How many experiments use it; it cannot be deleted while there is one.
    """

    sha256: str
    name: str
    rows: int
    nominal: int
    numeric: int
    classes: int
    missing_cells: int
    source: str
    created: datetime
    experiments: int


@dataclass(frozen=True)
class ExperimentRecord:
    """An experiment as it stands.

    Attributes
    ----------
    id : str
        Twelve random letters and digits: the permalink.
    state : str
        `waiting` -> `running` -> `finished`, or -> `cancelling` -> `cancelled`, or -> `failed` when it could not be
        run at all.
    created, started, finished : datetime or None
        In UTC.
    total : int or None
        Number of trials; None until it is planned.
    done, failed : int
        Trials that have ended, and those among them that ended with an error.
    seconds_left : float or None
        Estimate of the runner, while it runs.
    message : str or None
        One sentence on why it failed, or why its last runner gave it back.
    silent_since : datetime or None
        When its runner ought to have been heard and was not, in UTC; None while one is heard, or none is wanted.
    """

    id: str
    name: str
    state: State
    config: ExperimentConfig
    created: datetime
    started: datetime | None
    finished: datetime | None
    total: int | None
    done: int
    failed: int
    seconds_left: float | None
    message: str | None
    silent_since: datetime | None = None

    @property
    def is_stalled(self) -> bool:
        """True when its runner has gone silent and no other has taken it over yet."""
        return self.silent_since is not None

    @property
    def is_final(self) -> bool:
        """True when nothing more will happen to it."""
        return self.state in FINAL_STATES


@dataclass(frozen=True)
class Health:
    """What a look at the database found.

    Attributes
    ----------
    problems : tuple of str
        One sentence each, fit for everybody's eyes: no host, user, folder or password is named. Empty when all is well.
    """

    problems: tuple[str, ...]

    @property
    def is_well(self) -> bool:
        """True when there is no problem."""
        return not self.problems
