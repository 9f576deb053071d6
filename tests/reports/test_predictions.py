"""McNemar's test from kept predictions, beside counting by hand."""

import pytest
from scipy import stats

from ensembles.data import load_dataset
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials, split_of
from ensembles.reports.html_report import report_page
from ensembles.reports.predictions import mcnemar_finding, mcnemar_table
from runner.exports import export_results
from tests.reports.made_up import make_config, make_curve, make_results, make_trial

TRUE = [0, 1, 1, 0, 1, 0]
FIRST = [0, 1, 0, 1, 0, 0]  # right on three
SECOND = [0, 1, 1, 0, 1, 1]  # right on five


def kept(learner, told, **place):
    x = [3, 4, 7, 8, 11, 20]
    return [
        *make_curve(0, learner, x, told, curve="predictions", **place),
        *make_curve(0, learner, x, TRUE, curve="predictions_true", **place),
    ]


def made():
    config = make_config().model_copy(update={"curves": ("predictions",)})
    curves = kept(0, FIRST) + kept(0, TRUE, fold=1) + kept(1, SECOND) + kept(1, SECOND, order=1)
    return make_results([make_trial(0, learner, 0.5) for learner in (0, 1)], curves, config)


def test_the_examples_that_one_learner_alone_gets_right_are_counted_on_the_first_split():
    found = mcnemar_finding(made(), 0, 0, 1)
    assert (found.n, found.gain, found.statistic) == (6, pytest.approx(2 / 6), 1.0)
    assert found.p_value == pytest.approx(stats.binomtest(3, 4).pvalue)
    assert mcnemar_finding(made(), 0, 1, 0).gain == pytest.approx(-2 / 6)


def test_learners_without_shared_predictions_get_a_sentence():
    assert mcnemar_finding(made(), 0, 0, 2).sentence.endswith("there is no test example.")
    assert mcnemar_finding(made(), 1, 0, 1).verdict == "unknown"


def test_the_table_has_every_pair_and_the_report_shows_it():
    table = mcnemar_table(made())
    assert len(table) == 2 * 3
    assert table["Test examples"].tolist() == [6, 0, 0, 0, 0, 0]
    assert "McNemar&#x27;s test on the test examples" in report_page(made(), ["accuracy"])
    assert len(mcnemar_table(made(), (0, 1))) == 2


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
