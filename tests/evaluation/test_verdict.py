"""Who is best, tied and worse: beside scipy on small cases, at extremes, and over experiments whose truth is known."""

import math

import numpy as np
import pytest
from scipy import stats

from ensembles.errors import InvalidInput, InvalidParameter
from ensembles.evaluation.long_run import long_run_errors
from ensembles.evaluation.power import datasets_to_tell, power_of_datasets, power_of_splits, splits_to_tell
from ensembles.evaluation.rank_tests import holm_adjusted
from ensembles.evaluation.significance import t_tests
from ensembles.evaluation.verdict import on_splits, over_datasets
from ensembles.evaluation.verdict_on_examples import on_examples
from tests.evaluation.demsar import AREAS

RATIO = 1 / 9


def standings(comparison):
    return {row.learner: row.standing for row in comparison.rows}


def row_of(comparison, learner):
    return next(row for row in comparison.rows if row.learner == learner)


def made_splits(n_splits=20, seed=3):
    noise = np.random.default_rng(seed).normal(0, 0.01, (n_splits, 4))
    return np.array([0.80, 0.90, 0.895, 0.70]) + noise


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_on_one_data_set_p_values_and_intervals_are_those_of_the_corrected_t(lower_is_better):
    values = 1 - made_splits() if lower_is_better else made_splits()
    found = on_splits(values, test_train_ratio=RATIO, lower_is_better=lower_is_better)
    assert [row.learner for row in found.rows] == [1, 2, 0, 3]
    assert standings(found) == {1: "best", 2: "tied", 0: "worse", 3: "worse"}
    sign = 1 if lower_is_better else -1
    raw = {}
    for row in found.rows[1:]:
        gains = sign * (values[:, row.learner] - values[:, 1])
        scale = math.sqrt((1 / 20 + RATIO) * gains.var(ddof=1))
        raw[row.learner] = 2 * stats.t.sf(abs(gains.mean()) / scale, 19)
        low, high = stats.t.interval(0.95, 19, gains.mean(), scale)
        assert (row.behind, row.low, row.high) == pytest.approx((gains.mean(), low, high))
        assert row.p_value == pytest.approx(raw[row.learner])
    smallest, middle, largest = sorted(raw, key=raw.get)
    adjusted = [6 * raw[smallest]]  # six pairs of four learners
    adjusted.append(max(adjusted[-1], 5 * raw[middle]))
    adjusted.append(min(1.0, max(adjusted[-1], 4 * raw[largest])))
    assert [row_of(found, one).adjusted for one in (smallest, middle, largest)] == pytest.approx(adjusted)
    best = values[:, 1]
    ends = stats.t.interval(0.95, 19, best.mean(), math.sqrt((1 / 20 + RATIO) * best.var(ddof=1)))
    assert (found.low, found.high) == pytest.approx(ends)


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_over_data_sets_p_values_are_those_of_the_exact_signed_ranks(lower_is_better):
    values = 1 - AREAS if lower_is_better else AREAS
    found = over_datasets(values, lower_is_better=lower_is_better)
    ranks = stats.rankdata(-AREAS, axis=1).mean(axis=0)
    best = int(ranks.argmin())
    assert [row.learner for row in found.rows] == np.argsort(ranks).tolist()
    for row in found.rows[1:]:
        gains = (AREAS[:, row.learner] - AREAS[:, best]).round(12)
        assert row.p_value == pytest.approx(stats.wilcoxon(gains[gains != 0]).pvalue)
        assert row.behind == pytest.approx(ranks[row.learner] - ranks[best])
        assert row.low < row.behind < row.high
    statistic = stats.friedmanchisquare(*AREAS.T).statistic  # corrected for ties, unlike Demsar's 9.28
    assert found.all_alike == pytest.approx(stats.f.sf(13 * statistic / (14 * 3 - statistic), 3, 39))


def test_on_examples_p_values_are_those_of_mcnemar():
    rng = np.random.default_rng(4)
    right = (rng.random((2000, 3)) < [0.9, 0.89, 0.8]).astype(float)
    found = on_examples(right, in_order=False)
    assert standings(found) == {0: "best", 1: "tied", 2: "worse"}
    for row in found.rows[1:]:
        won = int(np.sum((right[:, 0] == 1) & (right[:, row.learner] == 0)))
        lost = int(np.sum((right[:, 0] == 0) & (right[:, row.learner] == 1)))
        assert row.p_value == pytest.approx(stats.binomtest(won, won + lost).pvalue)
        spread = (right[:, 0] - right[:, row.learner]).std() / math.sqrt(2000)
        assert (row.low, row.high) == pytest.approx((row.behind - 1.96 * spread, row.behind + 1.96 * spread), abs=0.004)
    assert found.rows[0].value == pytest.approx(1 - right[:, 0].mean())
    assert found.low < found.rows[0].value < found.high


