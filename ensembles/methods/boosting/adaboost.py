"""AdaBoost: each member learns with more of the weight on what its predecessor got wrong.

M1 puts half of it there: thesis, figures 2.7 and 4.1; Bauer & Kohavi, section 3.2. SAMME, of K classes, (K - 1) / K, all but
what a guess gets right: Zhu et al. (2009), algorithm 2. For two classes they are the same.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice, integer, real
from ensembles.draws import entropy_of
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.methods.boosting.rounds import BoostingRules, boost
from ensembles.methods.core.base import VOTE, Ensemble
from ensembles.methods.core.warm_start import WARM_START, begin_or_go_on

__all__ = ["WEIGHTING", "AdaBoostClassifier"]

WEIGHTING = choice(
    default="reweight",
    label="How members learn weights",
    help="Give members the weights, or a sample drawn in proportion to them. Base models that take no weights get samples.",
    details="Members learn the weighted examples, or as many as there are, drawn in proportion to the weights: right for "
    "neural networks (thesis, section 4.1), clearly better for trees in Arc-x4 (Bauer & Kohavi), and always done for base "
    "models that take no weights.",
    choices=("reweight", "resample"),
    labels=("weighted examples", "a sample"),
)


class AdaBoostClassifier(Ensemble):
    """AdaBoost, for more than two classes SAMME or M1.

    A member of error e votes with ln((1 - e) / e) + ln(K - 1): by M1 K is 2, by SAMME the number of classes. By default it
    stops as the thesis does: before a member that is no better than a guess among K, so that its error is 1 - 1/K or more,
    and after one whose error is zero, warns (`StoppedEarly`) and says why. A member's error counts at least half an example,
    so that no vote is infinite. If the very first member is no better than chance, it votes alone.

    Attributes
    ----------
    n_members_ : int
        Members that were trained and vote.
    stop_reason_ : str or None
        Why training ended before `n_estimators` members; None if it did not.
    example_weights_ : array of shape (members, examples)
        If the attribute `keep_weights` was set to True before `fit`: the weights that each member was trained with,
        divided by their average, of the examples whose `sample_weight` is positive.

    Notes
    -----
    The thesis's boosting of networks in one pass, with one or ten updates an example (tables 4.5 and 4.6), is this method
    with `weighting="resample"` on `NeuralNetworkClassifier(epochs=1, updates_per_example=u)`.

    References
    ----------
    Freund & Schapire (1996); Oza (2001), figure 4.1; Bauer & Kohavi (1999), section 3.2; Zhu, Zou, Rosset & Hastie (2009),
    algorithm 2.
    """

    key = "adaboost"
    name = "AdaBoost"
    position = 200
    family = "boosting"
    summary = "Trains members one after another, each with half the weight on what the one before got wrong."
    source = "Oza (2001), figure 4.1"
    weighted = False
    stops_early = True
    keep_weights = False
    _resets: tuple[int, ...] = ()  # how often each member started again
    algorithm: str = choice(
        default="samme",
        former_defaults=("m1",),
        label="More than two classes",
        help="Members need only beat a guess among all classes (SAMME), or must be right more often than not (M1).",
        details="How more than two classes are boosted: SAMME takes members that beat a guess among all classes; M1, as in "
        "the thesis, stops at the first that errs on half of the weight. Two are boosted alike.",
        choices=("samme", "m1"),
        labels=("SAMME", "M1, as in Oza 2001"),
    )
    weighting: str = WEIGHTING
    stop_rule: str = choice(
        default="oza",
        label="When a member is no better than chance",
        help="Stop, as in the thesis; or start again from equal weights on a bootstrap sample, as Bauer and Kohavi.",
        details=(
            "Stop at an error of a guess or more, by M1 one half; or, above that, draw a bootstrap sample, give all in it "
            "equal weights again and train anew (Bauer & Kohavi)."
        ),
        choices=("oza", "bk"),
        labels=("stop", "start again from a sample"),
    )
    max_resets: int = integer(
        default=25,
        label="Fresh starts",
        help="How often one member may start again.",
        details='With "bk", how often that may happen for one member.',
        low=0,
        high=10_000,
    )
    min_weight: float = real(
        default=1e-6,
        label="Least weight",
        help="No example weighs less than this, where 1 is the average.",
        low=0.0,
        high=1e-3,
    )
    zero_error: str = choice(
        default="keep_stop",
        label="After a member without error",
        help="Keep it and stop, let it decide alone, or go on.",
        choices=("keep_stop", "infinite", "smooth"),
        labels=("keep it and stop", "it decides alone", "go on"),
    )
    proba: str = choice(
        default="shares",
        label="Probabilities",
        help="Shares of the votes, or what the votes are the log-odds of.",
        details=(
            "Probabilities are shares of the votes; or, of two classes, the logistic function of the difference "
            "of their votes. More classes have probabilities in proportion to the exponentials of their votes, "
            "which is ours."
        ),
        choices=("shares", "logistic"),
        labels=("shares of the votes", "logistic"),
    )

    vote: str = VOTE
    warm_start: bool = WARM_START

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost; `sample_weight` is what the first member learns by, and all learn as much weight."""
        examples, kept = begin_or_go_on(self, X, y, sample_weight)
        rows = self._rows(examples.table, learning=True)
        rules = BoostingRules(
            self._given.weighting,
            self._given.stop_rule,
            self._given.max_resets,
            self._given.min_weight,
            self._given.zero_error,
            entropy_of(self.random_state),
            self._given.algorithm,
        )
        boosted = boost(
            self.base_model(),
            self._members,
            self._given.n_estimators,
            rows,
            examples,
            len(self.classes_),
            self._report,
            rules,
            keep=self.keep_weights,
            trained=self._resets[:kept],
        )
        self._members, self._resets = boosted.members, boosted.resets
        self._set_votes(boosted.votes, boosted.errors)
        if self.keep_weights:
            self.example_weights_ = boosted.weights
        self._note_stop(self.n_members_, self._given.n_estimators, boosted.reason)
        return self

    def _shared(self, votes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        decided = self._given.zero_error == "infinite" and self.member_errors_[-1] == 0.0
        if self._given.proba == "shares" or decided:
            return super()._shared(votes)
        odds = np.exp(votes - votes.max(axis=1, keepdims=True))
        shares: npt.NDArray[np.float64] = odds / odds.sum(axis=1, keepdims=True)
        return shares
