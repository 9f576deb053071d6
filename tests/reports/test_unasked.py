"""Who was not asked about the head of a stream is named wherever results are read."""

from ensembles.experiments.config import Prequential
from ensembles.reports.html_report import report_page
from ensembles.reports.unasked import unasked_heads
from tests.reports.made_up import make_config, make_results, make_trial


def of(*asked, protocol=None):
    config = make_config().model_copy(update={"protocol": protocol or Prequential()})
    return make_results([make_trial(0, i, 0.5, n_test=n) for i, n in enumerate(asked)], config=config)


def test_learners_that_were_asked_about_fewer_examples_are_named():
    assert unasked_heads(of(100, 100)) == unasked_heads(of(100)) == unasked_heads(of()) == []
    assert unasked_heads(of(100, 40, protocol=make_config().protocol)) == []
    assert unasked_heads(of(100, 40)) == [
        "AdaBoost learns the head of the stream first and was not asked about it: means over all predictions are not of the "
        "same examples, those of the final accuracy are."
    ]
    [several] = unasked_heads(of(90, 100, 80))
    assert several.startswith("Single model and ")
    assert " learn the head of the stream first and were not asked about it" in several


def test_a_head_that_reaches_into_the_final_part_makes_that_of_other_examples_too():
    assert unasked_heads(of(100, 19))[0].endswith("not of the same examples.")
    assert unasked_heads(of(100, 20))[0].endswith("those of the final accuracy are.")


def test_the_report_says_it():
    assert unasked_heads(of(100, 40))[0] in report_page(of(100, 40), ["accuracy"])
