"""What the leaderboard tells."""

from dataclasses import dataclass
from datetime import datetime

from ensembles.experiments.learner_spec import LearnerSpec

__all__ = ["Score", "Scored"]


@dataclass(frozen=True)
class Scored:
    """Data on which there are results.

    Attributes
    ----------
    data : str
        `DatasetRef.content`.
    protocol : str
        The task: its kind, of streams with what makes errors those of another question ("prequential, labels 20 examples
        late").
    learners, experiments : int
        How many different ones there are.
    """

    data: str
    protocol: str
    learners: int
    experiments: int


@dataclass(frozen=True)
class Score:
    """How well a learner did on a data set in an experiment.

    Attributes
    ----------
    experiment, name : str
        Id and name of the experiment.
    data : str
        `DatasetRef.content`.
    spec : LearnerSpec
        The learner, with today's names of its settings.
    error, spread : float
        Mean and standard deviation over splits; the latter None where there is one.
    splits : int
    ratio : float
        Test examples for each training example.
    cpu_seconds : float or None
        To train and to predict once, the median over trials.
    """

    experiment: str
    name: str
    created: datetime
    data: str
    spec: LearnerSpec
    error: float
    spread: float | None
    splits: int
    ratio: float
    cpu_seconds: float | None
