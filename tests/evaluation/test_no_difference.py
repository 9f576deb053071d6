"""What every test says of learners that do not differ, of too little, and of settings that make no sense."""

import math

import numpy as np
import pytest

from ensembles.errors import InvalidInput
from ensembles.evaluation.effects import bayesian_signed_rank, error_reduction, win_tie_loss
from ensembles.evaluation.finding import gains_of
from ensembles.evaluation.protocols import Purpose, assign_folds, choose_training, random_stream
from ensembles.evaluation.rank_tests import compare_ranks
from ensembles.evaluation.significance import (
    corrected_t_test,
    mcnemar_test,
    paired_t_test,
    t_tests,
    verdicts,
    wilcoxon_test,
)
from ensembles.reports.significance import Question
from tests.evaluation.test_significance import assert_finite

PAIRED = {
    "paired_t_test": paired_t_test,
    "corrected_t_test": lambda *pair, **rest: corrected_t_test(*pair, test_train_ratio=0.25, **rest),
    "wilcoxon_test": wilcoxon_test,
    "mcnemar_test": mcnemar_test,
    "win_tie_loss": win_tie_loss,
    "error_reduction": error_reduction,
    "bayesian_signed_rank": bayesian_signed_rank,
}
"""Every test and measure of two learners, by its name."""

WITH_LEVEL = ("paired_t_test", "corrected_t_test", "wilcoxon_test", "mcnemar_test")


def rights(n):
    return np.arange(n) % 3 > 0


def same(name, n=8):
    """Return what a test says of a learner and itself."""
    values = rights(n) if name == "mcnemar_test" else np.linspace(0.1, 0.9, n)
    return PAIRED[name](values, values, names=("Bagging", "AdaBoost"))


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("n", [0, 1, 2, 8, 20])
def test_a_learner_is_neither_better_nor_worse_than_itself(name, n):
    found = same(name, n)
    assert_finite(found)
    assert getattr(found, "verdict", "equal") in {"equal", "unknown"}
    for word in ("significantly better", "significantly worse", "practically better", "practically worse", "lower"):
        assert word not in found.sentence.replace("No significant", "")


@pytest.mark.parametrize("name", ["paired_t_test", "corrected_t_test", "wilcoxon_test"])
def test_values_that_agree_everywhere_are_said_to_be_the_same(name):
    found = same(name)
    assert (found.verdict, found.p_value) == ("equal", 1.0)
    assert "the same on all 8" in found.sentence
    assert "the same on all" not in PAIRED[name]([0.1, 0.2], [0.2, 0.1]).sentence  # no mean gain, but a spread


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.3])
def test_learners_without_a_difference_are_equivalent_whatever_the_margin(rope):
    values = np.linspace(0.5, 0.9, 8)
    found = bayesian_signed_rank(values, values, rope=rope)
    assert (found.worse, found.equivalent, found.better) == (0.0, 1.0, 0.0)
    assert "are the same on all" in found.sentence


def test_a_difference_of_the_margin_itself_does_not_matter():
    found = bayesian_signed_rank(np.zeros(8), np.full(8, 0.01), rope=0.01)
    assert found.equivalent == 1.0


def test_ties_without_a_margin_count_for_neither_side():
    first, second = np.zeros(9), np.array([0.0] * 7 + [0.1, -0.1])
    found = bayesian_signed_rank(first, second, rope=0.0)
    assert found.equivalent > 0.8
    assert found.better == pytest.approx(found.worse, abs=0.02)


def test_two_outcomes_as_likely_as_each_other_have_no_winner():
    found = bayesian_signed_rank(np.zeros(8), np.array([0.1, -0.1, 0.2, -0.2, 0.31, -0.31, 0.47, -0.47]), rope=0.0)
    assert abs(found.better - found.worse) < 0.02
    assert "most likely" not in found.sentence
    assert "as likely practically better as worse" in found.sentence


def test_an_error_reduction_of_nothing_is_neither_lower_nor_higher():
    found = error_reduction([0.2, 0.3], [0.2, 0.3], names=("A", "B"))
    assert (
        found.sentence == "B against A: the error is the same on average over data sets; the average error is the same."
    )
    assert error_reduction([0.0, 0.0], [0.0, 0.0], names=("A", "B")).average_relative is None


def test_wins_of_no_data_set_are_no_answer():
    found = win_tie_loss([math.nan], [0.1])
    assert (found.wins, found.ties, found.losses, found.p_value) == (0, 0, 0, None)
    assert found.sentence == "No answer from the sign test: no data set has results of both learners."
    assert "(sign test" not in win_tie_loss([0.1, 0.2], [0.1, 0.2]).sentence


@pytest.mark.parametrize("n_learners", [3, 5])
@pytest.mark.parametrize("n", [2, 9])
def test_ranks_of_the_same_learner_many_times_do_not_differ(n_learners, n):
    values = np.tile(np.linspace(0.1, 0.9, n)[:, np.newaxis], n_learners)
    found = compare_ranks(values, list("abcde")[:n_learners])
    assert_finite(found)
    assert (found.p_value, found.cliques) == (1.0, (tuple(range(n_learners)),))
    assert not any(one.differs for one in found.holm)
    assert {one.adjusted for one in found.holm} == {1.0}
    assert "No significant difference" in found.sentence


