"""What one learner costs on one data set, by the best evidence there is: trials, a probe, other data, or none."""

from __future__ import annotations

import platform
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, Protocol

from ensembles.data.dataset import Dataset
from ensembles.experiments.config import DatasetRef, ExperimentConfig, LearnerSpec
from ensembles.experiments.cost_model import CostModel, LearnerCost, Span
from ensembles.experiments.past_trials import PastCost, PastTrials, cost_name, is_stream
from ensembles.experiments.probes import MEMBERS, find_cost, known_costs

__all__ = ["MEASURED", "Evidence", "PastByLearner", "TrialCost"]

Evidence = Literal["trials", "probe", "other trials", "other probes", "guess"]

MEASURED: frozenset[Evidence] = frozenset({"trials", "probe"})
"""What was measured of a learner on the data at hand."""

_UNKNOWN = Span(2e-9, 1e-7)  # seconds for an example, a member and an attribute: naive Bayes, and trees
_OTHER_DATA = 2.0  # what the same learner may take more or less on another data set of the same size


class PastByLearner:
    """What trials took that ended before, by learner.

    Parameters
    ----------
    past : sequence of PastTrials
        Where some are of this machine, only these count for their learner on their data.
    """

    def __init__(self, past: Sequence[PastTrials], *, stream: bool) -> None:
        self._stream = stream
        self._past: dict[str, list[PastTrials]] = defaultdict(list)
        here = {(one.learner, one.data) for one in past if one.host == platform.node()}
        for one in past:
            if one.host == platform.node() or (one.learner, one.data) not in here:
                self._past[one.learner].append(one)

    def of(self, learner: LearnerSpec) -> list[PastTrials]:
        """Return what is known of a learner on any data."""
        return self._past.get(cost_name(learner, stream=self._stream), []) if self._past else []

    def on(self, learner: LearnerSpec, reference: DatasetRef) -> list[PastTrials]:
        """Return what is known of a learner on a data set."""
        family = reference.family if self._past else ""
        return [one for one in self.of(learner) if one.data == family]


class _Cost(Protocol):
    """Seconds of the processor, and how many times as long it lasts."""

    busy: float

    def fit(self, examples: float) -> Span: ...

    def predict(self, examples: float, trained_on: float) -> Span: ...

    def call(self) -> Span: ...


class TrialCost:
    """What one learner costs on one data set.

    Attributes
    ----------
    evidence : str
        What is told from: `trials` of the learner on the data set that ended before, a `probe`, `other trials` or
        `other probes` of the learner on other data, or a `guess`.
    trials : int
        How many trials told.
    busy : float
        How many times as long as its own work it lasts, as others use the machine too; at least 1.
    """

    def __init__(
        self, config: ExperimentConfig, learner: LearnerSpec, place: int, dataset: Dataset, past: PastByLearner
    ) -> None:
        stream, reference = is_stream(config), config.datasets[place]
        attributes, classes = max(len(dataset.attributes), 1), len(dataset.classes)
        self.trials = 0
        self._cost: _Cost
        if alike := past.on(learner, reference):
            self.evidence: Evidence = "trials"
            self._cost = PastCost(alike, learner.n_members)
            self.trials = self._cost.trials
        elif probed := find_cost(learner, dataset, stream=stream):
            self.evidence, self._cost = "probe", _Probed(probed, learner.n_members)
        elif others := past.of(learner):
            self.evidence = "other trials"
            self._cost = PastCost(others, learner.n_members, attributes, classes)
            self.trials = self._cost.trials
        elif elsewhere := known_costs(learner, stream=stream):
            self.evidence, self._cost = "other probes", _Elsewhere(elsewhere, learner.n_members, attributes)
        else:
            self.evidence, self._cost = "guess", _Guess(learner.n_members * attributes)
        self.busy = self._cost.busy

    def fit(self, examples: float) -> Span:
        """Return the seconds of training, or of a stream."""
        return self._lasting(self._cost.fit(examples))

    def predict(self, examples: float, trained_on: float) -> Span:
        """Return the seconds of predicting."""
        return self._lasting(self._cost.predict(examples, trained_on))

    def call(self) -> Span:
        """Return the seconds of learning nothing more."""
        return self._lasting(self._cost.call())

    def _lasting(self, span: Span) -> Span:
        # Others may have gone by then, and more so since trials that ended long ago.
        least, most = (0.0, 0.75) if self.trials else (0.5, 1.0)
        return Span(span.low * self.busy**least, span.high * self.busy**most)


class _Probed:
    """As samples of the data set took."""

    def __init__(self, cost: LearnerCost, members: int) -> None:
        self.busy, self._cost, self._members = cost.busy, cost, members

    def fit(self, examples: float) -> Span:
        return self._told(self._cost.fit, examples, examples)

    def predict(self, examples: float, trained_on: float) -> Span:
        return self._told(self._cost.predict, examples, trained_on)

    def call(self) -> Span:
        return self._told(self._cost.fit, 0.0, 1.0)

    def _told(self, model: CostModel | None, examples: float, trained_on: float) -> Span:
        if model is None:
            return Span()
        stopped = max(MEMBERS[-1] * self._cost.built, 1.0) if self._cost.built < 1 else self._members
        built = min(self._members, stopped)  # it may stop early again, whatever it is allowed
        low = model.at(examples, built, trained_on).low
        return Span(low, model.at(examples, self._members, trained_on).high)


class _Elsewhere:
    """As samples of other data sets took: the quickest and the slowest."""

    def __init__(self, costs: Sequence[LearnerCost], members: int, attributes: int) -> None:
        self.busy = max(cost.busy for cost in costs)
        self._costs = [(_Probed(cost, members), attributes / cost.attributes) for cost in costs]

    def fit(self, examples: float) -> Span:
        return self._all([(cost.fit(examples), wider) for cost, wider in self._costs])

    def predict(self, examples: float, trained_on: float) -> Span:
        return self._all([(cost.predict(examples, trained_on), wider) for cost, wider in self._costs])

    def call(self) -> Span:
        return self._all([(cost.call(), wider) for cost, wider in self._costs])

    def _all(self, spans: Sequence[tuple[Span, float]]) -> Span:
        low = min(span.low * min(wider, 1.0) for span, wider in spans)
        high = max(span.high * max(wider, 1.0) for span, wider in spans)
        return Span(low / _OTHER_DATA, high * _OTHER_DATA)


class _Guess:
    """In proportion to examples, members and attributes, whatever the learner."""

    def __init__(self, cells: float) -> None:
        self.busy, self._cells = 1.0, cells

    def fit(self, examples: float) -> Span:
        return examples * self._cells * _UNKNOWN

    def predict(self, examples: float, trained_on: float) -> Span:  # noqa: ARG002
        return self.fit(examples)

    def call(self) -> Span:
        return Span()
