"""McNemar's test from kept predictions, beside counting by hand."""

import numpy as np
import pytest
from scipy import stats

from ensembles.data import load_dataset
from ensembles.evaluation.right_or_wrong import pack_right
from ensembles.experiments.config import ExperimentConfig, GivenSplit, Prequential
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials, split_of
from ensembles.reports.html_report import report_page
from ensembles.reports.predictions import (
    has_predictions,
    left_predictions,
    mcnemar_finding,
    mcnemar_reads,
    mcnemar_table,
    right_answers,
)
from ensembles.reports.stream_comparison import stream_comparison_chart
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_words import verdict_lines
from runner.exports import export_results
from tests.reports.made_up import LEARNERS, make_config, make_curve, make_results, make_trial

TRUE = [0, 1, 1, 0, 1, 0]
FIRST = [0, 1, 0, 1, 0, 0]  # right on three
SECOND = [0, 1, 1, 0, 1, 1]  # right on five


def kept(learner, told, **place):
    x = [3, 4, 7, 8, 11, 20]
    return [
        *make_curve(0, learner, x, told, curve="predictions", **place),
        *make_curve(0, learner, x, TRUE, curve="predictions_true", **place),
    ]


def made(more=()):
    config = make_config().model_copy(update={"curves": ("predictions",)})
    curves = kept(0, FIRST) + kept(0, TRUE, fold=1) + kept(1, SECOND) + kept(1, SECOND, order=1) + [*more]
    return make_results([make_trial(0, learner, 0.5) for learner in (0, 1)], curves, config)


def test_the_examples_that_one_learner_alone_gets_right_are_counted_on_the_first_split():
    found = mcnemar_finding(made(), 0, 0, 1)
    assert (found.n, found.gain, found.statistic) == (6, pytest.approx(2 / 6), 1.0)
    assert found.p_value == pytest.approx(stats.binomtest(3, 4).pvalue)
    assert mcnemar_finding(made(), 0, 1, 0).gain == pytest.approx(-2 / 6)
    assert mcnemar_finding(made(kept(1, FIRST, fold=1)), 0, 0, 1) == found


def test_learners_without_shared_predictions_get_a_sentence():
    assert mcnemar_finding(made(), 0, 0, 2).sentence.endswith("there is no test example.")
    assert mcnemar_finding(made(), 1, 0, 1).verdict == "unknown"


def test_on_a_stream_the_table_knows_that_neighbours_resemble_each_other():
    right = {0: np.ones(2000), 1: np.ones(2000)}
    right[0][300:340] = right[1][900:910] = 0.0
    curves = [
        one
        for learner, own in right.items()
        for curve, y in (("predictions", own), ("predictions_true", np.ones(2000)))
        for one in make_curve(0, learner, range(2000), y, curve=curve)
    ]
    config = make_config().model_copy(update={"curves": ("predictions",), "protocol": Prequential(orders=1)})
    stream = make_results([make_trial(0, learner, 0.5) for learner in (0, 1)], curves, config)
    assert mcnemar_finding(stream, 0, 0, 1).verdict == "equal"
    assert mcnemar_table(stream, (0, 1))["p"].iloc[0] > 0.05
    assert "neighbours on a stream resemble each other" in mcnemar_reads(stream)
    assert "neighbours" not in mcnemar_reads(made())


def test_learners_that_agree_in_the_first_order_are_said_to_be_the_same_in_that_one():
    curves = [one for learner in (0, 1) for one in kept(learner, FIRST)]
    protocol = {"protocol": Prequential(orders=3)}
    config = make_config(LEARNERS[:2], ("iris",)).model_copy(update={"curves": ("predictions",)} | protocol)
    trials = [make_trial(0, m, 0.5 + m / 10 * (order > 0), order=order) for m in (0, 1) for order in range(3)]
    verdict = verdict_of(make_results(trials, curves, config, ("Iris",)))
    said = dict(verdict_lines(verdict))
    assert said["The same"].endswith("never differs from it, on any example in the first of 3 orders.")


@pytest.mark.parametrize(("method", "where"), [("online_bagging", " in the first of 5 orders."), ("bagging", "].")])
def test_batch_learners_on_a_test_set_have_no_orders(method, where):
    curves = [one for learner, told in ((0, FIRST), (1, SECOND)) for one in kept(learner, told)]
    learners = [{"method": one, "base": "naive_bayes"} for one in ("single", method)]
    protocol = {"protocol": GivenSplit(test_file="test.csv")}
    config = make_config(learners, ("iris",)).model_copy(update={"curves": ("predictions",)} | protocol)
    verdict = verdict_of(make_results([make_trial(0, m, 0.5) for m in (0, 1)], curves, config, ("Iris",)))
    assert verdict_lines(verdict)[0].text.endswith(where)


def test_the_table_has_every_pair_and_the_report_shows_it():
    table = mcnemar_table(made())
    assert len(table) == 2 * 3
    assert table["Test examples"].tolist() == [6, 0, 0, 0, 0, 0]
    assert "McNemar&#x27;s test on the test examples" in report_page(made(), ["accuracy"])
    assert len(mcnemar_table(made(), (0, 1))) == 2


