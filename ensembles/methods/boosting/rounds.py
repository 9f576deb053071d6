"""The rounds of AdaBoost: weights of examples, members that learn them, errors, votes.

By M1: thesis, figure 4.1; Bauer & Kohavi, section 3.2. By SAMME: Zhu et al. (2009), algorithm 2.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.draws import draw_counts, stream
from ensembles.exact import quantise
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.methods.core.base import log_odds

__all__ = ["STOP_AT_CHANCE", "STOP_AT_HALF", "STOP_AT_ZERO", "Boosted", "BoostingRules", "boost", "learned_weights"]

STOP_AT_HALF = "the error of member {m} was {error:.4f}, not below one half"
STOP_AT_CHANCE = "the error of member {m} was {error:.4f}, not below {chance:.4f}, that of guessing"
STOP_AT_ZERO = "member {m} made no mistake on its training set"

_ROUNDING = 1e-12  # an error this close to that of guessing is no better
_Numbers = npt.NDArray[np.float64]
_LEAST = 2.0**-20  # the finest weight that members learn: one that is positive stays positive


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
    early, the natural weights (members, examples) that those kept were trained with if they were asked for, and how often
    each of them started again."""

    members: Any
    votes: np.ndarray
    errors: np.ndarray
    reason: str | None
    weights: np.ndarray | None
    resets: tuple[int, ...] = ()


def boost(
    base_model: BaseModel, members: Any, n_members: int, rows: Rows, examples: TrainingBatch, n_classes: int,
    report: Callable[[int, int], None] | None = None, rules: BoostingRules | None = None, *, keep: bool = False,
    trained: Sequence[int] = (),
) -> Boosted:  # fmt: skip
    """Train up to `n_members` members, but the first that are `trained`, of which this says how often each started again."""
    rules = rules or BoostingRules()
    n, total, (sides, chance) = len(examples.labels), float(examples.weights.sum()), _guess(rules, n_classes)
    logs = first = np.log(examples.weights / total)
    errors, seen, restarts, reason, resets = list[float](), [], list[int](), None, 0
    while len(errors) < n_members:
        m = len(errors)
        if m < len(trained) and trained[m] > resets:
            resets, logs = trained[m], _restarted(first, rules.seed, m, trained[m])
        share = np.exp(logs)
        if m >= len(trained):
            drawn = (base_model, rules.weighting, rules.seed, "adaboost", m, resets)
            weights = learned_weights(share, logs > -np.inf, total, *drawn)
            members = base_model.fit_member(members, m, rows, examples.labels, weights)
        wrong = base_model.classes_of(members, m, rows, n_classes) != examples.labels
        error = _rounded(float(share[wrong].sum()), chance)
        if error > chance and rules.stop_rule == "bk" and resets < rules.max_resets:
            resets, logs = resets + 1, _restarted(first, rules.seed, m, resets + 1)
            continue
        if report is not None and m >= len(trained):
            report(m + 1, n_members)
        if error > chance or (error == chance and rules.stop_rule == "oza"):
            reason = _no_better(m, error, chance) if n_members > 1 else None
            if m > 0:
                break
            return Boosted(members, np.ones(1), np.array([error]), reason, share[None] * n if keep else None, (resets,))
        errors.append(error)
        restarts.append(resets)
        if keep:
            seen.append(share * n)
        if error == 0.0 and rules.zero_error != "smooth":
            reason = STOP_AT_ZERO.format(m=m + 1) if len(errors) < n_members else None
            break
        resets, logs = 0, _shifted(logs, wrong, error, rules.min_weight / n, sides)
    votes = _votes_by(np.array(errors), max(total, n), rules, sides)
    return Boosted(members, votes, np.array(errors), reason, np.array(seen) if keep else None, tuple(restarts))


def _restarted(first: _Numbers, seed: int, m: int, resets: int) -> _Numbers:
    """Return the logarithms of equal weights on a bootstrap sample of the first distribution."""
    n = len(first)
    return _log(draw_counts(np.exp(first), n, stream(seed, "adaboost_resets", m, resets)) / n)


def _no_better(m: int, error: float, chance: float) -> str:
    said = STOP_AT_HALF if chance == 0.5 else STOP_AT_CHANCE
    return said.format(m=m + 1, error=error, chance=chance)


def _guess(rules: BoostingRules, n_classes: int) -> tuple[int, float]:
    """Return among how many classes a guess is made that members have to beat, and its error."""
    sides = 2 if rules.algorithm == "m1" else max(n_classes, 2)
    return sides, 1.0 - 1.0 / sides


def _rounded(error: float, chance: float) -> float:
    return chance if abs(error - chance) <= _ROUNDING else error


def _votes_by(errors: _Numbers, total: float, rules: BoostingRules, sides: int) -> _Numbers:
    """Return the votes of members with these errors on so many examples: a mistake that is none counts half of one.

    Examples that weigh less than one on average count one each, else half of one could be more than all of them weigh.
    """
    least = np.maximum(errors, 0.5 / total)
    votes = np.maximum(log_odds(1 - least, least) + np.log(sides - 1), 0.0)
    if errors[-1] == 0.0 and rules.zero_error == "infinite":
        votes = np.append(np.zeros(len(errors) - 1), 1.0)
    return votes if votes.any() else np.ones(len(votes))


def learned_weights(
    share: npt.NDArray[np.float64],
    alive: npt.NDArray[np.bool_],
    total: float,
    base_model: BaseModel,
    weighting: str,
    seed: int,
    purpose: str,
    *which: int,
) -> npt.NDArray[np.float64]:
    """Return the weights that a member learns, of this total, by a distribution; or how often each is in a sample by it."""
    if weighting == "resample" or not base_model.weighted:
        return draw_counts(share, len(share), stream(seed, purpose, *which))
    return np.where(alive, np.maximum(quantise(share * total), _LEAST), 0.0)


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
