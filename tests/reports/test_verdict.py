"""The verdict on results: who is best, tied and worse, in sentences, in numbers, for programs and as a figure."""

import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from plotly.io import to_json
from sklearn.metrics import cohen_kappa_score

from ensembles.evaluation.right_or_wrong import pack_right
from ensembles.evaluation.significance import corrected_t_test, mcnemar_test
from ensembles.experiments.learner_keys import learner_keys
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.protocol_spec import CrossValidation, GivenSplit, Holdout, Prequential
from ensembles.reports.html_report import report_page
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_figure import verdict_chart, verdict_charts
from ensembles.reports.verdict_words import how_it_was_tested, verdict_lines, verdict_sentences
from tests.reports.eight_learners import make_eight
from tests.reports.made_up import make_config, make_curve, make_results, make_trial

LEARNERS = (
    {"method": "single", "base": "naive_bayes"},
    {"method": "adaboost", "base": "naive_bayes"},
    {"method": "online_boosting", "base": "naive_bayes"},
    {"method": "bagging", "base": "naive_bayes"},
)
GAINS = (0.0, 0.1, 0.092, 0.1)


def made(n_folds=10, gains=GAINS, protocol=None, datasets=("iris",), curves=None, kept=(), **fields):
    """Return results whose learners differ by `gains`, with some noise; bagging is the same as AdaBoost."""
    protocol = protocol or CrossValidation(repeats=1, folds=10, orders=1)
    config = make_config(LEARNERS[: len(gains)], datasets)
    config = config.model_copy(
        update={"protocol": protocol, "measures": ("accuracy",), "curves": tuple(kept), **fields}
    )
    rng, trials = np.random.default_rng(1), []
    for dataset, fold in itertools.product(range(len(datasets)), range(n_folds)):
        noise = rng.normal(0, 0.01, len(gains))
        noise[3:] = noise[1:2]
        for learner, gain in enumerate(gains):
            accuracy = None if gain is None else 0.8 + gain + float(noise[learner])
            seconds = None if accuracy is None else 0.1 * (4 - learner)
            times = {"fit_cpu_seconds": seconds, "n_train": 90, "n_test": 10}
            trials.append(make_trial(dataset, learner, accuracy, fold=fold, **times))
    return make_results(trials, curves, config, tuple(f"Data {n}" for n in range(len(datasets))))


def lines(verdict):
    return dict(verdict_lines(verdict))


def test_on_one_data_set_learners_are_told_apart_by_its_splits():
    results = made()
    verdict = verdict_of(results)
    said = lines(verdict)
    assert re.fullmatch(r"AdaBoost, accuracy 0\.\d{4} \[0\.\d{4}, 0\.\d{4}\]\.", said["Best"])
    assert said["Cannot be told from it"].startswith(
        "Online boosting (corrected resampled t-test over 10 splits, adjusted by Holm for all 6 pairs of learners, at 0.05)."
    )
    assert said["The same"] == "Bagging never differs from it, on any split."
    assert said["Clearly worse"] == "Single model (the same test)."
    assert said["Cost"] == (
        "380 ms of processor time to train and predict (median trial), 2.1 times as much as the cheapest that cannot be "
        "told from it, Bagging (180 ms)."
    )
    values = results.splits("accuracy").unstack("learner")
    single = next(row for row in verdict.rows if row.learner == 0)
    assert single.p_value == pytest.approx(corrected_t_test(values[0], values[1], test_train_ratio=1 / 9).p_value)


def test_programs_get_keys_and_costs():
    plain = verdict_of(made()).to_plain()
    assert plain == {
        "measure": "accuracy",
        "best": "adaboost/naive_bayes",
        "tied": ["bagging/naive_bayes", "online_boosting/naive_bayes"],
        "worse": ["single/naive_bayes"],
        "undecided": [],
        "test": "corrected",
        "cost": pytest.approx(
            {
                "single/naive_bayes": 0.48,
                "adaboost/naive_bayes": 0.38,
                "online_boosting/naive_bayes": 0.28,
                "bagging/naive_bayes": 0.18,
            }
        ),
    }