def test_bits_of_a_stream_say_what_its_predictions_say():
    config = make_config(datasets=("iris",)).model_copy(update={"protocol": Prequential(orders=2), "curves": ()})
    right = np.random.default_rng(1).random((300, 2)) < [0.6, 0.9]
    singly, in_bits = [], []
    for learner, first in ((0, 0), (1, 40)):
        x, told = range(first, 300), right[first:, learner]
        singly += make_curve(0, learner, x, told.astype(float), curve="predictions")
        singly += make_curve(0, learner, x, [1.0] * len(x), curve="predictions_true")
        packed = pack_right(first, told)
        in_bits += make_curve(0, learner, packed.x, packed.y, curve="right_or_wrong")
        in_bits += make_curve(0, learner, [0, 300], [0, 0], curve="right_or_wrong", order=1)
    trials = [make_trial(0, learner, 0.5) for learner in (0, 1)]
    kept, bits = (make_results(trials, curves, config, ("Iris",)) for curves in (singly, in_bits))
    np.testing.assert_array_equal(right_answers(bits, 0), right_answers(kept, 0))
    assert np.isnan(right_answers(bits, 0)[:40, 1]).all()
    assert mcnemar_finding(bits, 0, 0, 1) == mcnemar_finding(kept, 0, 0, 1)
    assert mcnemar_finding(bits, 0, 0, 1).n == 260
    assert has_predictions(config)
    assert left_predictions(bits)
    assert not left_predictions(make_results(trials, [], config, ("Iris",)))


def test_two_learners_along_a_stream_are_drawn_or_say_why_not():
    config = make_config(datasets=("iris",)).model_copy(update={"protocol": Prequential(), "curves": ()})
    curves = []
    for learner, share in ((0, 0.6), (1, 0.95)):
        packed = pack_right(0, np.random.default_rng(learner).random(1000) < share)
        curves += make_curve(0, learner, packed.x, packed.y, curve="right_or_wrong")
    results = make_results([make_trial(0, learner, 0.5) for learner in (0, 1)], curves, config, ("Iris",))
    chart = stream_comparison_chart(results, 0, 0, 1)
    assert "AdaBoost is clearly better on examples 1 to 1,000. A mark: error of Single model minus" in chart.caption
    figure = chart.draw("dark")
    assert [one for trace in figure.data for one in trace.y] == chart.numbers["Difference"].tolist()
    assert set(chart.numbers["Clearly better"]) == {"AdaBoost"}
    assert "Choose two different" in stream_comparison_chart(results, 0, 1, 1).caption
    assert stream_comparison_chart(results, 0, 0, 2).caption == "Iris: no trial of Online boosting has finished."
    older = make_results([make_trial(0, learner, 0.5) for learner in (0, 1)], [], config, ("Iris",))
    assert "no 400 examples" in stream_comparison_chart(older, 0, 0, 1).caption
    back = stream_comparison_chart(results, 0, 1, 0)
    assert "AdaBoost is clearly better on examples 1 to 1,000." in back.caption


def test_places_along_a_stream_count_the_examples_that_nobody_predicted():
    config = make_config(datasets=("iris",)).model_copy(update={"protocol": Prequential(), "curves": ()})
    curves = []
    for learner, (first, share) in enumerate([(500, 0.6), (600, 0.95)]):
        packed = pack_right(first, np.random.default_rng(learner).random(1000 - first) < share)
        curves += make_curve(0, learner, packed.x, packed.y, curve="right_or_wrong")
    results = make_results([make_trial(0, learner, 0.5) for learner in (0, 1)], curves, config, ("Iris",))
    caption = stream_comparison_chart(results, 0, 0, 1).caption
    assert "AdaBoost is clearly better on examples 601 to 1,000." in caption


def test_latex_has_a_row_a_pair():
    latex = export_results(made(), "latex").decode()
    assert "% McNemar's test on the test examples" in latex
    assert "Iris & Single model & AdaBoost & 6 & 0.3333 & 0.6250 " in latex
    assert "McNemar" not in export_results(make_results([make_trial(0, 0, 0.5)]), "latex").decode()


def test_trials_keep_each_prediction_beside_its_row_and_class():
    config = ExperimentConfig.from_dict(
        {
            "name": "Kept",
            "datasets": ["iris"],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": {"kind": "holdout", "repeats": 1, "train_size": 100},
            "curves": ["predictions"],
        }
    )
    dataset = load_dataset("iris")
    (plan,) = plan_trials(config, [dataset])
    result = run_trial(plan, dataset, config)
    told, true = result.curves["predictions"], result.curves["predictions_true"]
    _, rows = split_of(config, dataset, plan)
    assert told.x == true.x == tuple(rows)
    assert true.y == tuple(dataset.labels[rows])
    right = sum(a == b for a, b in zip(told.y, true.y, strict=True))
    assert right / len(rows) == result.measures["accuracy"]