def test_on_streams_what_neighbours_share_has_a_say():
    rng = np.random.default_rng(1)
    right = np.repeat((rng.random((50, 2)) < 0.5).astype(float), 50, axis=0)
    one_by_one, in_blocks = on_examples(right, in_order=False), on_examples(right)
    assert [row.standing for row in one_by_one.rows] == ["best", "worse"]
    assert [row.standing for row in in_blocks.rows] == ["best", "tied"]
    behind = right[:, [in_blocks.rows[0].learner]] - right[:, [in_blocks.rows[1].learner]]
    scale, freedom = long_run_errors(behind)
    row = in_blocks.rows[1]
    assert row.p_value == pytest.approx(2 * stats.t.sf(row.behind / scale[0], freedom))
    assert (row.low, row.high) == pytest.approx(stats.t.interval(0.95, freedom, row.behind, scale[0]))
    apart = np.column_stack([np.ones(400), np.zeros(400)])
    assert standings(on_examples(apart)) == {0: "best", 1: "worse"}


def test_errors_of_rounding_break_no_tie():
    found = over_datasets([[0.1 + 0.2, 0.3], [0.4, 0.5], [0.7, 0.6], [0.2, 0.2]])
    assert [row.value for row in found.rows] == [1.5, 1.5]


def equal_learners(rng, n_splits, n_learners, ratio):
    """Return scores whose differences have mean 0, correlated between splits as Nadeau and Bengio assume."""
    share = ratio / (1 + ratio)
    common, own = rng.normal(size=n_learners), rng.normal(size=(n_splits, n_learners))
    return math.sqrt(share) * common + math.sqrt(1 - share) * own


@pytest.mark.parametrize("n_learners", [2, 4, 8])
def test_equal_learners_are_seldom_called_worse_on_one_data_set(n_learners):
    rng, n = np.random.default_rng(n_learners), 300
    wrong = sum(
        "worse"
        in standings(on_splits(equal_learners(rng, 10, n_learners, 0.25), test_train_ratio=0.25, alpha=0.05)).values()
        for _ in range(n)
    )
    assert wrong <= stats.binom.ppf(0.99, n, 0.05)


def test_adjusted_for_the_others_alone_equal_learners_would_be_called_worse_too_often():
    rng, n, wrong = np.random.default_rng(0), 300, 0
    for _ in range(n):
        scores = equal_learners(rng, 10, 8, 0.25)
        best = int(scores.mean(axis=0).argmax())
        p_values = t_tests(scores - scores[:, [best]], 0.25).p_value
        wrong += holm_adjusted(np.delete(p_values, best), 7).min() < 0.05
    assert wrong > stats.binom.ppf(0.999, n, 0.05)


def test_equal_learners_are_seldom_called_worse_over_data_sets_and_on_streams():
    rng, n = np.random.default_rng(7), 200
    sets = sum("worse" in standings(over_datasets(rng.random((15, 4)))).values() for _ in range(n))
    streams = sum("worse" in standings(on_examples(rng.random((400, 4)) < 0.8)).values() for _ in range(n))
    assert max(sets, streams) <= stats.binom.ppf(0.99, n, 0.05)


def test_a_real_difference_is_found():
    rng = np.random.default_rng(8)
    found = [on_splits(made_splits(seed=seed), test_train_ratio=RATIO) for seed in range(50)]
    assert sum(standings(one)[3] == "worse" for one in found) == 50
    assert standings(over_datasets(rng.random((15, 3)) + [0, 0, 1]))[0] == "worse"


@pytest.mark.parametrize("n_splits", [1, 2])
def test_fewer_than_three_splits_tell_nothing(n_splits):
    found = on_splits(made_splits(n_splits), test_train_ratio=RATIO)
    assert {*standings(found).values()} == {"best", "undecided"}
    assert {row.why for row in found.rows[1:]} == {"few"}
    assert all(math.isnan(row.adjusted) for row in found.rows)


