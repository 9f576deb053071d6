"""The frozen records that go in and out of the storage."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ensembles.errors import InvalidConfig
from ensembles.experiments.config import ExperimentConfig

__all__ = [
    "FINAL_STATES",
    "DatasetRecord",
    "ExperimentRecord",
    "Folded",
    "Health",
    "Sorting",
    "Standing",
    "State",
    "Wanted",
    "Word",
]

State = Literal["waiting", "running", "cancelling", "finished", "cancelled", "failed"]

Standing = Literal["held", "unwanted", "paused", "lost"]
"""How an experiment stands for the runner that took it.

Still its own; a user wishes it cancelled, or given back for now; deleted or another's.
"""

Sorting = Literal["newest", "oldest", "name", "error", "quickest", "longest", "trials"]

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
        How many experiments use it, of those that who asks may see; it cannot be deleted while there is one.
    user_id, user_name : int, str or None
        To whom it belongs; None: to the program itself.
    visibility : str
        `private`, `team` or `link`.
    packed_bytes : int
        What it takes in the database.
    deleted : datetime or None
        Since when it is in the bin.
    in_batches : bool
        Whether it is a file that is read in batches where it lies, of which only a sample is stored.
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
    user_id: int | None = None
    user_name: str | None = None
    visibility: str = "team"
    packed_bytes: int = 0
    deleted: datetime | None = None
    in_batches: bool = False


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
    readable : ExperimentConfig or None
        What it compares; None where this installation cannot read it.
    created, started, finished : datetime or None
        In UTC.
    total : int or None
        Number of trials; None until it is planned, 0 where that is impossible.
    done, failed : int
        Trials that have ended, and those among them that ended with an error.
    seconds_left : float or None
        Estimate of the runner, while it runs; of one that waits again, the last.
    message : str or None
        One sentence on why it failed, or why its last runner gave it back.
    silent_since : datetime or None
        When its runner ought to have been heard and was not, in UTC; None while one is heard, or none is wanted.
    notes : str
        Markdown of a user: to be shown without HTML and images.
    tags : tuple of str
        Short words of users, sorted.
    seconds : float or None
        For how long it was run, without the time between an end, a pause and going on; None until it was first let go.
    best_learner : int or None
        Position of the learner with the lowest mean error over the data sets; None until it has ended.
    best_error : float or None
        That error, in [0, 1].
    extends : str or None
        Id of the experiment whose finished trials it takes over.
    user_id, user_name : int, str or None
        To whom it belongs; None: to the program itself.
    visibility : str
        `private`, `team` or `link`.
    priority : int
        How much it counts beside others, in [-2, 2]: a step doubles its share of the workers.
    paused : bool
        Whether no runner goes on with it until it is resumed; it is `waiting` as soon as its runner has heard.
    deleted : datetime or None
        Since when it is in the bin.
    unreadable : str or None
        One sentence on why this installation cannot read it: such a one is listed, and can be cancelled and deleted.
    """

    id: str
    name: str
    state: State
    readable: ExperimentConfig | None
    created: datetime
    started: datetime | None
    finished: datetime | None
    total: int | None
    done: int
    failed: int
    seconds_left: float | None
    message: str | None
    silent_since: datetime | None = None
    starred: bool = False
    archived: bool = False
    notes: str = ""
    tags: tuple[str, ...] = ()
    seconds: float | None = None
    best_learner: int | None = None
    best_error: float | None = None
    extends: str | None = None
    user_id: int | None = None
    user_name: str | None = None
    visibility: str = "team"
    priority: int = 0
    paused: bool = False
    deleted: datetime | None = None
    unreadable: str | None = None

    @property
    def config(self) -> ExperimentConfig:
        """What it compares; raise `InvalidConfig` with the sentence on it where this installation cannot read it."""
        if self.readable is None:
            raise InvalidConfig(self.unreadable)
        return self.readable

    @property
    def document(self) -> ExperimentConfig:
        """The same under the name that it has now, as files tell it."""
        return self.config.model_copy(update={"name": self.name})

    @property
    def is_stalled(self) -> bool:
        """True when its runner has gone silent and no other has taken it over yet."""
        return self.silent_since is not None

    @property
    def is_impossible(self) -> bool:
        """True when it failed because its trials cannot be planned, as they could not be the next time."""
        return self.state == "failed" and self.total == 0

    @property
    def is_final(self) -> bool:
        """True when nothing more will happen to it."""
        return self.state in FINAL_STATES


@dataclass(frozen=True)
class Word:
    """Something that experiments are found by.

    Attributes
    ----------
    word, label : str
        What it is stored as, and what people read.
    experiments : int
        How many experiments have it.
    """

    word: str
    label: str
    experiments: int


@dataclass(frozen=True)
class Wanted:
    """Which experiments, and in which order.

    Attributes
    ----------
    part : str
        Occurs in the name, the notes, the tags, or what a data set is called, written large or small.
    states : tuple of str
        One of these; any when empty.
    words : tuple of (str, str)
        All of these, each its kind (`dataset`, `method`, `base`, `protocol`, `tag`) and what it is stored as.
    tagged : tuple of str
        At least one of these tags; any or none when empty.
    starred : bool
        Only those with a star.
    mine : bool
        Only those of who asks.
    archived : bool or None
        Only those in the archive, or only the others; None for both.
    sort : str
    folds : tuple of tuples of str
        Each a few tags: of all experiments that carry one of them only the first in the order is listed.
    """

    part: str = ""
    states: tuple[State, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    tagged: tuple[str, ...] = ()
    starred: bool = False
    mine: bool = False
    archived: bool | None = False
    sort: Sorting = "newest"
    folds: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Folded:
    """The experiments behind one of `Wanted.folds`, as they stand.

    Attributes
    ----------
    tags : tuple of str
        Those of the fold.
    experiments : int
    states : tuple of (str, int)
        How many there are in each state.
    total, done, failed : int
        Trials, as far as they are planned; those that have ended; and those among them that ended with an error.
    seconds : float or None
        For how long they were run, together; None until one has ended.
    best_error : float or None
        The lowest of them, in [0, 1].
    created : datetime
        Of the newest, in UTC.
    """

    tags: tuple[str, ...]
    experiments: int
    states: tuple[tuple[State, int], ...]
    total: int
    done: int
    failed: int
    seconds: float | None
    best_error: float | None
    created: datetime

    @property
    def is_final(self) -> bool:
        """True when nothing more will happen to any of them."""
        return all(state in FINAL_STATES for state, _ in self.states)


@dataclass(frozen=True)
class Health:
    """What a look at the database found.

    Attributes
    ----------
    problems : tuple of str
        One sentence each, fit for everybody's eyes: no host, user, folder or password is named. Empty when all is well.
    database : bool
        Whether it answers and takes what is written, whatever else is wrong.
    """

    problems: tuple[str, ...]
    database: bool = True

    @property
    def is_well(self) -> bool:
        """True when there is no problem."""
        return not self.problems
