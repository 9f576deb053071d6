"""AdaBoost: each member learns with more of the weight on what its predecessor got wrong.

M1 puts half of it there: thesis, figures 2.7 and 4.1; Bauer & Kohavi, section 3.2. SAMME, of K classes, (K - 1) / K, all but
what a guess gets right: Zhu et al. (2009), algorithm 2. For two classes they are the same.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice, integer, real
from ensembles.draws import draw_counts, entropy_of, stream
from ensembles.exact import quantise
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.methods.core.base import VOTE, Ensemble, log_odds

__all__ = ["WEIGHTING", "AdaBoostClassifier", "BoostingRules", "boost", "learned_weights"]

STOP_AT_HALF = "the error of member {m} was {error:.4f}, not below one half"
STOP_AT_CHANCE = "the error of member {m} was {error:.4f}, not below {chance:.4f}, that of guessing"
STOP_AT_ZERO = "member {m} made no mistake on its training set"

_ROUNDING = 1e-12  # an error this close to that of guessing is no better
_Numbers = npt.NDArray[np.float64]
_LEAST = 2.0**-20  # the finest weight that members learn: one that is positive stays positive


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


class BoostingRules(NamedTuple):
    """The settings of `AdaBoostClassifier`, with the defaults of the thesis."""

    weighting: str = "reweight"
    stop_rule: str = "oza"
    max_resets: int = 25
    min_weight: float = 1e-6
    zero_error: str = "keep_stop"
    seed: int = 0
    algorithm: str = "m1"


class Boosted(NamedTuple):
    """What boosting leaves: the members (with more room if they needed it), votes and errors of those kept, why it ended
    early, and the natural weights (members, examples) that those kept were trained with if they were asked for."""

    members: Any
    votes: np.ndarray
    errors: np.ndarray
    reason: str | None
    weights: np.ndarray | None


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
        If the attribute `keep_weights` was set to True before `fit`: the weights that each member was trained with, 1 on
        average, of the examples whose `sample_weight` is positive.

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
    algorithm: str = choice(
        default="samme",
        first_default="m1",
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

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost; `sample_weight` is the distribution that the first member sees, up to scale."""
        self._forget()
        examples = self._validated_examples(X, y, sample_weight, batch=True)
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
        )
        self._members = boosted.members
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


def boost(
    base_model: BaseModel, members: Any, n_members: int, rows: Rows, examples: TrainingBatch, n_classes: int,
    report: Callable[[int, int], None] | None = None, rules: BoostingRules | None = None, *, keep: bool = False,
) -> Boosted:  # fmt: skip
    """Train up to `n_members` members; return a `Boosted`."""
    rules = rules or BoostingRules()
    n, sides, chance = len(examples.labels), *_guess(rules, n_classes)
    logs = first = np.log(examples.weights / examples.weights.sum())
    errors, seen, reason, resets = list[float](), [], None, 0
    while len(errors) < n_members:
        m = len(errors)
        share = np.exp(logs)
        weights = learned_weights(share, logs > -np.inf, base_model, rules.weighting, rules.seed, "adaboost", m, resets)
        members = base_model.fit_member(members, m, rows, examples.labels, weights)
        wrong = base_model.classes_of(members, m, rows, n_classes) != examples.labels
        error = _rounded(float(share[wrong].sum()), chance)
        if error > chance and rules.stop_rule == "bk" and resets < rules.max_resets:
            resets += 1
            rng = stream(rules.seed, "adaboost_resets", m, resets)
            logs = _log(draw_counts(np.exp(first), n, rng) / n)
            continue
        if report is not None:
            report(m + 1, n_members)
        if error > chance or (error == chance and rules.stop_rule == "oza"):
            said = STOP_AT_HALF if sides == 2 else STOP_AT_CHANCE
            reason = said.format(m=m + 1, error=error, chance=chance) if n_members > 1 else None
            if m == 0:
                return Boosted(members, np.ones(1), np.array([error]), reason, share[None] * n if keep else None)
            break
        errors.append(error)
        if keep:
            seen.append(share * n)
        if error == 0.0 and rules.zero_error != "smooth":
            reason = STOP_AT_ZERO.format(m=m + 1) if len(errors) < n_members else None
            break
        resets, logs = 0, _shifted(logs, wrong, error, rules.min_weight / n, sides)
    votes = _votes_by(np.array(errors), float(examples.weights.sum()), rules, sides)
    return Boosted(members, votes, np.array(errors), reason, np.array(seen) if keep else None)


def _guess(rules: BoostingRules, n_classes: int) -> tuple[int, float]:
    """Return among how many classes a guess is made that members have to beat, and its error."""
    sides = 2 if rules.algorithm == "m1" else max(n_classes, 2)
    return sides, 1.0 - 1.0 / sides


def _rounded(error: float, chance: float) -> float:
    return chance if abs(error - chance) <= _ROUNDING else error


def _votes_by(errors: _Numbers, total: float, rules: BoostingRules, sides: int) -> _Numbers:
    """Return the votes of members with these errors on examples of this weight, in units of an example."""
    least = np.maximum(errors, 0.5 / total)
    votes = np.maximum(log_odds(1 - least, least) + np.log(sides - 1), 0.0)
    if errors[-1] == 0.0 and rules.zero_error == "infinite":
        votes = np.append(np.zeros(len(errors) - 1), 1.0)
    return votes if votes.any() else np.ones(len(votes))


def learned_weights(
    share: npt.NDArray[np.float64],
    alive: npt.NDArray[np.bool_],
    base_model: BaseModel,
    weighting: str,
    seed: int,
    purpose: str,
    *which: int,
) -> npt.NDArray[np.float64]:
    """Return the weights that a member learns, one on average, of a distribution; of a sample of it, the counts."""
    n = len(share)
    if weighting == "resample" or not base_model.weighted:
        return draw_counts(share, n, stream(seed, purpose, *which))
    return np.where(alive, np.maximum(quantise(share * n), _LEAST), 0.0)


def _shifted(logs: _Numbers, wrong: npt.NDArray[np.bool_], error: float, least: float, sides: int) -> _Numbers:
    """Return the logarithms of the next distribution: all but one of as many parts as there are sides on the mistakes.

    Logarithms, so that no example is lost however many members in a row are right about it. One that a reset left out, of
    weight 0, stays out.
    """
    if error > 0.0:
        logs = logs - np.log(np.where(wrong, sides * error / (sides - 1), sides * (1 - error)))
    if least > 0.0:
        logs = np.where(logs > -np.inf, np.maximum(logs, np.log(least)), logs)
    top = logs.max()
    shifted: npt.NDArray[np.float64] = logs - (top + np.log(np.exp(logs - top).sum()))
    return shifted


def _log(share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return logarithms, that of 0 too."""
    logs: npt.NDArray[np.float64] = np.log(share, out=np.full(len(share), -np.inf), where=share > 0)
    return logs
