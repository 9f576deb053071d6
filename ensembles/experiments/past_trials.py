"""What trials took that ended before, and so what others of their kind will take: never less for more."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, prod
from statistics import geometric_mean

from ensembles.experiments.config import ExperimentConfig, LearnerSpec, Prequential
from ensembles.experiments.cost_model import Span

__all__ = ["PastCost", "PastTrials", "cost_name", "is_stream"]

_MARGIN = 1.2  # what the same trials take more or less from one experiment to the next
_OTHER_DATA = 2.0  # what a learner may take more or less on other data of the same size
_MOST_OTHERS = 5  # other data sets that tell of one, those nearest in attributes and classes
_STOPPED_AGAIN = 1.25  # a method that stopped early may build so many times as many members on other splits

# By which powers of what there is more of the time may grow, at least and at most.
_SLOWEST, _FASTEST = 0.3, 2.5  # what is believed of growth that was seen
_APART, _ALIKE = 2.0, 1.5  # in so different numbers of examples, with so similar numbers of members
_LEAST = 1e-9  # seconds
_BY_ROWS = (0.85, 1.25)  # training: naive Bayes in proportion, trees like sorting
_BY_TRAINING = (0.0, 0.4)  # predicting, by the examples that the model was trained on
_BY_MEMBERS = (0.9, 1.0)
_BY_ATTRIBUTES, _BY_CLASSES = (0.5, 1.1), (0.0, 1.0)


@dataclass(frozen=True)
class PastTrials:
    """What the trials of one learner on one data set took in an experiment that is over.

    Attributes
    ----------
    learner : str
        `cost_name` of the learner.
    data : str
        `DatasetRef.family`.
    n_train, n_test : float
        Training and test examples of a trial.
    attributes, classes : int
    members, built : float
        Members that were allowed, and that there were in the end.
    fit_seconds, predict_seconds : float
        Processor seconds of a training (of a stream: of all of it), and of predicting the test examples, as means.
    busy : float
        How many times as long these took by the clock on the wall; at least 1.
    trials : int
    host : str
        The machine.
    """

    learner: str
    data: str
    n_train: float
    n_test: float
    attributes: int
    classes: int
    members: float
    built: float
    fit_seconds: float
    predict_seconds: float
    busy: float
    trials: int
    host: str


def is_stream(config: ExperimentConfig) -> bool:
    """Return whether each example is predicted and then learned, which costs otherwise than one after the other."""
    return isinstance(config.protocol, Prequential)


def cost_name(learner: LearnerSpec, *, stream: bool) -> str:
    """Return what learners have in common that cost the same but for their number of members, 32 hexadecimal digits."""
    content = f"{learner.with_members(2).canonical}{' on a stream' if stream else ''}"
    return hashlib.sha256(content.encode()).hexdigest()[:32]


class PastCost:
    """What a learner takes on a data set, told from its trials there, or else from its trials on other data.

    Each past experiment bounds the time from below and from above; both are exact where it had as many examples and members,
    and open with the distance, by the powers above, or by those that past experiments of several sizes show. The highest
    lower and the lowest upper bound are told. As none of the bounds falls with examples or members, what is told does not
    fall either.

    Parameters
    ----------
    past : sequence of PastTrials
        At least one, all of the learner.
    members : int
        That are asked about.
    attributes, classes : int, optional
        Of the data set that is asked about, when `past` is of others.
    """

    def __init__(
        self, past: Sequence[PastTrials], members: int, attributes: int | None = None, classes: int | None = None
    ) -> None:
        groups: dict[str, list[tuple[PastTrials, Span]]] = defaultdict(list)
        self._wider = _MARGIN
        if attributes is None or classes is None:
            groups[""] = [(one, Span(1.0, 1.0)) for one in past]
        else:
            self._wider *= _OTHER_DATA
            for one in past:
                wide, deep = attributes / max(one.attributes, 1), classes / max(one.classes, 1)
                groups[one.data].append((one, _times(_grown(wide, _BY_ATTRIBUTES), _grown(deep, _BY_CLASSES))))
        nearest = sorted(groups.values(), key=lambda group: group[0][1].high / group[0][1].low)[:_MOST_OTHERS]
        self._groups, self._members = nearest, members
        self._by_rows = _powers_of([[one for one, _ in group] for group in nearest])
        self.trials = sum(one.trials for group in nearest for one, _ in group)
        self.busy = sum(one.busy * one.trials for group in nearest for one, _ in group) / max(self.trials, 1)

    def fit(self, examples: float) -> Span:
        """Return the processor seconds of training, or of a stream."""
        return self._told(lambda one: one.fit_seconds * _grown(examples / max(one.n_train, 1.0), self._by_rows))

    def predict(self, examples: float, trained_on: float) -> Span:
        """Return the processor seconds of predicting so many examples."""
        return self._told(
            lambda one: (
                one.predict_seconds
                * (examples / max(one.n_test, 1.0))
                * _grown(trained_on / max(one.n_train, 1.0), _BY_TRAINING)
            )
        )

    def call(self) -> Span:
        """Return nothing: what a call costs besides its examples is in the means."""
        return Span()

    def _told(self, of_one: Callable[[PastTrials], Span]) -> Span:
        common = [
            _common([_times(of_one(one), data, self._of_members(one)) for one, data in group]) for group in self._groups
        ]
        low, high = (geometric_mean([max(getattr(one, side), _LEAST) for one in common]) for side in ("low", "high"))
        return Span(low / self._wider, high * self._wider)

    def _of_members(self, one: PastTrials) -> Span:
        """Return how many times as long it takes as with the members of `one`; who stopped early may do so again."""
        if one.built >= one.members:
            return _grown(self._members / max(one.members, 1.0), _BY_MEMBERS)
        built = max(one.built, 1.0)
        low = _grown(min(self._members, built) / built, _BY_MEMBERS).low
        return Span(low, min(self._members / built, _STOPPED_AGAIN))


def _powers_of(groups: Iterable[Sequence[PastTrials]]) -> tuple[float, float]:
    """Return by which powers of the examples training grows; what was seen of the learner may be more or less than usual."""
    slow, fast = _BY_ROWS
    for one, other in (pair for group in groups for pair in combinations(group, 2)):
        ratio = other.n_train / max(one.n_train, 1.0)
        same_members = max(one.built, other.built) < _ALIKE * max(min(one.built, other.built), 1.0)
        if same_members and not 1 / _APART < ratio < _APART and min(one.fit_seconds, other.fit_seconds) > 0:
            seen = log(other.fit_seconds / one.fit_seconds) / log(ratio)
            slow, fast = max(min(slow, seen), _SLOWEST), min(max(fast, seen), _FASTEST)
    return slow, fast


def _grown(ratio: float, powers: tuple[float, float]) -> Span:
    """Return how many times as long it takes with so many times as much."""
    both = sorted(ratio**power for power in powers)
    return Span(both[0], both[1])


def _times(*spans: Span) -> Span:
    return Span(prod(span.low for span in spans), prod(span.high for span in spans))


def _common(spans: Iterable[Span]) -> Span:
    """Return what all spans have in common; where they have nothing, what lies between them."""
    spans = list(spans)
    low, high = max(span.low for span in spans), min(span.high for span in spans)
    return Span(min(low, high), max(low, high))
