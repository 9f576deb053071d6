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
