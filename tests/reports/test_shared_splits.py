"""A learner whose trials failed on the hard splits is not compared on the others: every answer says the same."""

import numpy as np
import pytest

from ensembles.reports.figure_data import scatter_points
from ensembles.reports.html_report import report_page
from ensembles.reports.latex_means import means_latex
from ensembles.reports.leaderboard import leaderboard_chart, win_rate_chart
from ensembles.reports.over_datasets import compare_over_datasets, rank_learners
from ensembles.reports.shared_means import shared_means
from ensembles.reports.significance import Question
from ensembles.reports.trade_off import trade_off_of
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_rows import rows_of
from tests.reports.made_up import make_config, make_results, make_trial

DATASETS = ("iris", "wine", "glass", "ionosphere", "pima", "vehicle", "sonar", "zoo")
QUESTION = Question("accuracy")


def accuracy(dataset, learner, fold):
    return 0.8 - 0.3 * (fold < 3) - 0.02 * (learner == 1) - 0.01 * (learner == 2) - 0.001 * fold - 0.005 * dataset


def made_results(failed=3):
    """Return results in which the first learner is the best on every split, and the second has failed on hard ones."""
    trials = [
        make_trial(d, m, None if m == 1 and fold < failed else accuracy(d, m, fold), fold=fold)
        for d in range(len(DATASETS))
        for m in range(3)
        for fold in range(10)
    ]
    return make_results(trials, config=make_config(datasets=DATASETS), names=DATASETS)


@pytest.mark.parametrize(("failed", "trials"), [(0, ""), (3, "24 trials")])
def test_tables_say_that_their_means_are_of_other_splits_than_comparisons(failed, trials):
    results = made_results(failed)
    assert results.mean("accuracy").to_numpy()[0, 1] > results.mean("accuracy").to_numpy()[0, 0] or not failed
    said = [f"{trials} failed: a mean is of the splits that its learner finished" in means_latex(results, "accuracy")]
    said.append("tests, ranks and the verdict go by splits" in report_page(results, ["accuracy"]))
    assert said == [bool(failed)] * 2


@pytest.mark.parametrize("failed", [0, 3])
def test_every_answer_over_data_sets_is_of_the_splits_that_learners_share(failed):
    results = made_results(failed)
    assert [(row.learner, row.standing) for row in verdict_of(results).rows][::2] == [(0, "best"), (1, "worse")]
    pair = compare_over_datasets(results, QUESTION, 0, 1)
    assert (pair.counts.losses, pair.ranks.verdict, pair.posterior.worse > 0.95) == (8, "worse", True)
    assert pair.reduction.absolute == pytest.approx(-0.02)
    assert rank_learners(results, QUESTION).average_ranks == (1.0, 3.0, 2.0)
    order = [results.learners[place] for place in (0, 2, 1)]
    assert leaderboard_chart(results, "accuracy").numbers["Learner"].tolist() == order
    assert win_rate_chart(results, "accuracy").numbers["Learner"].tolist() == order
    assert {point.verdict for point in scatter_points(results, 0, 1, "accuracy").points} == {"worse"}
    errors = trade_off_of(results).errors
    assert np.argsort(errors).tolist() == [0, 2, 1]
    assert [row.learner for row in rows_of(results, verdict_of(results), "relative").rows] == [0, 2, 1]


def test_a_learner_with_half_of_the_splits_has_no_mean_to_be_compared_by():
    means = shared_means(made_results(5), "accuracy")
    assert np.isnan(means[:, 1]).all()
    assert means[0, [0, 2]] == pytest.approx([np.mean([accuracy(0, m, f) for f in range(10)]) for m in (0, 2)])
