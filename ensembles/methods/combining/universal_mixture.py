"""Universal mixture: experts on more and more of the attributes, each weighed by the probability it gave to what came.

Singer & Feder (1999), for classes and log loss.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema
from ensembles.declarations import integer, real
from ensembles.draws import entropy_of, stream
from ensembles.jit import inner, kernel
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.feature_subset import MemberView
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.subspace_model import SubspaceModel
from ensembles.methods.core.block import NO_VOTES
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.pool_predictions import predict_and_learn_members
from ensembles.parameters import check_parameters

__all__ = ["NestedSubsets", "UniversalMixtureClassifier"]


class Mixture(NamedTuple):
    """How experts have fared, and what they weigh for it."""

    losses: np.ndarray  # (m,) sums of minus ln of the probability that the expert gave to the class
    weights: np.ndarray  # (m,) in proportion to exp(-losses), summing to 1
    own: np.ndarray  # (2,) the mixture's own sum of losses, and the weight of the examples


class NestedSubsets(SubspaceModel):
    """Lays out members that see the first attributes of an order which is drawn: the first member few, the last one all.

    If there are more members than attributes, each number of attributes has a member and others follow in the next order.
    """

    key = "nested_subsets"

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> list[MemberView]:
        n_attributes = len(schema.attributes)
        n_sizes, views = min(n_members, n_attributes), []
        for m in range(n_members):
            turn, place = divmod(m, n_sizes)
            size = math.ceil((place + 1) * n_attributes / n_sizes)
            order = stream(self.seed, "attribute_orders", turn).permutation(n_attributes)
            seed = int(stream(self.seed, "nested_subsets", m).integers(2**31))
            views.append(self.init_view(schema, np.sort(order[:size]), seed, n_classes, batch=batch))
        return views


class UniversalMixtureClassifier(OnlineEnsemble):
    """Universal mixture of online experts.

    Experts see the first attributes of an order which is drawn, from few to all; more experts than attributes follow
    several orders. All learn every example. The mixture tells the mean of their class probabilities, by weights in
    proportion to the product of the probabilities that each gave to the classes that came, before it learned them. So on any
    sequence its log loss, summed over the examples, is at most that of the best of M experts and ln M.

    Attributes
    ----------
    member_weights_ : array of shape (n_estimators,)
        Weights of the experts, which sum to 1.
    member_losses_ : array of shape (n_estimators,)
        Mean log loss of each expert on the examples, each before it was learned, in nats; NaN before the first.
    online_loss_ : float
        That of the mixture: online_loss_ <= min(member_losses_) + ln(n_estimators) / examples, if these weigh 1 each.

    Notes
    -----
    Singer and Feder mix linear predictors of numbers, of orders 1 to M, by weights exp(-squared error / 2c), which is the
    likelihood of Gaussian noise; of classes the likelihood is a product of probabilities. The order of a predictor is
    how many past values it sees: here it is how many attributes. They compute one order from the one before, which least
    squares allow: other base models learn each by itself.

    A product would be 0 for ever after a single 0: `smoothing` is the share of an even distribution that is mixed into what
    each expert says, when experts are weighed and in what the mixture tells. An example of weight w counts as w examples.

    References
    ----------
    Singer & Feder (1999), Universal linear prediction by model order weighting; Oza (2001), thesis, section 2.3.
    """

    key = "universal_mixture"
    name = "Universal mixture"
    position = 374
    family = "combining"
    summary = "Experts on few to all attributes, weighed by the probabilities that they gave to the classes that came."
    source = "Singer & Feder (1999)"
    weighted = False
    measures_errors = False
    predicts_while_learning = True
    vote = "soft"
    n_estimators: int = integer(default=10, label="Members", help="How many experts are mixed.", low=1, high=10_000)
    smoothing: float = real(
        default=0.01,
        label="Smoothing",
        help="Share of an even distribution in what each expert says, so that a probability of 0 does not end its weight.",
        low=1e-12,
        high=1.0,
    )

    def _new_base_model(self) -> NestedSubsets:
        base = super()._new_base_model()
        check_parameters(base)
        return NestedSubsets(base)

    def _seeded(self, base_model: BaseModel) -> NestedSubsets:
        return NestedSubsets(base_model.estimator, seed=entropy_of(self.random_state))

    def _start(self, n_members: int) -> None:
        self._mixture = Mixture(np.zeros(n_members), np.full(n_members, 1.0 / n_members), np.zeros(2))

    def _learn_examples(self, examples: TrainingBatch, **predicted: npt.NDArray[np.float64]) -> None:
        votes, n = predicted.get("votes", NO_VOTES), len(examples.labels)
        for part, said, _ in predict_and_learn_members(
            self.base_model(), self._members, examples, len(self.classes_), soft=True
        ):
            labels, weights = examples.labels[part], examples.weights[part]
            _mix_rows(said.probabilities, labels, weights, float(self._given.smoothing), self._mixture, votes[part])
            self._report(part.stop, n)
        self._all_vote(self._given.n_estimators, examples)
        self._sum_up()

    def _sum_up(self) -> None:
        losses, weights, (own, total) = self._mixture
        self.member_weights_ = weights.copy()
        self.member_losses_ = losses / total if total > 0 else np.full(len(losses), np.nan)
        self.online_loss_ = float(own / total) if total > 0 else math.nan

    def _shared(self, votes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        smoothing, shares = float(self._given.smoothing), super()._shared(votes)
        shares *= 1.0 - smoothing
        shares += smoothing / votes.shape[1]
        return shares


@kernel
def _mix_rows(probabilities, labels, weights, smoothing, mixture, votes):
    """Add up what experts say by their weights, then take the class of each example into these; votes may have no rows."""
    even = smoothing / probabilities.shape[2]
    for i in range(labels.shape[0]):
        told = 0.0
        for m in range(mixture.losses.shape[0]):
            if votes.shape[0] > 0:
                for c in range(votes.shape[1]):
                    votes[i, c] += mixture.weights[m] * probabilities[i, m, c]
            given = (1.0 - smoothing) * probabilities[i, m, labels[i]] + even
            told += mixture.weights[m] * given
            mixture.losses[m] -= weights[i] * math.log(given)
        mixture.own[0] -= weights[i] * math.log(told)
        mixture.own[1] += weights[i]
        _weigh(mixture.losses, mixture.weights)


@inner
def _weigh(losses, weights):
    """Write exp(-loss) of each expert, scaled so that they sum to 1; the best of them is exp(0) before, never 0."""
    least, total = losses[0], 0.0
    for m in range(1, losses.shape[0]):
        least = min(least, losses[m])
    for m in range(losses.shape[0]):
        weights[m] = math.exp(least - losses[m])
        total += weights[m]
    for m in range(losses.shape[0]):
        weights[m] /= total
