import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from ensembles.errors import InvalidInput
from ensembles.evaluation.bayesian_t import bayesian_correlated_t
from ensembles.evaluation.effects import bayesian_signed_rank, win_tie_loss
from ensembles.evaluation.finding import format_p, gains_of
from ensembles.evaluation.rank_tests import compare_ranks
from ensembles.evaluation.significance import (
    ASSUMES,
    corrected_t_test,
    mcnemar_test,
    paired_t_test,
    t_tests,
    verdicts,
    wilcoxon_test,
)
from ensembles.evaluation.verdict_on_examples import on_examples
from tests.evaluation.demsar import AREAS

GAINS = (0.02, 0.01, 0.03, 0.00, 0.02)


def numbers_of(record):
    """Yield every number of a record, however deep."""
    for value in dataclasses.astuple(record) if dataclasses.is_dataclass(record) else record:
        if isinstance(value, tuple | list):
            yield from numbers_of(value)
        elif isinstance(value, float):
            yield value


def assert_finite(record):
    assert all(math.isfinite(number) for number in numbers_of(record))
    assert record.sentence.endswith(".")
    assert "nan" not in record.sentence.lower()
    assert record.assumes.endswith(".")


def test_the_specified_example_of_both_t_tests():
    paired = paired_t_test(np.zeros(5), GAINS)
    assert (paired.statistic, paired.p_value) == pytest.approx((3.13785816, 0.03492), rel=1e-3)
    assert paired.statistic == pytest.approx(3.13785816, abs=1e-8)
    corrected = corrected_t_test(np.zeros(5), GAINS, test_train_ratio=0.25)
    assert corrected.statistic == pytest.approx(2.09190545, abs=1e-8)
    assert corrected.p_value == pytest.approx(0.10461, abs=5e-6)
    assert (paired.verdict, corrected.verdict) == ("better", "equal")


def test_the_sleep_of_students_as_r_prints_it():
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    found = paired_t_test(first, second)
    assert (round(found.statistic, 4), round(found.p_value, 6)) == (4.0621, 0.002833)


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_the_paired_t_test_is_that_of_scipy(lower_is_better):
    rng = np.random.default_rng(1)
    first, second = rng.random(50), rng.random(50) + 0.2
    found = paired_t_test(first, second, lower_is_better=lower_is_better)
    expected = stats.ttest_rel(second, first)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.statistic == pytest.approx(-expected.statistic if lower_is_better else expected.statistic, rel=1e-9)
    assert found.verdict == ("worse" if lower_is_better else "better")


def test_many_tests_at_once_are_as_many_single_ones_and_leave_out_missing_pairs():
    gains = np.random.default_rng(2).normal(0.01, 0.02, size=(20, 3, 4))
    gains[3, 0, 0] = np.nan
    gains[:, 1, 1] = np.nan
    gains[1:, 2, 2] = np.nan
    many = t_tests(gains, 0.25)
    for place in np.ndindex(3, 4):
        column = gains[:, *place]
        column = column[np.isfinite(column)]
        assert many.n[place] == len(column)
        if len(column) > 1:
            scale = math.sqrt((1 / len(column) + 0.25) * column.var(ddof=1))
            assert many.statistic[place] == pytest.approx(column.mean() / scale)
            assert many.p_value[place] == pytest.approx(2 * stats.t.sf(abs(column.mean()) / scale, len(column) - 1))
        else:
            assert verdicts(many)[place] == "unknown"


def test_equal_values_are_not_different_and_gains_without_spread_are_tested_by_their_signs():
    same = paired_t_test([0.7, 0.8, 0.9], [0.7, 0.8, 0.9])
    assert (same.verdict, same.p_value, same.statistic) == ("equal", 1.0, 0.0)
    few = np.array([0.5, 0.6, 0.7])
    shifted = corrected_t_test(few, few + 0.02, test_train_ratio=0.25)
    assert (shifted.verdict, shifted.p_value, shifted.statistic) == ("equal", 0.25, None)
    assert "+0.0200 on every one of 3 splits, p = 0.250" in shifted.sentence
    six = corrected_t_test([*few, *few], [*few + 0.02, *few + 0.02], test_train_ratio=0.25)
    assert (six.verdict, six.p_value) == ("better", stats.binomtest(6, 6).pvalue)
    for found in (same, shifted):
        assert_finite(found)


def test_rounding_errors_of_means_are_not_differences():
    first = np.array([np.mean([0.1, 0.2, 0.3]), 0.3 - 0.1, 0.7])
    second = np.array([0.2, 0.2, 0.7 + 1e-16])
    assert paired_t_test(first, second).verdict == "equal"


