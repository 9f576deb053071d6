import math

import numpy as np
import pytest
from scipy import stats

from ensembles.evaluation.rank_tests import compare_ranks
from tests.evaluation.demsar import AREAS, LEARNERS
from tests.evaluation.test_significance import assert_finite


def test_demsars_example():
    """Demsar (2006), section 3.2.2 and figure 1: ranks, Friedman, Nemenyi's difference, Holm's procedure."""
    found = compare_ranks(AREAS, LEARNERS, control=0)
    assert found.average_ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    uncorrected = 12 * 14 / (4 * 5) * (np.square(found.average_ranks).sum() - 4 * 25 / 4)
    assert uncorrected == pytest.approx(9.28, abs=0.01)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert compare_ranks(AREAS, LEARNERS, alpha=0.1).critical_difference == pytest.approx(1.12, abs=0.005)
    assert [one.learner for one in found.holm] == [3, 1, 2]
    assert [one.p_value for one in found.holm] == pytest.approx([0.016, 0.019, 0.607], abs=2e-3)
    assert [one.differs for one in found.holm] == [True, True, False]
    assert [one.adjusted for one in found.holm] == pytest.approx([0.0472, 0.0472, 0.6084], abs=1e-4)
    assert found.holm_sentence == "Holm: C4.5+m+cf, C4.5+m differ from C4.5 at 0.05."
    assert found.cliques == ((3, 1, 2, 0),)


def test_where_the_control_is_the_best_holm_adjusts_for_all_pairs():
    found = compare_ranks(AREAS, LEARNERS)
    assert found.control == 3
    by_pair = sorted(one.p_value for one in found.holm)
    assert [one.adjusted for one in found.holm] == pytest.approx([min(6 * by_pair[0], 1), min(5 * by_pair[1], 1), 1.0])
    rng = np.random.default_rng(1)
    told = [any(one.differs for one in compare_ranks(rng.random((10, 10)), "abcdefghij").holm) for _ in range(200)]
    assert sum(told) <= 18  # of 200 equal sets of learners; adjusted for the others alone 30 are expected


def test_friedman_and_nemenyi_are_those_of_the_libraries():
    import scikit_posthocs  # with Matplotlib and seaborn, which take long, and which no other test needs

    rng = np.random.default_rng(3)
    values = rng.random((12, 6)) + np.linspace(0, 0.6, 6)
    found = compare_ranks(values, list("abcdef"))
    expected = stats.friedmanchisquare(*values.T)
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert np.array(found.nemenyi) == pytest.approx(scikit_posthocs.posthoc_nemenyi_friedman(values).to_numpy())


def test_ranks_that_differ_on_too_few_data_sets_for_pairs_say_why_the_verdict_does_not():
    twice = np.array([np.arange(10.0)] * 2)
    found = compare_ranks(twice, "abcdefghij")
    assert found.p_value < 0.05
    assert found.sentence.endswith(
        "It asks of all learners at once, by an approximation; signed ranks of two learners, as in the verdict, can tell "
        "nothing on fewer than 11 data sets."
    )
    assert "at once" not in compare_ranks(np.array([np.arange(10.0)] * 11), "abcdefghij").sentence
    assert "at once" not in compare_ranks(twice[:, :3], "abc").sentence, "it agrees with the verdict"


def test_a_pair_at_the_critical_difference_has_the_p_value_alpha():
    found = compare_ranks(AREAS, LEARNERS)
    scale = math.sqrt(4 * 5 / (6 * 14))
    q = found.critical_difference / scale * math.sqrt(2)
    assert stats.studentized_range.sf(q, 4, np.inf) == pytest.approx(0.05, abs=1e-6)


def test_the_tests_of_rounding_time_in_r():
    """The example of R's ?friedman.test (Hollander and Wolfe): 11.143 with 2 degrees of freedom, p-value 0.003805."""
    times = np.array(
        [
            (5.40, 5.50, 5.55), (5.85, 5.70, 5.75), (5.20, 5.60, 5.50), (5.55, 5.50, 5.40), (5.90, 5.85, 5.70),
            (5.45, 5.55, 5.60), (5.40, 5.40, 5.35), (5.45, 5.50, 5.35), (5.25, 5.15, 5.00), (5.85, 5.80, 5.70),
            (5.25, 5.20, 5.10), (5.65, 5.55, 5.45), (5.60, 5.35, 5.45), (5.05, 5.00, 4.95), (5.50, 5.50, 5.40),
            (5.45, 5.55, 5.50), (5.55, 5.55, 5.35), (5.45, 5.50, 5.55), (5.50, 5.45, 5.25), (5.65, 5.60, 5.40),
            (5.70, 5.65, 5.55), (6.30, 6.30, 6.25),
        ]
    )  # fmt: skip
    found = compare_ranks(times, ("Round out", "Narrow angle", "Wide angle"), lower_is_better=True)
    assert (round(found.statistic, 3), round(found.p_value, 6)) == (11.143, 0.003805)
    assert found.control == 2


def test_cliques_are_the_largest_groups_within_the_difference():
    ranks = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], (30, 1))
    found = compare_ranks(ranks, list("edcba"), lower_is_better=True)
    assert found.critical_difference == pytest.approx(1.1137, abs=1e-3)
    assert found.cliques == ((0, 1), (1, 2), (2, 3), (3, 4))
    assert compare_ranks(np.tile(ranks, (2, 1)), list("edcba")).cliques == ()


def test_missing_results_leave_their_data_set_out_and_are_counted():
    values = AREAS.copy()
    values[0, 1] = math.nan
    found = compare_ranks(values, LEARNERS)
    assert (found.n, found.left_out) == (13, 1)
    assert found.average_ranks == compare_ranks(AREAS[1:], LEARNERS).average_ranks
    assert "Left out for missing results: 1." in found.sentence


def test_identical_learners_rank_alike():
    found = compare_ranks(np.full((4, 3), 0.5), ("a", "b", "c"))
    assert found.average_ranks == (2.0, 2.0, 2.0)
    assert (found.statistic, found.p_value) == (0.0, 1.0)
    assert found.cliques == ((0, 1, 2),)
    assert found.holm_sentence == "Holm: no learner differs significantly from a at 0.05."
    assert np.array(found.nemenyi) == pytest.approx(np.ones((3, 3)))
    assert_finite(found)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.zeros((5, 2)), "it needs three learners, got 2"),
        (np.zeros((1, 3)), "it needs two data sets with results of all learners, got 1"),
        (np.full((4, 3), math.nan), "got 0"),
        (np.zeros((0, 3)), "got 0"),
    ],
)
def test_too_little_gives_a_sentence(values, said):
    found = compare_ranks(values, list("abc")[: values.shape[1]])
    assert not found.has_answer
    assert said in found.sentence
    assert_finite(found)
