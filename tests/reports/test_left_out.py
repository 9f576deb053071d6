"""A learner that fails everywhere, or has only begun, takes no answer from the others, and is named."""

import pytest

from ensembles.reports.charts import rank_chart
from ensembles.reports.leaderboard import leaderboard_chart
from ensembles.reports.over_datasets import rank_learners
from ensembles.reports.significance import Question
from ensembles.reports.style import learner_styles
from ensembles.reports.trade_off import trade_off_chart
from tests.reports.made_up import LEARNERS, make_config, make_results, make_trial

DATASETS = ("iris", "wine", "digits", "car", "zoo", "vowel", "pima")


def made(n_finished: int):
    """Return results of four learners, of which the first has finished on so many data sets only."""
    config = make_config([{"method": "bagging", "base": "naive_bayes"}, *LEARNERS], DATASETS)
    trials = [
        make_trial(place, learner, None if learner == 0 and place >= n_finished else 0.6 + 0.1 * learner + 0.01 * place)
        for place in range(len(DATASETS))
        for learner in range(4)
    ]
    return make_results(trials, config=config, names=DATASETS)


@pytest.mark.parametrize("n_finished", [0, 3])
def test_who_lacks_most_results_is_left_out_of_ranks_and_named(n_finished):
    results = made(n_finished)
    ranks = rank_learners(results, Question("accuracy"), control=1)
    assert ranks.n == 7
    assert ranks.names == results.learners[1:]
    assert ranks.names[ranks.control] == results.learners[1]
    assert ranks.average_ranks == (3.0, 2.0, 1.0)
    told = "Not compared, with no more than half of the results that others have: Bagging."
    assert ranks.sentence.endswith(told)
    board = leaderboard_chart(results, "accuracy")
    assert board.numbers["Learner"].tolist() == list(results.learners[:0:-1])
    assert board.caption.endswith(told)
    assert trade_off_chart(results).caption.endswith("Left out, with fewer data sets than others: Bagging.")
    drawn = rank_chart(results, ranks, "accuracy").draw("light").data[0].marker
    looks = learner_styles(results.config.learners)[:0:-1]
    assert list(drawn.color) == [look.colour("light") for look in looks]


def test_nobody_is_left_out_who_has_most_results():
    results = made(4)
    ranks = rank_learners(results, Question("accuracy"))
    assert (ranks.n, ranks.left_out, len(ranks.names)) == (4, 3, 4)
    assert "Not compared" not in ranks.sentence