def test_many_tests_know_rounding_errors_and_gains_without_spread_too():
    noise = np.array([1e-17, -2e-17, 1e-17])
    gains = np.column_stack([noise, noise + 0.1 + 0.2 - 0.3, noise + 0.02, [0.1, 0.1 + 1e-17, 0.1]])
    assert verdicts(t_tests(np.tile(gains, (2, 1)), 0.25)).tolist() == ["equal", "equal", "better", "better"]
    assert t_tests(gains).p_value.tolist() == [1.0, 1.0, 0.25, 0.25]
    steady = t_tests(np.full((7, 1), 0.07))
    assert steady.statistic.tolist() == [math.inf]


@pytest.mark.parametrize(("alpha", "verdict"), [(0.01, "equal"), (0.05, "better")])
def test_the_level_decides(alpha, verdict):
    assert verdicts(t_tests(GAINS), alpha) == verdict
    assert paired_t_test(np.zeros(5), GAINS, alpha=alpha).verdict == verdict


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_pairs_give_a_sentence(n):
    for found in (
        paired_t_test([0.5] * n, [0.6] * n),
        corrected_t_test([0.5, math.nan], [math.nan, 0.5][: 2 * n] or [math.nan, math.nan], test_train_ratio=0.25),
        wilcoxon_test([0.5] * n, [0.6] * n),
        mcnemar_test([], []),
    ):
        assert found.verdict == "unknown"
        assert found.p_value is None
        assert found.sentence.startswith("No answer from ")
        assert "the Wilcoxon" not in found.sentence
        assert_finite(found)


