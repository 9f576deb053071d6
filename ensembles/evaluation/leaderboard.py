"""All learners over data sets in one table: how often each wins, Elo, mean rank, and how far it is from the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import HIGHEST_SEED, check_level, check_not_negative, check_whole, numbers_in
from ensembles.evaluation.comparable import as_losses, as_table
from ensembles.evaluation.finding import DECIMALS, Values
from ensembles.evaluation.relative import improvability

__all__ = ["Leaderboard", "Score", "elo_ratings", "make_leaderboard", "mean_ranks", "win_rates"]

Floats = npt.NDArray[np.float64]

_DRAWS = 400
_POINTS, _MIDDLE = 400.0 / np.log(10.0), 1000.0  # a rating 400 higher wins ten times out of eleven
_TIED = 0.1  # of a data set that each pair ties on besides: who always wins would have no finite rating
_LONGEST_STEP, _MOST_STEPS, _CLOSE = 2.0, 60, 1e-7


@dataclass(frozen=True)
class Score:
    """One number a learner, and its interval from other draws of data sets."""

    value: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Leaderboard:
    """Scores by position of the learner, over `n` data sets that all of them have.

    Attributes
    ----------
    elo : Score
        Ratings whose mean is 1,000.
    mean_rank : Score
        1 is best.
    win_rate : Score
        Share of the comparisons with the others that it wins, ties half.
    improvability : Score
        Mean share of its loss that the best learner of each data set saves.
    """

    n: int
    elo: Score
    mean_rank: Score
    win_rate: Score
    improvability: Score


def win_rates(losses: Values) -> Floats:
    """Return the share of rows on which the learner of a row beats that of a column, ties half; NaN without one.

    Parameters
    ----------
    losses : array_like of float, shape (n, n_learners)
        On data sets or splits, lower is better; NaN is missing, and leaves a row out for its pairs.

    Returns
    -------
    ndarray of float, shape (n_learners, n_learners)
        NaN on the diagonal.
    """
    table = np.round(as_table("win_rates", losses, "losses", "data set or split"), DECIMALS)
    ahead = table[:, np.newaxis, :] - table[:, :, np.newaxis]
    known = np.isfinite(ahead)
    won = np.where(known, (np.sign(np.where(known, ahead, 0.0)) + 1.0) / 2.0, 0.0).sum(axis=0)
    n = known.sum(axis=0)
    rates = np.where(n > 0, won / np.maximum(n, 1), np.nan)
    np.fill_diagonal(rates, np.nan)
    return rates


def elo_ratings(wins: Values, n: float) -> Floats:
    """Return ratings by the model of Bradley and Terry (1952), fitted by maximum likelihood, with mean 1,000.

    Every pair was compared `n` times, and a tenth of a comparison more is taken for a tie, which keeps ratings finite.

    Parameters
    ----------
    wins : array_like of float, shape (..., n_learners)
        Comparisons that each learner has won, ties half: with as many of each pair they say all.

    References
    ----------
    As in Chatbot Arena (Chiang and others, 2024) and TabArena (Erickson and others, 2025).
    """
    check_not_negative("elo_ratings", "n", n)
    won = numbers_in("elo_ratings", "wins", wins)
    k = won.shape[-1] if won.ndim else 0
    odd = won[~((won >= 0.0) & (won <= n * (k - 1)))]
    if not k or odd.size:
        found = f"in [0, {n * (k - 1):g}], got {odd[0]:g}" if k else f"one a learner, got shape {won.shape}"
        raise InvalidInput(f"elo_ratings: wins must be {found}")
    target, weight = won + _TIED / 2.0 * (k - 1), n + _TIED
    strength = np.zeros_like(won)
    own = np.arange(k)
    for _ in range(_MOST_STEPS):
        chance = 1.0 / (1.0 + np.exp(strength[..., np.newaxis, :] - strength[..., :, np.newaxis]))
        chance[..., own, own] = 0.0
        doubt = weight * chance * (1.0 - chance)
        curvature = 1.0 / k - doubt  # the first term holds the mean at 0
        curvature[..., own, own] += doubt.sum(axis=-1)
        step = np.linalg.solve(curvature, (target - weight * chance.sum(axis=-1))[..., np.newaxis])[..., 0]
        longest = np.abs(step).max(axis=-1, keepdims=True)
        strength += step * np.minimum(1.0, _LONGEST_STEP / np.maximum(longest, _CLOSE))
        if longest.max(initial=0.0) < _CLOSE:
            break
    ratings: Floats = _MIDDLE + _POINTS * (strength - strength.mean(axis=-1, keepdims=True))
    return ratings


def make_leaderboard(losses: Values, *, alpha: float = 0.05, seed: int = 0) -> Leaderboard:
    """Score learners over data sets; intervals are percentiles of 400 draws of as many data sets, with replacement.

    Parameters
    ----------
    losses : array_like of float, shape (n_datasets, n_learners)
        Distances from the best possible value, 0 or more; without NaN, one data set and two learners or more.
    """
    check_level("make_leaderboard", alpha)
    check_whole("make_leaderboard", "seed", seed, 0, HIGHEST_SEED)
    table = np.round(as_losses("make_leaderboard", losses, complete=True, n_learners=2), DECIMALS)
    n, k = table.shape
    ranks = stats.rankdata(table, axis=1)
    rng = np.random.default_rng(seed)
    times = rng.multinomial(n, np.full(n, 1.0 / n), size=_DRAWS).astype(float)

    def score(by_dataset: Floats) -> Score:
        return _score(by_dataset.mean(axis=0), times @ by_dataset / n, alpha)

    won = k - ranks  # of one data set, with ties half: below are k - rank learners
    return Leaderboard(
        n,
        _score(elo_ratings(won.sum(axis=0), n), elo_ratings(times @ won, n), alpha),
        score(ranks),
        score(won / (k - 1)),
        score(improvability(table)),
    )


def mean_ranks(losses: Values, *, alpha: float = 0.05, seed: int = 0, sources: Sequence[str] = ()) -> Score:
    """Return the mean rank of each learner over data sets of which learners may lack some, with intervals as above.

    It is 1 and, for each other learner, on which share of the data sets that both have that one is better, ties half: where
    all have all data sets, the mean of the ranks. With whom a learner shares none counts as the others do on average.

    Parameters
    ----------
    losses : array_like of float, shape (n_datasets, n_learners)
        Lower is better, NaN is missing.
    sources : sequence of str, shape (n_datasets,), optional
        Data sets of one source, as sizes of one generator are, weigh as much as one, and are drawn together.

    Returns
    -------
    Score
        Between 1 and the number of learners; NaN for who shares no data set with another one, and the interval for who
        shares one only.
    """
    check_level("mean_ranks", alpha)
    check_whole("mean_ranks", "seed", seed, 0, HIGHEST_SEED)
    table = np.round(as_table("mean_ranks", losses, "losses", "data set"), DECIMALS)
    n, k = table.shape
    if not n:
        raise InvalidInput(f"mean_ranks: losses must be of one data set or more, got shape {table.shape}")
    _, source, sizes = np.unique(list(sources) or range(n), return_inverse=True, return_counts=True)
    m = len(sizes)
    times = np.random.default_rng(seed).multinomial(m, np.full(m, 1.0 / m), size=_DRAWS).astype(float)
    weights = (np.vstack([np.ones(m), times]) / sizes)[:, source]
    value, low, high = (np.full(k, np.nan) for _ in range(3))
    for place in range(k):
        gap = table[:, [place]] - np.delete(table, place, axis=1)
        met = len(np.unique(source[np.isfinite(gap).any(axis=1)]))
        if met:
            ranks = 1.0 + (k - 1) * _share_lost(gap, weights)
            value[place] = ranks[0]
        if met > 1:
            low[place], high[place] = np.nanquantile(ranks[1:], (alpha / 2, 1.0 - alpha / 2))
    return Score(value, low, high)


def _share_lost(gap: Floats, weights: Floats) -> Floats:
    """Return for each row of weights of data sets how often, in the mean over others, these win; NaN where none is met."""
    known = np.isfinite(gap)
    lost = np.where(known, (np.sign(np.where(known, gap, 0.0)) + 1.0) / 2.0, 0.0)
    met = weights @ known
    shares = weights @ lost / np.where(met > 0, met, 1.0)
    others = (met > 0).sum(axis=1)
    return np.where(others > 0, np.where(met > 0, shares, 0.0).sum(axis=1) / np.maximum(others, 1), np.nan)


def _score(value: Floats, drawn: Floats, alpha: float) -> Score:
    low, high = np.quantile(drawn, (alpha / 2, 1.0 - alpha / 2), axis=0)
    return Score(value, low, high)