def test_errors_are_told_as_errors():
    verdict = verdict_of(made(measures=("mse", "error")))
    assert verdict.measure == "error"
    assert lines(verdict)["Best"].startswith("AdaBoost, error 0.10")
    assert [row.learner for row in verdict.rows][-1] == 0


def test_an_interval_ends_where_the_measure_does():
    results = make_results(
        [make_trial(0, 0, accuracy, fold=fold) for fold, accuracy in enumerate((1.0, 0.9, 1.0))],
        config=make_config(LEARNERS[:1], ("iris",)),
        names=("Iris",),
    )
    assert lines(verdict_of(results))["Only learner"].endswith(", 1.0000].")


def test_who_has_results_alone_is_not_ahead_of_others():
    results = make_results([make_trial(0, 0, 0.6)], config=make_config(LEARNERS[:3], ("iris",)), names=("Iris",))
    assert list(lines(verdict_of(results))) == ["Only one with enough results", "Not compared", "Cost"]


def test_how_many_repeats_would_tell_is_said_where_more_are_possible():
    close = (0.0, 0.012)
    said = lines(verdict_of(made(5, close, CrossValidation(repeats=1, folds=5, orders=1))))
    [repeats] = re.findall(r"so many repeats would tell \(power 0\.8\): (\d+)\.", said["Cannot be told from it"])
    more = made(5 * int(repeats), close, CrossValidation(repeats=int(repeats), folds=5, orders=1))
    assert int(repeats) > 1
    assert more.config.protocol.splits[0] == int(repeats)
    hopeless = lines(verdict_of(made(10, (0.0, 0.0), CrossValidation(repeats=2, folds=5, orders=1))))
    assert "Not even 1,000 splits would tell at such differences with power 0.8." in hopeless["Cannot be told from it"]


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        (Holdout(repeats=1), "There is 1 split; it takes 3 or more, and 10 repeats are usual."),
        (Prequential(), "A stream is one split; launched anew, it keeps what a test needs."),
        (GivenSplit(test_file="x"), "A given test set is one split; launched with"),
    ],
)
def test_of_one_split_nothing_is_told(protocol, said):
    verdict = verdict_of(made(1, (0.0, 0.1, 0.092, 0.05), protocol))
    assert said in lines(verdict)["Too little to tell"]
    assert list(lines(verdict)) == ["Ahead, but not tested", "Too little to tell", "Cost"]
    plain, level = verdict.to_plain(), verdict_of(made(1, protocol=protocol))
    assert (how_it_was_tested(verdict), len(plain["undecided"]), plain["test"]) == ("", 3, None)
    assert verdict.to_frame()["Verdict"].tolist() == ["ahead"] + ["too little to tell"] * 3
    assert level.word(level.rows[0]) == "level with others"
    assert "Level, not tested" in lines(level)


def kept(learner, right):
    places = range(len(right))
    return [
        *make_curve(0, learner, places, [float(one) for one in right], curve="predictions"),
        *make_curve(0, learner, places, [1.0] * len(right), curve="predictions_true"),
        *make_curve(0, learner, places, [0.0] * len(right), curve="predictions", order=1),
    ]


def test_a_stream_is_told_by_its_kept_predictions():
    rng = np.random.default_rng(2)
    right = [rng.random(500) < share for share in (0.7, 0.9, 0.88)]
    curves = [row for learner in range(3) for row in kept(learner, right[learner])]
    results = made(1, GAINS[:3], Prequential(orders=2), curves=curves, kept=("predictions",))
    verdict = verdict_of(results)
    said = lines(verdict)
    assert said["Best"].startswith(f"AdaBoost, error {1 - right[1].mean():.4f} [0.")
    assert (
        "(McNemar's test and t-test with the variance over the long run on 500 examples, adjusted by Holm for all 3 pairs"
        in said["Cannot be told from it"]
    )
    assert said["Clearly worse"] == "Single model (the same test)."
    single = next(row for row in verdict.rows if row.learner == 0)
    assert single.p_value >= mcnemar_test(right[0], right[1]).p_value
    assert verdict.to_plain()["measure"] == "error"
    parts = ("slow waves of the differences", "of equal learners in up to 14 %", "the test examples are independent")
    assert [part in how_it_was_tested(verdict) for part in parts] == [True, True, False]


