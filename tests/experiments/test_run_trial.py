"""Running a trial: its numbers, its times, its failures."""

import math
import pickle
import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ensembles.data import Dataset
from ensembles.evaluation.curves import curve_sizes
from ensembles.experiments import stream_results
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.run_trial import Cancelled, run_trial
from ensembles.experiments.trials import learner_seed, plan_trials, split_of
from tests.experiments import fakes
from tests.experiments.conftest import make_dataset

Configure = Callable[..., ExperimentConfig]

CURVES = ["learning_curve", "member_errors"]
ALL = ["accuracy", "error", "balanced_accuracy", "macro_f1", "kappa", "mse", "log_loss"]


def numbers(result: TrialResult) -> TrialResult:
    """Return what must be the same on any worker: all but times and machine."""
    return replace(result, fit_seconds=0.0, predict_seconds=0.0, fit_cpu_seconds=0.0, predict_cpu_seconds=0.0, host="")


def by_hand(config: ExperimentConfig, dataset: Dataset, plan: TrialPlan) -> float:
    """Return the accuracy of a trial in the plainest way."""
    train, test = split_of(config, dataset, plan)
    learner = config.learners[plan.learner].make(learner_seed(config, dataset, plan))
    learner.fit(dataset.table.take(train), dataset.labels[train])
    return float((learner.predict(dataset.table.take(test)) == dataset.labels[test]).mean())


@pytest.mark.parametrize("curves", [[], CURVES])
def test_accuracy_is_that_of_the_learner_trained_and_tested_by_hand(
    configure: Configure, dataset: Dataset, curves: list[str]
) -> None:
    config = configure(curves=curves)
    for plan in plan_trials(config, [dataset]):
        result = run_trial(plan, dataset, config)
        assert result.error is None
        assert result.measures["accuracy"] == by_hand(config, dataset, plan)


def test_a_trial_leaves_everything_behind(configure: Configure, dataset: Dataset) -> None:
    config = configure(measures=ALL, curves=CURVES)
    plan = plan_trials(config, [dataset])[0]
    result = run_trial(plan, dataset, config)
    assert result.key == plan.key
    assert list(result.measures) == ALL
    assert all(math.isfinite(value) for value in result.measures.values())
    assert (result.n_train, result.n_test, result.members_used) == (40, 20, 10)
    assert np.sum(result.confusion) == 20
    assert np.trace(result.confusion) / 20 == result.measures["accuracy"]
    assert 0 < result.fit_seconds < 10
    assert 0 < result.predict_seconds < 10
    assert 0 <= result.fit_cpu_seconds < 10
    assert 0 <= result.predict_cpu_seconds < 10
    assert result.host
    assert len(result.version) == 16
    assert result.curves["member_errors"].x == tuple(range(1, 11))
    _, right, n = np.reshape(result.curves["calibration"].y, (3, -1)).sum(axis=1)
    assert (right / n, n) == (result.measures["accuracy"], 20)
    assert "calibration" not in run_trial(plan, dataset, configure(measures=["accuracy"], curves=CURVES)).curves


def test_accuracy_is_kept_even_when_nobody_asked(configure: Configure, dataset: Dataset) -> None:
    config = configure(measures=["kappa"])
    assert list(run_trial(plan_trials(config, [dataset])[0], dataset, config).measures) == ["kappa", "accuracy"]


def test_the_learning_curve_ends_with_the_accuracy_of_the_trial(configure: Configure, dataset: Dataset) -> None:
    config = configure(curves=["learning_curve"])
    for plan in plan_trials(config, [dataset]):
        result = run_trial(plan, dataset, config)
        curve = result.curves["learning_curve"]
        assert curve.x == curve_sizes(result.n_train)
        assert len(curve.y) == len(curve.x)
        assert curve.y[-1] == result.measures["accuracy"]


def test_a_curve_changes_nothing_else(configure: Configure, dataset: Dataset) -> None:
    plain, curved = configure(measures=ALL), configure(measures=ALL, curves=["learning_curve"])
    for plan in plan_trials(plain, [dataset]):
        with_curve = numbers(run_trial(plan, dataset, curved))
        kept = {name: curve for name, curve in with_curve.curves.items() if name != "learning_curve"}
        assert numbers(run_trial(plan, dataset, plain)) == replace(with_curve, curves=kept)


def test_numbers_do_not_depend_on_the_order_in_which_trials_are_run(configure: Configure) -> None:
    datasets = [make_dataset(seed=0), make_dataset(80, seed=1)]
    config = configure(n_datasets=2, measures=ALL, curves=CURVES)
    plans = list(plan_trials(config, datasets))
    first = {plan.key: numbers(run_trial(plan, datasets[plan.dataset], config)) for plan in plans}
    random.Random(5).shuffle(plans)
    again = {plan.key: numbers(run_trial(plan, datasets[plan.dataset], config)) for plan in plans}
    assert again == first


def test_numbers_survive_a_journey_to_another_process(configure: Configure, dataset: Dataset) -> None:
    config = configure(measures=ALL)
    plan = plan_trials(config, [dataset])[1]
    travelled = pickle.loads(pickle.dumps((plan, dataset, config)))
    assert numbers(run_trial(*travelled)) == numbers(run_trial(plan, dataset, config))