@pytest.mark.parametrize("n", [2, 5, 8, 20, 60])
@pytest.mark.parametrize("digits", [1, 6])
def test_signed_ranks_are_those_of_scipy(n, digits):
    rng = np.random.default_rng(n)
    first, second = np.zeros(n), rng.normal(0.4, 1.0, n).round(digits)
    second = np.where(second == 0, 0.5, second)
    found, expected = wilcoxon_test(first, second), stats.wilcoxon(second)
    assert (found.n, found.statistic) == (n, expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


def test_signed_ranks_of_demsars_trees():
    found = wilcoxon_test(AREAS[:, 0], AREAS[:, 1])
    assert (found.n, found.verdict) == (14, "better")
    assert found.statistic == 6.5  # the published 12 shares the ranks of the two ties between both sides
    assert found.p_value == pytest.approx(0.00732421875)
    assert wilcoxon_test(1 - AREAS[:, 0], 1 - AREAS[:, 1], lower_is_better=True).verdict == "better"


def test_five_equal_gains_cannot_be_significant():
    assert wilcoxon_test(np.zeros(5), np.full(5, 0.01)).p_value == 0.0625


def test_the_depression_scores_of_r():
    """The example of R's ?wilcox.test: V = 40, one-sided p-value 0.01953."""
    x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    found = wilcoxon_test(y, x)
    assert found.statistic == 5.0  # 45 - 40
    assert found.p_value == pytest.approx(2 * 0.01953125)


def test_wilcoxon_says_on_which_side_the_ranks_lie_not_the_mean():
    better = np.full(14, 0.8) + [*(0.01 + 0.001 * np.arange(13)), -0.6]
    found = wilcoxon_test(np.full(14, 0.8), better, names=("A", "B"))
    assert found.sentence == (
        "B is significantly better than A (mean gain −0.0280 over 14 data sets, yet the ranks of gains and losses lie for "
        "it, p = 0.013; Wilcoxon's signed ranks at 0.05)."
    )
    assert wilcoxon_test(better, np.full(14, 0.8)).verdict == "worse"
    assert "yet" not in wilcoxon_test(np.full(14, 0.8), np.full(14, 0.9)).sentence


def test_signed_ranks_without_any_difference_or_with_few_data_sets():
    same = wilcoxon_test([0.5, 0.6], [0.5, 0.6])
    assert (same.verdict, same.p_value) == ("equal", 1.0)
    few = wilcoxon_test([0.5, 0.6, 0.7], [0.6, 0.8, 0.9])
    assert few.verdict == "equal"
    assert "3 data sets, too few to reach a p-value below 0.25, p = 0.250" in few.sentence
    for found in (same, few):
        assert_finite(found)


def test_neighbours_on_a_stream_are_not_independent_examples():
    """What the verdict calls equal is not told to differ by the same predictions, two learners at a time."""
    first, second = np.ones((2, 2000), dtype=bool)
    first[300:340] = second[900:910] = False  # mistakes come in runs
    assert mcnemar_test(first, second).p_value < 0.001
    found = mcnemar_test(first, second, in_order=True)
    verdict = on_examples(np.column_stack([first, second]), in_order=True)
    assert found.p_value == pytest.approx(verdict.rows[1].p_value)
    assert (found.test, found.verdict, found.gain) == ("long_run", "equal", pytest.approx(0.015))
    assert "t-test with the variance over the long run at 0.05" in found.sentence
    assert mcnemar_test(first[:1], second[:1], in_order=True).p_value == 1.0
    apart = mcnemar_test(np.arange(2000) % 3 > 0, second, in_order=True)
    assert apart.verdict == "better"


def test_mcnemar_counts_the_examples_that_one_learner_alone_gets_right():
    first = [True] * 10 + [False] * 30 + [True] * 60
    second = [False] * 10 + [True] * 30 + [True] * 60
    found = mcnemar_test(first, second)
    assert found.p_value == pytest.approx(stats.binomtest(10, 40).pvalue)
    assert (found.verdict, found.gain) == ("better", pytest.approx(0.2))
    assert mcnemar_test(second, first).verdict == "worse"
    assert mcnemar_test(first, first).verdict == "equal"


def test_a_smaller_error_is_a_gain_and_zero_has_no_sign():
    assert gains_of([0.2, 0.1], [0.1, 0.1], lower_is_better=True).tolist() == [0.1, 0.0]
    assert not np.signbit(gains_of([0.1], [0.1], lower_is_better=True)).any()


def test_sentences_name_the_learners_and_the_level():
    found = paired_t_test(np.zeros(5), GAINS, names=("Bagging", "AdaBoost"), alpha=0.1)
    assert found.sentence == (
        "AdaBoost is significantly better than Bagging "
        "(mean gain +0.0160 over 5 splits, p = 0.035; paired t-test at 0.1)."
    )
    assert found.assumes == ASSUMES["paired"]
    assert "(mean gain −0.0160 over 5 splits" in paired_t_test(np.zeros(5), -np.asarray(GAINS)).sentence
    assert format_p(0.0001) == "p < 0.001"


def test_what_is_masked_is_missing():
    rng = np.random.default_rng(3)
    first, second, mask = rng.random((8, 3)), rng.random((8, 3)), rng.random((8, 3)) < 0.2
    masked, missing = np.ma.masked_array(first, mask), np.where(mask, np.nan, first)
    for test in (paired_t_test, wilcoxon_test, win_tie_loss, bayesian_signed_rank):
        assert test(masked[:, 0], second[:, 0]) == test(missing[:, 0], second[:, 0]) != test(first[:, 0], second[:, 0])
    gains = masked - second
    assert t_tests(gains).n.tolist() == (8 - mask.sum(axis=0)).tolist()
    np.testing.assert_array_equal(
        bayesian_correlated_t(gains, test_train_ratio=0.25),
        bayesian_correlated_t(missing - second, test_train_ratio=0.25),
    )
    ranks = compare_ranks(masked, ["a", "b", "c"])
    assert (ranks.n, ranks.left_out) == (int((~mask).all(axis=1).sum()), int(mask.any(axis=1).sum()))


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        (lambda: compare_ranks([["a", "b", "c"]], ["x", "y", "z"]), "compare_ranks: values must be numbers, got"),
        (lambda: compare_ranks([[1.0, 2.0], [1.0]], ["x", "y"]), "compare_ranks: values must be numbers, got"),
        (lambda: t_tests(["a"]), "t_tests: gains must be numbers, got"),
        (lambda: bayesian_correlated_t(["a"], test_train_ratio=0.1), "t_tests: gains must be numbers, got"),
        (lambda: paired_t_test(["a"], [1.0]), "paired_t_test: first and second must be numbers, got"),
    ],
)
def test_what_is_no_number_is_refused(test, sentence):
    with pytest.raises(InvalidInput, match=f"^{sentence}"):
        test()


@pytest.mark.parametrize(
    ("p_value", "alpha", "words"),
    [
        (0.0352, 0.05, "p = 0.035"),
        (0.0496, 0.05, "p = 0.0496"),
        (0.049996, 0.05, "p = 0.049996"),
        (0.05, 0.05, "p = 0.050"),
        (0.0504, 0.05, "p = 0.050"),
        (0.0099, 0.01, "p = 0.0099"),
        (0.0496, 0.1, "p = 0.050"),
        (0.0004, 0.05, "p < 0.001"),
    ],
)
def test_a_p_value_reads_as_below_the_level_where_it_is(p_value, alpha, words):
    assert format_p(p_value, alpha) == words