def test_a_stream_is_told_by_its_final_part_and_by_other_measures_of_its_predictions():
    rng = np.random.default_rng(2)
    true = rng.integers(0, 3, 500)
    told = [np.where(rng.random(500) < share, true, rng.integers(0, 3, 500)) for share in (0.6, 0.9, 0.88)]
    curves = [
        row
        for learner in range(3)
        for name, classes in (("predictions", told[learner]), ("predictions_true", true))
        for row in make_curve(0, learner, range(500), classes.astype(float).tolist(), curve=name)
    ]
    results = made(1, GAINS[:3], Prequential(orders=2, final_fraction=0.2), curves=curves, kept=("predictions",))
    trials = results.trials.assign(n_train=500, kappa=0.5, final_accuracy=0.5, log_loss=0.5)
    results = replace(results, trials=trials)
    final = verdict_of(results, measure="final_accuracy")
    assert final.comparison.n == 100
    expected = {m: (told[m] == true)[400:].mean() for m in range(3)}
    assert {row.learner: row.value for row in final.rows} == pytest.approx(expected)
    kappa = verdict_of(results, measure="kappa")
    assert kappa.means == pytest.approx([cohen_kappa_score(true, one) for one in told])
    said = lines(kappa)
    assert re.fullmatch(
        r"AdaBoost, Cohen's kappa 0\.\d{4} \[0\.\d{4}, 0\.\d{4}\] in the first of 2 orders\.", said["Best"]
    )
    assert said["Clearly worse"].startswith("Single model (")
    assert "(t-test with the variance over the long run on 500 examples, adjusted" in said["Cannot be told from it"]
    assert "how each example moves the measure" in how_it_was_tested(kappa)
    assert kappa.to_plain()["test"] == "long_run"
    loss = lines(verdict_of(results, measure="log_loss"))
    assert "on which only measures of predicted classes can be tested" in loss["Too little to tell"]
    bits = pack_right(0, told[0] == true)
    packed = [row for m in range(3) for row in make_curve(0, m, bits.x, bits.y, curve="right_or_wrong")]
    without = replace(results, curves=make_results([], packed).curves)
    kappa = lines(verdict_of(without, measure="kappa"))
    advice = "error and accuracy can be tested on it, and by this measure one that is held in memory, launched with"
    assert advice in kappa["Too little to tell"]


def test_over_data_sets_ranks_are_compared():
    results = made(2, (0.0, 0.1, 0.05), datasets=("iris", "wine", "digits", "zoo", "car", "glass", "sonar", "vehicle"))
    verdict = verdict_of(results)
    said = lines(verdict)
    assert said["Best"].startswith("AdaBoost, mean rank 1.00 over 8 data sets, mean accuracy 0.8")
    assert said["Clearly worse"] == (
        "Online boosting and Single model (Wilcoxon's signed ranks over 8 data sets, adjusted by Holm for all 3 pairs of "
        "learners, at 0.05)."
    )
    assert "summed over the data sets with results" in said["Cost"]
    chart = verdict_chart(results, verdict)
    assert "Iman and Davenport" in how_it_was_tested(verdict)
    [in_report] = verdict_charts(results)
    assert in_report.caption == f"{chart.caption} {how_it_was_tested(verdict)}"
    assert [trace.x[0] for trace in chart.draw("light").data] == [1.0, 2.0, 3.0]


