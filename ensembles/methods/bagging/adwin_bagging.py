"""ADWIN bagging: online bagging that watches its members' errors and replaces the worst when they rise.

Bifet, Holmes, Pfahringer, Kirkby & Gavalda (2009), section 3.2.
"""

from typing import NamedTuple

import numpy as np

from ensembles.declarations import choice, real
from ensembles.draws import poisson_counts
from ensembles.jit import inner, kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import (
    Rows,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    prepare_example,
    reset,
    vote_and_learn,
)
from ensembles.methods.bagging.online_bagging import RATE
from ensembles.methods.bagging.output_codes import NO_CODES
from ensembles.methods.core.base import VOTE
from ensembles.methods.core.block import NO_VOTES, Block, block_of
from ensembles.methods.core.drift import RISEN, forget_outcomes, watch, watched_rate
from ensembles.methods.core.drift_detectors import (
    DRIFT_DETECTOR,
    detectors_of,
    sampling_draws,
    sampling_streams,
    with_delta,
)
from ensembles.methods.core.online import OnlineEnsemble, Votes
from ensembles.methods.core.show import Late

__all__ = ["DELTA", "AdwinBaggingClassifier"]

DELTA = real(
    default=0.002,
    label="Chance of a false alarm",
    help="How sure a member's error must have changed; less makes it slower to notice and wrong less often. ADWIN's alone.",
    low=0.0,
    high=1.0,
    open_low=True,
    lasting=False,
)


class Rules(NamedTuple):
    """Whether members are tested after they learn, and whether they vote by their probabilities."""

    after: bool
    soft: bool


class AdwinBaggingClassifier(OnlineEnsemble):
    """ADWIN bagging: online bagging for streams that change.

    Each member is tested on each example before it learns it, or after, and an ADWIN window, or another detector of change,
    watches its errors. Whenever the error of a member has risen, the member with the highest error begins anew.

    Attributes
    ----------
    n_replaced_ : int
        How often a member began anew. As long as it is 0 the ensemble is that of online bagging.
    member_errors_ : array of shape (n_estimators,)
        Error of each member on the examples that its detector remembers; NaN for a member never tested.

    Notes
    -----
    The paper replaces one member an example. But windows are looked at every 32 outcomes, so most of them see an abrupt
    change at the same example and not again: here as many members begin anew as windows have seen it.

    The paper does not say whether members are tested before or after they learn an example; MOA's programs test them after.

    Other detectors than ADWIN are not of the paper. They begin anew after each change that they told, of other members too.

    References
    ----------
    Bifet et al. (2009), section 3.2; Bifet & Gavalda (2007). Other detectors: Gama et al. (2004), Page (1954), Raab et al.
    (2020).
    """

    key = "adwin_bagging"
    name = "ADWIN bagging"
    position = 160
    family = "bagging"
    summary = "Online bagging that replaces its worst member when the errors of any rise."
    source = "Bifet et al. (2009), section 3.2"
    weighted = False
    purpose = "online_bagging"  # the very ensemble of online bagging until a member begins anew
    rate: float = RATE
    delta: float = DELTA
    drift_detector: str = DRIFT_DETECTOR
    tested: str = choice(
        default="before",
        label="Members are tested",
        help="Which mistakes detectors of change are told: those before a member learns the example, or after, as in MOA.",
        choices=("before", "after"),
        labels=("before they learn the example", "after they learned the example"),
        lasting=False,
    )
    vote: str = VOTE
    predicts_while_learning = predicts_late = True
    _codes = NO_CODES  # side of each class for each member, if these tell sides and not classes

    def _start(self, n_members: int) -> None:
        self._streams = self._drawing(n_members)
        self._detectors = detectors_of(self._given.drift_detector, n_members, self._given.delta)
        self._sampling = sampling_streams(self._detectors, self.random_state, n_members, "drift_detectors")
        self.n_replaced_ = 0

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: Votes = NO_VOTES) -> None:
        work = np.empty((5, 2 if len(self._codes) else len(self.classes_)))
        rules = Rules(self._given.tested == "after", self.soft_votes)
        members = bind(self._members, rows, one_by_one=True)
        asked = bind(self._members, votes.rows, one_by_one=True) if isinstance(votes, Late) else None
        self._detectors = with_delta(self._detectors, self._given.delta)
        for start, draws in self._blocks(len(examples.labels)):
            counts = poisson_counts(float(self._given.rate), draws)
            block = block_of(rows, examples, start, start + len(draws))
            sampling = sampling_draws(self._sampling, *draws.shape)
            given = self._detectors, block, (counts, sampling), self._codes, rules, work, votes
            self.n_replaced_ += (
                _bag_and_watch(members, *given) if asked is None else _bag_and_watch_late((members, asked), *given)
            )
        self._set_votes(np.ones(self._given.n_estimators), self._detectors.rates())