def test_a_difference_in_ranks_that_is_the_same_on_all_data_sets_has_no_interval():
    best, second, third = over_datasets([[0.9, 0.8, 0.7], [0.8, 0.6, 0.5], [0.7, 0.6, 0.5]]).rows
    assert (best.behind, best.low, best.high) == (0.0, 0.0, 0.0)
    assert (second.behind, third.behind) == (1.0, 2.0)
    assert np.isnan([second.low, second.high, third.low, third.high]).all()
    assert not np.isnan(over_datasets([[0.9, 0.8, 0.7], [0.8, 0.6, 0.5], [0.7, 0.5, 0.6]]).rows[1].low)


def test_learners_that_never_differ_are_the_same():
    found = on_splits(np.full((5, 3), 0.7), test_train_ratio=RATIO)
    assert [(row.standing, row.same, row.adjusted) for row in found.rows[1:]] == [("tied", True, 1.0)] * 2
    assert np.isnan([found.low, found.high]).all()  # nothing tells how sure it is
    assert {row.same for row in over_datasets(np.full((3, 2), 0.7)).rows} == {False, True}
    assert {row.same for row in on_examples(np.ones((4, 2))).rows} == {False, True}


def test_too_few_data_sets_tell_nothing_whatever_they_say():
    values = np.arange(6)[:, np.newaxis] / 100 + [0.1, 0.5]
    assert standings(over_datasets(values[:5])) == {1: "best", 0: "undecided"}
    assert standings(over_datasets(values)) == {1: "best", 0: "worse"}
    three = np.column_stack([values, values[:, 0] - 0.05])
    assert "worse" not in standings(over_datasets(three)).values()  # three pairs: 2 / 2**6 * 3 is more than 0.05


def test_missing_trials_leave_out_what_cannot_be_paired():
    values = made_splits(10)
    values[0, 1] = np.nan
    values[3:, 3] = np.nan
    found = on_splits(values, test_train_ratio=RATIO)
    assert found.n == 9
    assert found.n_tests == 3
    assert (row_of(found, 3).standing, row_of(found, 3).why) == ("undecided", "missing")
    assert math.isnan(row_of(found, 3).value)
    assert row_of(found, 1).value == pytest.approx(values[1:, 1].mean())
    apart = np.array([[0.1, np.nan], [0.2, np.nan], [np.nan, 0.3], [np.nan, 0.4]])
    assert standings(on_splits(apart, test_train_ratio=RATIO)) == {1: "best", 0: "undecided"}
    assert over_datasets(apart).rows == on_examples(np.round(apart)).rows == ()


@pytest.mark.parametrize("compare", [lambda table: on_splits(table, test_train_ratio=0.25), over_datasets, on_examples])
@pytest.mark.parametrize("shape", [(0, 2), (3, 0), (1, 1), (4, 1), (4, 2)])
def test_no_table_is_too_small_or_too_empty(compare, shape):
    assert compare(np.full(shape, np.nan)).rows == ()
    rows = compare(np.zeros(shape)).rows
    assert [row.learner for row in rows] == (list(range(shape[1])) if shape[0] else [])


def test_what_is_no_level_or_no_table_is_refused():
    for compare in (lambda table, **more: on_splits(table, test_train_ratio=0.25, **more), over_datasets, on_examples):
        with pytest.raises(InvalidParameter, match=r"alpha must be a number in \(0, 1\)"):
            compare(np.ones((2, 2)), alpha=5)
        with pytest.raises(InvalidInput, match="a row a pair and a column a learner, got shape"):
            compare(np.ones(3))
    with pytest.raises(InvalidParameter, match="test_train_ratio must be"):
        on_splits(np.ones((2, 2)), test_train_ratio=-1)


def test_holm_counts_tests_that_are_not_there_as_the_last_ones():
    assert holm_adjusted([0.01, 0.04, 0.03], 3).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm_adjusted([0.04, math.nan, 0.01], 6).tolist() == pytest.approx([0.2, math.nan, 0.06], nan_ok=True)


def test_the_power_is_the_share_of_experiments_in_which_the_difference_is_found():
    n, difference, spread = 12, 0.02, 0.02
    rng = np.random.default_rng(9)
    share = RATIO / (1 + RATIO)
    noise = math.sqrt(1 - share) * rng.normal(size=(n, 4000)) + math.sqrt(share) * rng.normal(size=4000)
    # The spread between splits is that of what they do not share.
    gains = difference + spread / math.sqrt(1 - share) * noise
    found = (t_tests(gains, RATIO).p_value < 0.05).mean()
    assert power_of_splits(n, difference, spread, RATIO, 0.05) == pytest.approx(found, abs=0.025)


