"""What functions of evaluation are given and cannot use: a sentence each, and no number."""

import math
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from ensembles.errors import InvalidInput
from ensembles.evaluation.curves import curve_sizes
from ensembles.evaluation.diversity import compare_members
from ensembles.evaluation.effects import bayesian_signed_rank, error_reduction, win_tie_loss
from ensembles.evaluation.influence import influences
from ensembles.evaluation.leaderboard import elo_ratings, make_leaderboard, mean_ranks, win_rates
from ensembles.evaluation.long_run import long_run_errors, long_run_errors_of_sums
from ensembles.evaluation.power import datasets_to_tell, power_of_datasets, power_of_splits, splits_to_tell
from ensembles.evaluation.protocols import Purpose, random_stream
from ensembles.evaluation.rank_tests import compare_ranks, datasets_for_pairs, friedman, holm_adjusted
from ensembles.evaluation.relative import behind_in_loss, distances_to_perfect, improvability, relative_losses
from ensembles.evaluation.significance import corrected_t_test, mcnemar_test, paired_t_test, t_tests, wilcoxon_test
from ensembles.evaluation.trade_off import knee_of, pareto_front
from ensembles.evaluation.verdict import on_splits, over_datasets
from ensembles.evaluation.verdict_on_examples import on_examples, on_predictions, on_stretches

PAIRED = {test.__name__: test for test in (paired_t_test, mcnemar_test, wilcoxon_test, win_tie_loss, error_reduction)}
PAIRED["bayesian_signed_rank"] = bayesian_signed_rank
PAIRED["corrected_t_test"] = lambda *pair, **named: corrected_t_test(*pair, test_train_ratio=0.25, **named)


@pytest.mark.parametrize("test", PAIRED)
@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (None, "names must be a list of texts, got None"),
        ("bagging", "names must be two, got 'bagging'"),
        ((1, 2), r"names must be a list of texts, got \(1, 2\)"),
        (("a",), r"names must be two, got \('a',\)"),
    ],
)
def test_names_of_a_pair_are_two_texts(test, names, sentence):
    with pytest.raises(InvalidInput, match=f"^{test}: {sentence}$"):
        PAIRED[test]([0.0, 1.0], [1.0, 1.0], names=names)


@pytest.mark.parametrize("names", [None, [1, 2, 3]])
def test_names_of_ranked_learners_are_texts(names):
    with pytest.raises(InvalidInput, match=r"^compare_ranks: names must be a list of texts, got "):
        compare_ranks([[0.1, 0.2, 0.3], [0.2, 0.1, 0.3]], names)
    frame = pd.DataFrame({"a": [0.1, 0.2], "b": [0.2, 0.1], "c": [0.3, 0.3]})
    assert compare_ranks(frame, frame.columns).names == ("a", "b", "c")


@pytest.mark.parametrize("test", PAIRED)
def test_series_with_the_same_labels_in_two_orders_are_no_pairs(test):
    first = pd.Series([0.0, 1.0], index=["iris", "car"])
    with pytest.raises(InvalidInput, match=f"^{test}: first and second must be in one order, got series with the same"):
        PAIRED[test](first, first[::-1])
    other = pd.Series([0.0, 1.0], index=[7, 8])
    assert PAIRED[test](first, first) == PAIRED[test](first, other)


def test_errors_below_zero_have_no_reduction():
    for pair in ([-0.1, 0.2], [0.1, 0.2]), ([0.1, 0.2], [-0.1, 0.2]):
        with pytest.raises(
            InvalidInput, match=r"^error_reduction: first and second must be errors, 0 or more, got -0\.1$"
        ):
            error_reduction(*pair)


@pytest.mark.parametrize("test", [on_examples, over_datasets, lambda values: on_splits(values, test_train_ratio=0.25)])
@pytest.mark.parametrize("values", [[["a", "b"]], [[0.0, 1.0], [1.0]]])
def test_verdicts_are_of_numbers(test, values):
    with pytest.raises(InvalidInput, match=r"^\w+: values must be numbers, got "):
        test(values)


OK = [[0.1, 0.2], [0.3, 0.1]]
NAN = math.nan
LOSSES = (relative_losses, improvability, partial(behind_in_loss, best=0), make_leaderboard, win_rates, mean_ranks)


