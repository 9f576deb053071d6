"""The leaderboard beside counting pair by pair, beside logistic regression, and beside bencheval where it is installed."""

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

from ensembles.errors import InvalidParameter
from ensembles.evaluation.leaderboard import elo_ratings, make_leaderboard, win_rates


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