def test_a_failing_learner_leaves_one_sentence(configure: Configure, dataset: Dataset) -> None:
    config = configure("hopeless", curves=CURVES)
    plan = plan_trials(config, [dataset])[0]
    result = run_trial(plan, dataset, config)
    assert result.key == plan.key
    assert result.error == "Hopeless on Blobs: ValueError: no luck at all"
    assert result.measures == {}
    assert math.isnan(result.fit_seconds)


@pytest.mark.parametrize("curves", [[], ["learning_curve"]])
def test_nonsense_predictions_are_a_failure(configure: Configure, dataset: Dataset, curves: list[str]) -> None:
    config = configure("out_of_this_world", curves=curves)
    result = run_trial(plan_trials(config, [dataset])[0], dataset, config)
    assert result.error == "Out of this world on Blobs: the predictions are not one known class for each test example"


def test_a_measure_of_probabilities_needs_a_learner_that_gives_them(configure: Configure, dataset: Dataset) -> None:
    for measures, error in (
        (["accuracy"], None),
        (["mse"], "Without probabilities on Blobs: it gives no probabilities, which a chosen measure needs"),
    ):
        config = configure("without_probabilities", measures=measures)
        assert run_trial(plan_trials(config, [dataset])[0], dataset, config).error == error


def test_a_probability_that_is_not_a_number_is_a_failure(
    configure: Configure, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fakes.NearestMean, "predict_proba", lambda _, X: np.full((len(X), 3), np.nan))
    config = configure("nearest_mean", measures=["mse"])
    result = run_trial(plan_trials(config, [dataset])[0], dataset, config)
    assert result.error == "Nearest mean on Blobs: a predicted probability is not a number"


def test_probabilities_are_left_alone_when_no_measure_needs_them(
    configure: Configure, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = configure("nearest_mean", measures=["accuracy", "kappa"])
    plan = plan_trials(config, [dataset])[0]
    run_trial(plan, dataset, config)
    monkeypatch.setattr(fakes.NearestMean, "predict_proba", lambda *_: pytest.fail("asked for probabilities"))
    assert run_trial(plan, dataset, config).error is None


def test_classes_not_seen_in_training_have_probability_0_and_count_as_errors(configure: Configure) -> None:
    dataset = make_dataset(31, n_classes=3)
    dataset.labels[dataset.labels == 1] = 0
    dataset.labels[5] = 1  # the only example of its class
    config = configure("nearest_mean", measures=["accuracy", "mse"])
    plans = plan_trials(config, [dataset])
    plan = next(plan for plan in plans if 5 in split_of(config, dataset, plan)[1])
    result = run_trial(plan, dataset, config)
    assert len(result.confusion) == 3
    assert sum(result.confusion[1]) == 1
    assert result.confusion[1][1] == 0
    assert [row[1] for row in result.confusion] == [0, 0, 0]
    learner = fakes.NearestMean().fit(*dataset.take(split_of(config, dataset, plan)[0]))
    X, y = dataset.take(split_of(config, dataset, plan)[1])
    of_true_class = np.array([{0: p[0], 1: 0.0, 2: p[1]}[c] for p, c in zip(learner.predict_proba(X), y, strict=True)])
    assert result.measures["mse"] == pytest.approx(((1 - of_true_class) ** 2).mean(), rel=1e-12)


def test_a_given_test_set_is_tested_whole(configure: Configure, dataset: Dataset) -> None:
    config = configure("nearest_mean", protocol={"kind": "given_split", "test_sha256": "ab" * 32})
    test = make_dataset(33, seed=9)
    result = run_trial(plan_trials(config, [dataset])[0], dataset, config, test_dataset=test)
    assert (result.n_train, result.n_test) == (60, 33)


def test_a_given_split_without_its_test_set_is_a_failure(configure: Configure, dataset: Dataset) -> None:
    config = configure("nearest_mean", protocol={"kind": "given_split", "test_sha256": "ab" * 32})
    result = run_trial(plan_trials(config, [dataset])[0], dataset, config)
    assert result.error == (
        "Nearest mean on Blobs: a test data set goes with the protocol given_split, and with no other"
    )


def test_a_confusion_matrix_of_very_many_classes_is_left_out(
    configure: Configure, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_results, "MOST_CLASSES_SHOWN", 2)
    config = configure("nearest_mean")
    assert run_trial(plan_trials(config, [dataset])[0], dataset, config).confusion == ()


def test_a_cancelled_trial_does_not_begin(configure: Configure, dataset: Dataset) -> None:
    config = configure("hopeless")
    with pytest.raises(Cancelled, match="cancelled"):
        run_trial(plan_trials(config, [dataset])[0], dataset, config, should_stop=lambda: True)


@pytest.mark.parametrize("method", ["nearest_mean", "drifting_mean"])
def test_a_trial_can_be_cancelled_between_the_points_of_its_curve(
    configure: Configure, dataset: Dataset, method: str
) -> None:
    config = configure(method, curves=["learning_curve"])
    asked = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) > 5

    with pytest.raises(Cancelled):
        run_trial(plan_trials(config, [dataset])[0], dataset, config, should_stop=should_stop)
    assert len(asked) == 6