def test_a_few_data_sets_tell_nothing_and_how_many_would_is_said():
    said = lines(verdict_of(made(2, (0.0, 0.1, 0.05), datasets=("iris", "wine"))))
    assert said["Too little to tell"] == (
        "Online boosting and Single model. With 2 data sets nothing can be significant at 0.05; with 7 it could."
    )


def test_learners_without_trials_are_not_compared():
    found = verdict_of(made(gains=(0.0, 0.1, None, 0.1)))
    assert lines(found)["Not compared"] == "Online boosting: no more than half of the results that others have."
    assert (found.comparison.n_tests, found.to_frame()["Verdict"].tolist()[-1]) == (3, "not compared")
    assert found.to_plain()["cost"]["online_boosting/naive_bayes"] is None


def test_one_learner_and_no_trial_are_sentences():
    one = made(gains=(0.1,))
    assert verdict_sentences(verdict_of(one))[0].startswith("Only learner: Single model, accuracy 0.9")
    assert verdict_chart(one, verdict_of(one)).caption == "A comparison needs two learners; this experiment has one."
    for nothing in (make_results([]), made(gains=(None, None))):
        verdict = verdict_of(nothing)
        assert verdict_sentences(verdict) == ["No verdict: no trial has finished."]
        assert verdict.to_plain() == {
            "measure": None, "best": None, "tied": [], "worse": [], "undecided": [], "test": None, "cost": {},
        }  # fmt: skip
        assert verdict_chart(nothing, verdict).numbers.empty
        assert "No verdict" in report_page(nothing, [])


def test_a_certain_difference_and_no_difference_are_told_on_page_and_in_figure():
    trials = [make_trial(0, m, 0.5 + 0.1 * (m == 2), fold=f, n_test=10, n_train=90) for m in range(3) for f in range(7)]
    results = make_results(trials, config=make_config(datasets=("iris",)), names=("Iris",))
    verdict = verdict_of(results)
    assert [row.standing for row in verdict.rows] == ["best", "worse", "worse"]
    json.dumps(verdict.to_plain())
    assert to_json(verdict_chart(results, verdict).draw("dark"))


def test_the_report_begins_with_the_verdict():
    page = report_page(make_eight(), ["accuracy"])
    assert re.findall(r"<h2>(.*?)</h2>", page)[0] == "Verdict"
    assert '<p class="note"><b>Ahead, but not tested:</b> ' in page
    assert page.index("Ahead, but not tested") < page.index("Accuracy: all pairs")


def test_keys_tell_learners_apart_by_what_differs():
    specs = [
        {"method": "bagging", "base": "naive_bayes", "n_estimators": 10},
        {"method": "bagging", "base": "naive_bayes"},
        {"method": "bagging", "base": {"key": "naive_bayes", "smoothing": "none"}},
        {"method": "single", "base": "naive_bayes"},
        {"method": "single", "base": "naive_bayes", "encode": {"numeric": "entropy"}},
    ]
    keys = learner_keys([LearnerSpec.model_validate(spec) for spec in specs])
    assert len(set(keys)) == 5
    assert keys[0].startswith("bagging/naive_bayes(base.smoothing=")
    assert keys[0].endswith(",n_estimators=10)")
    assert keys[4] == "single/naive_bayes(encode.numeric=entropy)"


def test_over_data_sets_words_say_how_many_would_tell():
    datasets = ("iris", "wine", "digits", "zoo", "car", "glass", "sonar", "vehicle")
    said = lines(verdict_of(made(2, (0.0, 0.1, 0.099), datasets=datasets)))
    assert re.search(r"so many data sets like these would tell \(power 0\.8\): [\d,]+", said["Cannot be told from it"])


def test_the_measure_can_be_chosen_and_is_by_default_that_of_classes():
    results = made(measures=("mse", "accuracy"))
    assert verdict_of(results).measure == "accuracy"
    chosen = verdict_of(results, measure="error")
    assert lines(chosen)["Best"].startswith("AdaBoost, error 0.10")
    assert [row.learner for row in chosen.rows] == [row.learner for row in verdict_of(results).rows]