@pytest.mark.parametrize("name", PAIRED)
def test_infinite_and_missing_values_are_left_out(name):
    if name == "mcnemar_test":
        found = mcnemar_test([1.0, math.nan, 0.0, 1.0], [math.nan, 1.0, 0.0, 0.0])
        assert found.n == 2
    else:
        found = PAIRED[name]([0.5, math.inf, math.nan, 0.2, -math.inf], [math.inf, math.inf, 0.1, 0.2, 0.3])
    assert_finite(found)


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([1, 0, 1], [1], r"of one length, got shapes \(3,\) and \(1,\)"),
        ([[1, 0], [1, 1]], [[1, 0], [1, 1]], r"one value each, got shapes \(2, 2\) and \(2, 2\)"),
        (["a", "b"], [1, 0], r"must be numbers, got \['a', 'b'\]"),
    ],
)
def test_values_that_are_no_pairs_are_refused(name, first, second, said):
    with pytest.raises(InvalidInput, match=rf"^{name}: first and second .*{said}|^{name}: .*{said}"):
        PAIRED[name](first, second)


def test_right_or_wrong_is_yes_or_no():
    with pytest.raises(
        InvalidInput, match=r"^mcnemar_test: first and second must be right \(1\) or wrong \(0\), got 2"
    ):
        mcnemar_test([0, 2], [1, 0])


@pytest.mark.parametrize("alpha", [1.5, 1.0, 0.0, -0.05, math.nan, math.inf, "0.05", True, None])
def test_a_level_lies_between_0_and_1(alpha):
    calls = {
        **{name: lambda name=name: PAIRED[name](rights(8), ~rights(8), alpha=alpha) for name in WITH_LEVEL},
        "verdicts": lambda: verdicts(t_tests([0.1, 0.2]), alpha),
        "compare_ranks": lambda: compare_ranks(np.eye(3), "abc", alpha=alpha),
        "question": lambda: Question("accuracy", alpha=alpha),
    }
    for owner, call in calls.items():
        with pytest.raises(InvalidInput, match=rf"^{owner}: alpha must be a number in \(0, 1\), got "):
            call()


def test_a_level_is_refused_without_pairs_too():
    with pytest.raises(InvalidInput, match=r"^wilcoxon_test: alpha must be a number in \(0, 1\), got 1\.5$"):
        wilcoxon_test([], [], alpha=np.float64(1.5))


@pytest.mark.parametrize("rope", [-1, -1e-9, math.nan, math.inf, "0.1", None])
def test_a_margin_is_no_less_than_0(rope):
    with pytest.raises(InvalidInput, match=r"^bayesian_signed_rank: rope must be a finite number >= 0, got "):
        bayesian_signed_rank([0.1, 0.2], [0.2, 0.1], rope=rope)


@pytest.mark.parametrize("ratio", [-0.25, math.nan, math.inf])
def test_a_share_of_test_to_training_examples_is_no_less_than_0(ratio):
    with pytest.raises(InvalidInput, match=r"^corrected_t_test: test_train_ratio must be a finite number >= 0, got "):
        corrected_t_test([0.1, 0.2], [0.2, 0.3], test_train_ratio=ratio)
    with pytest.raises(InvalidInput, match=r"^t_tests: test_train_ratio must be a finite number >= 0, got "):
        t_tests([0.1, 0.2], ratio)


@pytest.mark.parametrize("seed", [-1, 0.5, None])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(
        InvalidInput, match=r"^bayesian_signed_rank: seed must be an integer in \[0, 4294967295\], got "
    ):
        bayesian_signed_rank([0.1, 0.2], [0.2, 0.1], seed=seed)
    with pytest.raises(InvalidInput, match=r"^random_stream: seed must be an integer in \[0, 4294967295\], got "):
        random_stream(Purpose.SPLIT, seed, "0" * 64)


def test_ranks_know_their_learners():
    with pytest.raises(InvalidInput, match=r"^compare_ranks: values must have a column for each of 2 names, got shape"):
        compare_ranks(np.zeros((4, 3)), "ab")
    with pytest.raises(InvalidInput, match=r"^compare_ranks: control must be an integer in \[0, 2\], got 3"):
        compare_ranks(np.eye(3), "abc", control=3)


def test_a_question_knows_its_test():
    with pytest.raises(InvalidInput, match=r"^question: test must be one of corrected, paired, got 'welch'"):
        Question("accuracy", "welch")


@pytest.mark.parametrize("folds", [0, 1, 11, 2.5])
def test_folds_are_two_or_more_and_no_more_than_examples(folds):
    with pytest.raises(InvalidInput, match=r"^assign_folds: folds must be an integer in \[2, 10\], got "):
        assign_folds(np.zeros(10, dtype=np.int64), folds, np.random.default_rng(0), stratified=False)


@pytest.mark.parametrize("n_train", [-1, 0, 10, 2.5])
def test_training_leaves_an_example_on_either_side(n_train):
    with pytest.raises(InvalidInput, match=r"^choose_training: n_train must be an integer in \[1, 9\], got "):
        choose_training(np.zeros(10, dtype=np.int64), n_train, np.random.default_rng(0), stratified=False)


def test_gains_of_values_that_do_not_pair_are_refused():
    with pytest.raises(InvalidInput, match=r"^gains_of: first and second must be of one shape, got \(2,\) and \(3,\)"):
        gains_of([0.1, 0.2], [0.1, 0.2, 0.3], lower_is_better=True)