@pytest.mark.parametrize("of_losses", LOSSES)
@pytest.mark.parametrize(
    ("losses", "sentence"),
    [
        ([], r"a row a data set.* and a column a learner, got shape \(0,\)"),
        ([0.1, 0.2], r"a row a data set.* and a column a learner, got shape \(2,\)"),
        ([["a", "b"]], r"numbers, got \[\['a', 'b'\]\]"),
        ([[0.1, 0.2], [0.1]], r"numbers, got \[\[.*"),
    ],
)
def test_losses_are_a_table(of_losses, losses, sentence):
    with pytest.raises(InvalidInput, match=rf"^\w+: losses must (be|have) {sentence}$"):
        of_losses(losses)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: relative_losses([[-0.1, 0.2]]), "relative_losses: losses must be 0 or more, got -0.1"),
        (
            lambda: improvability(np.zeros((3, 0))),
            "improvability: losses must be of 1 learner or more, got shape (3, 0)",
        ),
        (
            lambda: make_leaderboard([[NAN, 0.2]]),
            "make_leaderboard: losses must be known of all learners on all data sets",
        ),
        (
            lambda: make_leaderboard([[0.1]]),
            "make_leaderboard: losses must be of one data set and 2 learners or more, got",
        ),
        (lambda: make_leaderboard(OK, seed=-1), "make_leaderboard: seed must be an integer in [0, 4294967295], got -1"),
        (lambda: mean_ranks(np.zeros((0, 3))), "mean_ranks: losses must be of one data set or more, got shape (0, 3)"),
        (lambda: mean_ranks(OK, seed="a"), "mean_ranks: seed must be an integer in [0, 4294967295], got 'a'"),
        (
            lambda: behind_in_loss(np.zeros((0, 3)), 0),
            "behind_in_loss: losses must be of one data set and 1 learner or",
        ),
        (lambda: behind_in_loss(OK, -1), "behind_in_loss: best must be an integer in [0, 1], got -1"),
        (lambda: behind_in_loss(OK, 0, alpha=2), "behind_in_loss: alpha must be a number in (0, 1), got 2"),
        (lambda: elo_ratings([100, 2], 3), "elo_ratings: wins must be in [0, 3], got 100"),
        (lambda: elo_ratings([], 3), "elo_ratings: wins must be one a learner, got shape (0,)"),
        (lambda: distances_to_perfect("error", "a"), "distances_to_perfect: values must be numbers, got 'a'"),
        (lambda: on_stretches(OK, [3]), "on_stretches: sizes must be 2 numbers >= 0, one a row, got [3]"),
        (
            lambda: on_stretches(OK, [-3, 3]),
            "on_stretches: sizes must be 2 numbers >= 0, one a row, got [-3",
        ),
        (lambda: on_stretches([[1, 5]], [3]), "on_stretches: right must be in [0, size of the stretch], got 5 of 3"),
        (
            lambda: on_predictions("kappa", [0], [[0], [1]]),
            "on_predictions: true must be of 2 examples, as predicted, got",
        ),
        (
            lambda: on_predictions("kappa", [0, 1], [[0.5], [1]]),
            "on_predictions: classes must be integers >= 0, got 0.5",
        ),
        (
            lambda: on_predictions("kappa", [0, NAN], [[0], [1]]),
            "on_predictions: classes must be integers >= 0, got nan",
        ),
        (lambda: power_of_splits(1, 0.1, 0.1, 0.25, 0.05), "power_of_splits: n must be an integer >= 2, got 1"),
        (lambda: power_of_splits(5, 0.1, 0, 0.25, 0.05), "power_of_splits: spread must be a finite number > 0, got 0"),
        (lambda: splits_to_tell(NAN, 0.1, 0.25, 0.05), "splits_to_tell: difference must be a finite number, got nan"),
        (
            lambda: splits_to_tell(0.1, 0.1, -1, 0.05),
            "splits_to_tell: test_train_ratio must be a finite number >= 0, got",
        ),
        (
            lambda: power_of_datasets(5, OK, 0.05),
            "power_of_datasets: differences must be one a data set, got shape (2, 2)",
        ),
        (lambda: power_of_datasets(5, [0.1], 2), "power_of_datasets: alpha must be a number in (0, 1), got 2"),
        (lambda: datasets_to_tell(["a"] * 6, 0.05), "datasets_to_tell: differences must be numbers, got ['a', 'a',"),
        (lambda: holm_adjusted([-0.1], 3), "holm_adjusted: p_values must be a list of numbers in [0, 1], got [-0.1]"),
        (lambda: holm_adjusted(OK, 3), "holm_adjusted: p_values must be a list of numbers in [0, 1], got [[0.1, 0.2],"),
        (lambda: holm_adjusted([0.1, 0.2, NAN], 1), "holm_adjusted: n_tests must be an integer >= 2, got 1"),
        (
            lambda: influences("mse", [0], [0], 2),
            "influences: measure must be one of accuracy, error, balanced_accuracy,",
        ),
        (
            lambda: influences("error", [0, 1], [0], 2),
            "influences: true and predicted must be of one length, an example or",
        ),
        (lambda: influences("error", [0, 5], [0, 1], 2), "influences: classes must be numbered from 0 to 1, got 0, 5"),
        (lambda: friedman([[1, 2]]), "friedman: ranks must be known, of three learners or more, got shape (1, 2)"),
        (lambda: datasets_for_pairs(0, 0.05), "datasets_for_pairs: n_tests must be an integer >= 1, got 0"),
        (lambda: datasets_for_pairs(3, 0), "datasets_for_pairs: alpha must be a number in (0, 1), got 0"),
        (
            lambda: pareto_front([1, 2], [1]),
            "pareto_front: costs and losses must be of one length, got shapes (2,) and (1,)",
        ),
        (lambda: knee_of(["a"], ["b"]), "pareto_front: costs and losses must be numbers, got ['a']"),
        (lambda: curve_sizes(0), "curve_sizes: n_train must be an integer >= 1, got 0"),
        (
            lambda: t_tests(OK, 0.1, [1, 2, 3]),
            "t_tests: n_test must be 2 numbers >= 0, one a row, got [1, 2, 3]",
        ),
        (
            lambda: long_run_errors([0.1, 0.2]),
            "long_run_errors: series must have a row a place of a stream and a column a learner, got shape (2,)",
        ),
        (lambda: long_run_errors("ab"), "long_run_errors: series must be numbers, got 'ab'"),
        (
            lambda: long_run_errors_of_sums(OK, [1]),
            "long_run_errors_of_sums: sizes must be 2 numbers >= 0, one a row, got [1]",
        ),
        (
            lambda: compare_members(np.zeros((3, 4), int), np.zeros(5, int)),
            "compare_members: answers must have a row a member and a column for each true class, got shapes (3, 4) and (5,)",
        ),
        (
            lambda: over_datasets(OK, splits=[OK]),
            "over_datasets: splits must be a table for each of 2 data sets, with 2 columns, got shapes (2, 2)",
        ),
        (lambda: over_datasets(OK, splits=[[0.1], OK]), "over_datasets: splits must have a row a split of a data set"),
        (lambda: random_stream(0, 1, "0" * 64), "random_stream: purpose must be one of Purpose.SPLIT, Purpose.ORDER,"),
        (
            lambda: random_stream(Purpose.SPLIT, 1, "0" * 63),
            "random_stream: sha256 must be 64 hexadecimal digits, got '000",
        ),
        (
            lambda: random_stream(Purpose.SPLIT, 1, None),
            "random_stream: sha256 must be 64 hexadecimal digits, got None",
        ),
    ],
)
def test_what_no_number_can_be_told_of_is_refused(call, sentence):
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}"):
        call()


def test_what_is_missing_or_a_list_counts_as_it_should():
    differences = [0.1, 0.2, 0.1, 0.3, 0.2, 0.1]
    assert power_of_datasets(9, [*differences, NAN], 0.05) == power_of_datasets(9, differences, 0.05) > 0.9
    assert datasets_to_tell([*differences, NAN], 0.05) == datasets_to_tell(differences, 0.05) == 6
    assert influences("error", [0, 1], [0, 1], 2)[0] == 0.0
    assert knee_of([0, 10, 100], [0.5, 0.12, 0.1]) is None
    assert on_stretches([[0, 0]], [0]).rows == ()
    right = [[9, 7], [8, 9], [5, 5]]
    assert repr(on_stretches(right, [10, 10, NAN])) == repr(on_stretches(right[:2], [10, 10]))