def test_as_many_splits_tell_as_the_power_says():
    n = splits_to_tell(0.02, 0.02, RATIO, 0.05)
    assert power_of_splits(n - 1, 0.02, 0.02, RATIO, 0.05) < 0.8 <= power_of_splits(n, 0.02, 0.02, RATIO, 0.05)
    assert splits_to_tell(0.5, 1.0, 0.0, 0.05) == 34  # Cohen, 1988, table 2.4.1: paired, d = 0.5
    assert splits_to_tell(0.001, 0.02, RATIO, 0.05) is None
    assert splits_to_tell(0.0, 0.02, RATIO, 0.05) is None
    assert splits_to_tell(0.1, 1e-9, RATIO, 0.05) == 3
    assert splits_to_tell(0.1, 0.0, RATIO, 0.05) == 6  # no spread: by signs
    assert splits_to_tell(0.1, 0.0, RATIO, 2.0**-5) == 7


def test_learners_that_were_not_told_apart_say_how_many_splits_would():
    values = made_splits(8) + np.array([0.095, 0.0, 0.0, 0.0])
    found = on_splits(values, test_train_ratio=RATIO)
    close = found.rows[1]
    assert close.standing == "tied"
    spread = (values[:, close.learner] - values[:, found.rows[0].learner]).std(ddof=1)
    left = 6 - sum(row.standing == "worse" for row in found.rows)
    assert close.to_tell == splits_to_tell(close.behind, spread, RATIO, 0.05 / left)
    assert all(row.to_tell is None for row in found.rows if row.standing in ("best", "worse"))


@pytest.mark.parametrize("differences", [[0.3, -0.1, 0.8, 0.5, -0.2, 0.9], [-0.4, 0.1, -0.5, 0.0, -0.3, -0.9, 0.2]])
def test_so_many_data_sets_tell_as_often_as_they_do_when_drawn(differences):
    n, rng = datasets_to_tell(differences, 0.05), np.random.default_rng(4)
    side, hits = np.sign(sum(differences)), 0
    for drawn in rng.choice(differences, (400, n)):
        differing = drawn[drawn != 0]
        found = stats.wilcoxon(differing, method="asymptotic" if n > 13 else "auto")
        hits += found.pvalue < 0.05 and np.sign(differing.sum()) == side
    assert hits / 400 == pytest.approx(power_of_datasets(n, differences, 0.05), abs=0.07)
    assert power_of_datasets(n - 1, differences, 0.05) < 0.8 <= power_of_datasets(n, differences, 0.05)


def test_of_few_data_sets_or_without_a_difference_no_number_of_them_is_said():
    assert datasets_to_tell([0.1] * 4, 0.05) is None
    assert datasets_to_tell([0.0] * 9, 0.05) is None
    assert datasets_to_tell([1.0, -1.0] * 5, 0.05) is None
    assert datasets_to_tell([0.1] * 9, 0.05) == 6  # the first number of which any outcome can be significant


def test_over_data_sets_it_is_said_how_many_would_tell_those_that_were_not_told():
    gains = np.array([[0.5, 0.52], [0.5, 0.48], [0.5, 0.53], [0.5, 0.54], [0.5, 0.49], [0.5, 0.55]])
    tied = row_of(over_datasets(gains), 0)
    assert tied.standing == "tied"
    assert tied.to_tell == datasets_to_tell(gains[:, 1] - gains[:, 0], 0.05) > 6
    alike = row_of(over_datasets(np.full((6, 2), 0.5)), 1)
    assert alike.to_tell is None


def test_examples_are_told_in_accuracy_as_they_are_in_error():
    right = (np.random.default_rng(1).random((300, 3)) < [0.7, 0.9, 0.88]).astype(float)
    wrong, rights = on_examples(right), on_examples(right, lower_is_better=False)
    assert [row.value for row in rights.rows] == pytest.approx([1 - row.value for row in wrong.rows])
    assert (rights.low, rights.high) == pytest.approx((1 - wrong.high, 1 - wrong.low))
    assert [(row.learner, row.standing, row.behind, row.low) for row in rights.rows] == [
        (row.learner, row.standing, row.behind, row.low) for row in wrong.rows
    ]
