"""What a trial is and what it leaves behind: plain frozen records that travel between packages and processes."""

from dataclasses import dataclass, field
from typing import Any

from ensembles.evaluation.curve import Curve

__all__ = ["KeptModel", "TrialPlan", "TrialResult"]


@dataclass(frozen=True)
class TrialPlan:
    """One learner on one train/test split in one order.

    Attributes
    ----------
    key : str
        32 hexadecimal digits; the same plan of the same experiment always has the same key.
    dataset, learner : int
        Positions in the experiment's lists.
    repeat, fold, order : int
        Which split and which order of its training examples; from 0.
    sha256 : str
        Of the content of the data set; "" where it is not known.
    """

    key: str
    dataset: int
    learner: int
    repeat: int
    fold: int
    order: int
    sha256: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class KeptModel:
    """A model to take home: the file `model.skops`, and what it was trained on, and how, as plain values."""

    content: bytes
    facts: dict[str, Any]


@dataclass(frozen=True)
class TrialResult:
    """What a trial leaves behind. A failed trial has `error` (one sentence) and no measures.

    Attributes
    ----------
    measures : dict of str to float
        By measure key (`accuracy`, `error`, `mse`, ...).
    fit_seconds, predict_seconds : float
        Wall clock, compilation not included. On a stream, where both go on at once, the first is of both and the second
        not a number.
    fit_cpu_seconds, predict_cpu_seconds : float
        CPU time of the process meanwhile.
    members_used : int
        Members that vote.
    stopped : str or None
        Why training ended before all members were trained; of several training sets the first reason.
    curves : dict of str to Curve
        By curve key (`learning_curve`, `member_errors`).
    confusion : tuple of tuple of int
        Rows: true class, columns: predicted class, in the order of the data set's classes.
    host, version : str
        Machine and digest of the sources that computed it.
    model : KeptModel or None
        What was trained, where somebody may want it.
    """

    key: str
    error: str | None = None
    measures: dict[str, float] = field(default_factory=dict)
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    fit_cpu_seconds: float = float("nan")
    predict_cpu_seconds: float = float("nan")
    members_used: int = 0
    stopped: str | None = None
    n_train: int = 0
    n_test: int = 0
    curves: dict[str, Curve] = field(default_factory=dict)
    confusion: tuple[tuple[int, ...], ...] = ()
    host: str = ""
    version: str = ""
    model: KeptModel | None = None
