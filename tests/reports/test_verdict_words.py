"""Sentences of the verdict that hold for any measure."""

from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_words import chances_words, verdict_sentences
from tests.reports.test_verdict import made


def test_a_measure_that_is_a_mean_is_called_one_once():
    for gains, said in (((0.0, 0.1), "mean rank 1.50 over 2 data sets"), ((0.1,), "Single model, over 2 data sets")):
        verdict = verdict_of(made(2, gains, datasets=("iris", "wine"), measures=("mse",)), measure="mse")
        assert f"{said}{',' * (len(gains) > 1)} mean squared error 0.2500." in verdict_sentences(verdict)[0]
    chances = chances_words(verdict_of(made(measures=("mse",)), measure="mse"))
    assert "that the mean squared error of a learner is better" in chances


def test_who_is_ahead_untested_is_not_the_best_for_having_a_twin():
    datasets = ("iris", "wine", "digits")
    alone = verdict_of(made(2, (0.0, 0.1, 0.05), datasets=datasets))
    beside = verdict_of(made(2, (0.0, 0.1, 0.05, 0.1), datasets=datasets))  # bagging is the same as AdaBoost
    for verdict in (alone, beside):
        assert verdict_sentences(verdict)[0].startswith("Ahead, but not tested: AdaBoost, mean rank 1")
        assert (verdict.to_plain()["test"], verdict.word(verdict.rows[0])) == (None, "ahead")
    assert verdict_sentences(beside)[1] == "The same: Bagging never differs from it, on any data set."
    assert verdict_sentences(beside)[2].startswith(
        "Too little to tell: Online boosting and Single model. With 3 data sets"
    )
    all_alike = verdict_of(made(2, (None, 0.1, None, 0.1), datasets=datasets))
    assert verdict_sentences(all_alike)[0].startswith("Best: AdaBoost, ")
