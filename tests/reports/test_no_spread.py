"""Differences of as many examples on each split, as every table tells of them."""

from ensembles.reports.significance import Question, all_pairs, cell_finding, marked_means
from ensembles.reports.verdict import verdict_of
from tests.reports.made_up import LEARNERS, make_config, make_results, make_trial


def test_what_is_as_many_examples_on_folds_of_other_sizes_is_no_spread():
    sizes = (34, 33, 33)
    trials = [
        make_trial(0, learner, 1 - n_wrong / size, fold=fold, n_test=size, n_train=100 - size)
        for fold, size in enumerate(sizes)
        for learner, n_wrong in enumerate((15, 10))
    ]
    found = make_results(trials, config=make_config(LEARNERS[:2], ("iris",)), names=("Iris",))
    for question in (Question("accuracy"), Question("error"), Question("error", "paired")):
        assert cell_finding(found, question, 0, 0, 1).p_value == 0.25
        assert marked_means(found, question, reference=0).marks.iloc[0, 1] == "equal"
        assert all_pairs(found, question).to_frame().iloc[1, 0] == "0 / 1 / 0"
    assert [row.standing for row in verdict_of(found).rows] == ["best", "tied"]
