"""How large is the difference between two learners over data sets, and is it large enough to matter?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import HIGHEST_SEED, check_not_negative, check_pair, check_whole, paired_values
from ensembles.evaluation.finding import DECIMALS, FIRST_AND_SECOND, Values, format_p, gains_of
from ensembles.wording import as_shown

__all__ = ["ErrorReduction", "Posterior", "WinTieLoss", "bayesian_signed_rank", "error_reduction", "win_tie_loss"]

_SAMPLES = 50_000
_PRIOR_WEIGHT = 0.5
_OF_THE_DRAWS = 0.01  # two probabilities of 50,000 draws that lie this close may change places with another seed


@dataclass(frozen=True)
class WinTieLoss:
    """On how many data sets the second learner is better, equal (at the digits shown) and worse.

    `p_value` is of the two-sided sign test, which leaves ties out; None without a win or a loss.
    """

    wins: int
    ties: int
    losses: int
    p_value: float | None
    sentence: str
    assumes: str = "Assumes that the data sets are independent; how large a difference is does not count."


@dataclass(frozen=True)
class ErrorReduction:
    """How much of the first learner's error the second one takes away (Bauer and Kohavi, 1999, section 5.3).

    Attributes
    ----------
    absolute : float or None
        Mean of e1 - e2; None without a data set.
    average_relative : float or None
        Mean of (e1 - e2) / e1 over data sets where e1 > 0.
    of_average : float or None
        (mean e1 - mean e2) / mean e1.
    mean_ratio : float or None
        Mean of e2 / e1 where e1 > 0 (the form of Breiman and Quinlan).
    n, left_out : int
        Data sets, and those among them with e1 = 0, which have no ratio.
    """

    absolute: float | None
    average_relative: float | None
    of_average: float | None
    mean_ratio: float | None
    n: int
    left_out: int
    sentence: str
    assumes: str = "Assumes nothing, and tests nothing: averages over these data sets only."


@dataclass(frozen=True)
class Posterior:
    """How probable it is that the second learner is practically better, equivalent or worse.

    The three probabilities sum to one; all are None without an answer.
    """

    better: float | None
    equivalent: float | None
    worse: float | None
    n: int
    rope: float
    sentence: str
    assumes: str = (
        "Assumes that the data sets are independent draws from those one cares about, and a prior worth half a data set "
        "without a difference (Benavoli et al., 2014)."
    )


def win_tie_loss(
    first: Values, second: Values, *, lower_is_better: bool = False, names: tuple[str, str] = FIRST_AND_SECOND
) -> WinTieLoss:
    """Count data sets by which learner is the better one, at the digits that are shown.

    Parameters
    ----------
    first, second : array_like of float, shape (n_datasets,)
        Means on the same data sets; NaN is missing.
    """
    check_pair("win_tie_loss", names)
    shown = [[*map(as_shown, values.tolist())] for values in paired_values("win_tie_loss", first, second)]
    gains = gains_of(*shown, lower_is_better=lower_is_better)
    wins, ties, losses = int(np.sum(gains > 0)), int(np.sum(gains == 0)), int(np.sum(gains < 0))
    n = wins + ties + losses
    if not n:
        return WinTieLoss(0, 0, 0, None, "No answer from the sign test: no data set has results of both learners.")
    p_value = float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else None
    counts = f"better on {wins:,}, equal on {ties:,} and worse on {losses:,} of {n:,} data set{'s' * (n > 1)}"
    sentence = f"{_capital(names[1])} against {names[0]}: {counts}"
    end = "." if p_value is None else f" (sign test: {format_p(p_value)})."
    return WinTieLoss(wins, ties, losses, p_value, sentence + end)


def error_reduction(first: Values, second: Values, *, names: tuple[str, str] = FIRST_AND_SECOND) -> ErrorReduction:
    """Compare errors over data sets, in both averages of Bauer and Kohavi and as a ratio.

    Parameters
    ----------
    first, second : array_like of float, shape (n_datasets,)
        Errors e1 and e2 on the same data sets, not negative; NaN is missing.
    """
    check_pair("error_reduction", names)
    e1, e2 = paired_values("error_reduction", first, second)
    known = np.isfinite(e1)
    e1, e2 = e1[known], e2[known]
    if (least := min(e1.min(initial=0.0), e2.min(initial=0.0))) < 0.0:
        raise InvalidInput(f"error_reduction: first and second must be errors, 0 or more, got {least:g}")
    if not e1.size:
        return ErrorReduction(None, None, None, None, 0, 0, "No answer: no data set has errors of both learners.")
    some = e1 > 0
    relative = float(np.mean((e1 - e2)[some] / e1[some])) if some.any() else None
    of_average = float((e1.mean() - e2.mean()) / e1.mean()) if some.any() else None
    ratio = float(np.mean(e2[some] / e1[some])) if some.any() else None
    absolute, left_out = float(np.mean(e1 - e2)), int(np.sum(~some))
    pair = f"{names[1]} against {names[0]}"
    if relative is None or of_average is None:
        sentence = f"{_capital(pair)}: no relative reduction, {names[0]} makes no error on any data set."
    else:
        sentence = (
            f"{_capital(pair)}: the error is {_reduced(relative)} on average over data sets; the average error is "
            f"{_reduced(of_average)}"
        )
        sentence += f"; {left_out:,} without an error of {names[0]} left out of the first." if left_out else "."
    return ErrorReduction(absolute, relative, of_average, ratio, e1.size, left_out, sentence)


def bayesian_signed_rank(
    first: Values,
    second: Values,
    *,
    rope: float = 0.01,
    lower_is_better: bool = False,
    names: tuple[str, str] = FIRST_AND_SECOND,
    seed: int = 0,
    of_what: str = "",
) -> Posterior:
    """Weigh better, practically equivalent and worse (Benavoli et al., 2014; Benavoli et al., 2017, section 4.2).

    A pair of data sets counts as better when its mean gain is above `rope`, and as equivalent up to it: without any
    difference learners are equivalent, whatever the `rope`. Data sets have Dirichlet weights, and one without a
    difference stands in with the weight 0.5. 50,000 draws; a probability is the share of the draws in which that
    outcome weighs most.

    Parameters
    ----------
    first, second : array_like of float, shape (n_datasets,)
        Means on the same data sets; NaN is missing.
    rope : float
        Differences up to it do not matter in practice; >= 0, in units of the measure.
    seed : int
        Of the draws, in [0, 2**32 - 1].
    of_what : str
        What `rope` is a share of, as " of the larger one", where it is not in units of the measure; for the sentence.
    """
    check_not_negative("bayesian_signed_rank", "rope", rope)
    check_pair("bayesian_signed_rank", names)
    check_whole("bayesian_signed_rank", "seed", seed, 0, HIGHEST_SEED)
    gains = gains_of(*paired_values("bayesian_signed_rank", first, second), lower_is_better=lower_is_better)
    gains = gains[np.isfinite(gains)]
    if gains.size < 2:
        found = "there is 1" if gains.size else "there are none"
        why = f"No answer from the Bayesian signed ranks: it needs two data sets with both learners, {found}."
        return Posterior(None, None, None, gains.size, rope, why)
    worse, equivalent, better = (float(share) for share in _shares(gains, rope, np.random.default_rng(seed)))
    sentence = (
        f"{_capital(names[1])} is {_most_likely(better, equivalent, worse)} {names[0]}: better with probability "
        f"{better:.3f}, equivalent (within {rope:g}{of_what}) {equivalent:.3f}, worse {worse:.3f}, over {gains.size:,} data "
        "sets."
    )
    if not gains.any():
        sentence = f"{_capital(names[1])} and {names[0]} are the same on all {gains.size:,} data sets."
    return Posterior(better, equivalent, worse, gains.size, rope, sentence)


def _most_likely(better: float, equivalent: float, worse: float) -> str:
    """Return the outcome that is most likely as it stands before the other learner, or the two that are so alike."""
    likely = {"better than": better, "equivalent to": equivalent, "worse than": worse}
    first, second = sorted(likely, key=lambda outcome: likely[outcome], reverse=True)[:2]
    if likely[first] - likely[second] > _OF_THE_DRAWS:
        return f"most likely practically {first}"
    first, second = (outcome for outcome in likely if outcome in {first, second})
    return f"as likely practically {first.split()[0]} as {second}"


def _shares(gains: npt.NDArray[np.float64], rope: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return how often worse, equivalent and better weigh most.

    baycomp, the oracle of the test, does this draw by draw; here it is one product of matrices. A pair that lies at the
    margin itself is equivalent: shared by both sides, as there, learners without a difference would be worse than
    themselves where there is no margin.
    """
    values = np.append(0.0, gains)
    sums = np.round(values[:, np.newaxis] + values, DECIMALS)
    weights = rng.dirichlet(np.append(_PRIOR_WEIGHT, np.ones(gains.size)), _SAMPLES)
    above, below = ((signed > round(2.0 * rope, DECIMALS)).astype(float) for signed in (sums, -sums))
    right, left = (np.einsum("si,si->s", weights @ step, weights) for step in (above, below))
    winners = np.argmax(np.column_stack([left, 1.0 - left - right, right]), axis=1)
    return np.bincount(winners, minlength=3) / _SAMPLES


def _reduced(share: float) -> str:
    if not round(share, 3):
        return "the same"
    return f"{abs(share):.1%} {'higher' if share < 0 else 'lower'}".replace("%", " %")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
