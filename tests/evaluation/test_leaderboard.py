"""The leaderboard beside counting pair by pair, beside logistic regression, and beside bencheval where it is installed."""

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

from ensembles.errors import InvalidParameter
from ensembles.evaluation.leaderboard import elo_ratings, make_leaderboard, mean_ranks, win_rates


def made(n=12, k=5, seed=1):
    return np.random.default_rng(seed).random((n, k)).round(1) + np.linspace(0.0, 0.4, k)


def test_who_beats_whom_is_counted_pair_by_pair():
    losses = made()
    losses[0, 2] = math.nan
    rates = win_rates(losses)
    for row, column in permutations(range(5), 2):
        scores = [
            (own < other) + (own == other) / 2 for own, other in losses[:, [row, column]].round(12) if own + other > -1
        ]
        assert rates[row, column] == pytest.approx(sum(scores) / (11 if 2 in (row, column) else 12))
    assert np.isnan(np.diag(rates)).all()
    assert np.isnan(win_rates([[1.0, math.nan]])).all()


def test_ratings_are_those_of_logistic_regression():
    losses = np.random.default_rng(3).random((30, 4)) + [0.0, 0.1, 0.2, 0.3]
    found = make_leaderboard(losses).elo.value
    rows, won, weights = [], [], []
    for first, second in permutations(range(4), 2):
        difference = np.eye(4)[first] - np.eye(4)[second]
        wins = np.sum(losses[:, first] < losses[:, second])
        rows += [difference, difference]
        won += [1, 1]
        weights += [wins, 0.05]
        rows += [difference, difference]
        won += [0, 0]
        weights += [30 - wins, 0.05]
    fitted = LogisticRegression(fit_intercept=False, C=1e9, tol=1e-10, max_iter=2000).fit(rows, won, weights).coef_[0]
    assert found == pytest.approx(1000 + 400 / math.log(10) * (fitted - fitted.mean()), abs=0.1)
    assert found.mean() == pytest.approx(1000)


def test_a_rating_400_higher_wins_ten_times_out_of_eleven():
    ratings = elo_ratings([1000.0, 100.0], 1100)
    assert ratings[0] - ratings[1] == pytest.approx(400, abs=0.1)
    assert np.isfinite(elo_ratings([0.0, 8.0, 16.0], 8)).all()


def test_scores_are_means_over_data_sets_and_lie_in_their_intervals():
    losses = made()
    board = make_leaderboard(losses)
    ranks = stats.rankdata(losses.round(12), axis=1)
    assert board.mean_rank.value == pytest.approx(ranks.mean(axis=0))
    assert board.win_rate.value == pytest.approx(np.nanmean(win_rates(losses), axis=1))
    gap = (losses - losses.min(axis=1, keepdims=True)) / np.where(losses > 0, losses, 1)
    assert board.improvability.value == pytest.approx(gap.mean(axis=0))
    for score in (board.elo, board.mean_rank, board.win_rate, board.improvability):
        assert (score.low <= score.value).all()
        assert (score.value <= score.high).all()
    spread = ranks.std(axis=0) / math.sqrt(12)
    assert board.mean_rank.high - board.mean_rank.low == pytest.approx(2 * 1.96 * spread, rel=0.3)
    with pytest.raises(InvalidParameter, match="alpha must be"):
        make_leaderboard(losses, alpha=0)


def test_learners_that_are_alike_have_the_same_scores():
    board = make_leaderboard(np.full((4, 3), 0.2))
    assert board.elo.value.tolist() == pytest.approx([1000.0] * 3)
    assert board.mean_rank.low.tolist() == [2.0] * 3
    assert board.improvability.high.tolist() == [0.0] * 3


def test_bencheval_says_the_same():
    elo_utils = pytest.importorskip("bencheval.elo_utils", exc_type=ImportError)
    losses = np.random.default_rng(0).random((20, 6)) + np.linspace(0, 0.4, 6)
    table = pd.DataFrame(losses).melt(ignore_index=False, var_name="method", value_name="metric_error")
    rated = elo_utils.EloHelper().compute_mle_elo_from_ranks(table.rename_axis("task").reset_index())
    assert make_leaderboard(losses).elo.value == pytest.approx(rated.sort_index().to_numpy(), abs=8)


def test_mean_ranks_are_those_of_the_leaderboard_where_nothing_is_missing():
    losses = made()
    found, expected = mean_ranks(losses), make_leaderboard(losses).mean_rank
    for name in ("value", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name))


def rank_by_hand(losses, learner, times):
    """Return 1 and the shares of the data sets of both, each as often as it was drawn, on which others are better."""
    shares = []
    for other in range(losses.shape[1]):
        both = [
            (row[learner], row[other], n)
            for row, n in zip(losses, times, strict=True)
            if row[learner] + row[other] > -1
        ]
        if other != learner and sum(n for _, _, n in both):
            lost = sum(n * ((theirs < own) + (theirs == own) / 2) for own, theirs, n in both)
            shares.append(lost / sum(n for _, _, n in both))
    return 1 + (losses.shape[1] - 1) * sum(shares) / len(shares) if shares else math.nan


def test_mean_ranks_are_counted_on_the_data_sets_of_both():
    losses = made(n=9, k=6).round(12)
    losses[:4, 1] = losses[3:, 2] = losses[1:, 3] = losses[:, 4] = math.nan
    losses[:, 5] = np.where(np.arange(9) == 3, 0.1, math.nan)
    found = mean_ranks(losses, alpha=0.1, seed=3)
    draws = np.random.default_rng(3).multinomial(9, np.full(9, 1 / 9), size=400)
    for learner in range(6):
        assert found.value[learner] == pytest.approx(rank_by_hand(losses, learner, np.ones(9)), nan_ok=True)
        drawn = [rank_by_hand(losses, learner, times) for times in draws]
        bounds = np.nanquantile(drawn, (0.05, 0.95)) if learner < 3 else [math.nan, math.nan]
        assert [found.low[learner], found.high[learner]] == pytest.approx(list(bounds), nan_ok=True)
    assert np.isnan(found.value[4])
