"""Who was not asked about the head of a stream is named wherever results are read."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from ensembles.experiments.config import Prequential
from ensembles.reports.html_report import report_page
from ensembles.reports.latex_means import means_latex
from ensembles.reports.unasked import unasked_heads
from ensembles.reports.verdict import default_measure, verdict_of
from runner.commands.summary import results_text, summarise
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


def test_a_shorter_stream_of_another_experiment_has_no_head():
    whole = of(100, 50)
    shorter = whole.trials.assign(n_train=[100, 50])
    assert unasked_heads(whole)
    assert unasked_heads(replace(whole, trials=shorter)) == []


def test_a_head_that_reaches_into_the_final_part_makes_that_of_other_examples_too():
    assert unasked_heads(of(100, 19))[0].endswith("not of the same examples.")
    assert unasked_heads(of(100, 20))[0].endswith("those of the final accuracy are.")


@pytest.mark.parametrize(
    ("asked", "measure"),
    [((100, 40), "final_accuracy"), ((100, 19), "accuracy"), ((100, 100), "accuracy")],
    ids=["head", "head_into_the_final_part", "no_head"],
)
def test_means_over_several_orders_are_compared_where_all_were_asked(asked, measure):
    results = of(*asked, *asked)
    halves = results.trials.assign(
        learner=[0, 1] * 2, order=[0, 0, 1, 1], accuracy=[0.6, 0.9] * 2, final_accuracy=[0.9, 0.8] * 2
    )
    results = replace(results, trials=halves)
    assert default_measure(results) == verdict_of(results).measure == measure
    ahead = 0 if measure == "final_accuracy" else 1
    assert [row.learner for row in verdict_of(results).rows if row.standing == "best"] == [ahead]
    assert default_measure(replace(results, trials=halves.drop(columns="final_accuracy"))) == "accuracy"


def test_the_report_says_it_and_so_do_latex_and_the_command_line():
    found = of(100, 40)
    [said] = unasked_heads(found)
    assert said in report_page(found, ["accuracy"])
    assert said in means_latex(found, "accuracy")
    record = SimpleNamespace(name="Made up", id="1", state="finished", done=2, total=2, failed=0)
    assert said in results_text(record, found, 1.0)
    assert summarise(record, found, 1.0)["notes"] == [said]