@inner
def _add_vote(votes, i, codes, m, predicted):
    """Add the vote of member m for a class, or for all classes of the side that it tells."""
    if codes.shape[0] == 0:
        votes[i, predicted] += 1.0
        return
    for c in range(votes.shape[1]):
        if codes[m, c] == predicted:
            votes[i, c] += 1.0


@inner
def _add_probabilities(votes, i, codes, m, probabilities):
    """Add what member m gives each class, or the side of each class."""
    for c in range(votes.shape[1]):
        votes[i, c] += probabilities[codes[m, c] if codes.shape[0] > 0 else c]


@kernel
def _bag_and_watch(members, detectors, block, drawn, codes, rules, work, votes):
    """Test and teach every member; return how many began anew.

    drawn: how often each sees an example, and numbers for detectors, (examples, members) both. Members always vote before
    they learn. work: five rows of classes.
    """
    rows, labels, weights, replaced = block.rows, block.labels, block.weights, 0
    counts, sampling = drawn
    for j in range(counts.shape[0]):
        i = block.start + j
        risen = 0
        prepare_example(members, rows, i)
        for m in range(counts.shape[1]):
            label = codes[m, labels[i]] if codes.shape[0] > 0 else labels[i]
            weight = counts[j, m] * weights[i]
            if votes.shape[0] > 0 and rules.soft:
                predicted = vote_and_learn(members, m, rows, i, label, weight, rules.after, work, work[4])
                _add_probabilities(votes, i, codes, m, work[4])
            else:
                voted = predict_one(members, m, rows, i, work) if rules.after and votes.shape[0] > 0 else -1
                predicted = predict_and_learn(members, m, rows, i, label, weight, rules.after, work)
                if not rules.after:
                    voted = predicted
                if voted >= 0 and votes.shape[0] > 0:
                    _add_vote(votes, i, codes, m, voted)
            if predicted >= 0 and watch(detectors, m, int(predicted != label), sampling[j, m]) == RISEN:
                risen += 1
        for _ in range(risen):
            worst = 0
            for m in range(1, counts.shape[1]):
                if watched_rate(detectors, m) > watched_rate(detectors, worst):
                    worst = m
            reset(members, worst)
            forget_outcomes(detectors, worst)
        replaced += risen
    return replaced


@kernel
def _bag_and_watch_late(members, detectors, block, drawn, codes, rules, work, late):
    """As `_bag_and_watch`; before an example is learned, members, bound to their rows, vote for those predicted before."""
    (shown, asked), (counts, sampling), replaced = members, drawn, 0
    for j in range(counts.shape[0]):
        i = block.start + j
        for k in range(late.until[i - 1] if i > 0 else 0, late.until[i]):
            _let_vote(asked, counts.shape[1], late, k, codes, rules.soft, work)
        one, numbers = (
            Block(block.rows, block.labels, block.weights, i, i + 1),
            (counts[j : j + 1], sampling[j : j + 1]),
        )
        replaced += _bag_and_watch(shown, detectors, one, numbers, codes, rules, work, work[:0])
    return replaced


@inner
def _let_vote(members, n_members, late, k, codes, soft, work):
    """Add the votes of all members for example k of those that are predicted late."""
    for m in range(n_members):
        if soft:
            predict_proba_one(members, m, late.rows, k, work, work[4])
            _add_probabilities(late.votes, k, codes, m, work[4])
        else:
            voted = predict_one(members, m, late.rows, k, work)
            if voted >= 0:
                _add_vote(late.votes, k, codes, m, voted)
