"""The protocols whose trials are no plain split: prequential, and bias and variance."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ensembles.data import Dataset
from ensembles.errors import InvalidConfig
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.right_or_wrong import unpack_right
from ensembles.evaluation.timing import Stopwatch
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.estimate import estimate_seconds
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import count_trials, learner_seed, plan_trials, split_of
from tests.experiments.conftest import make_dataset

Configure = Callable[..., ExperimentConfig]

STREAM = {"kind": "prequential", "orders": 3}
SETS = {"kind": "bias_variance", "repeats": 2, "training_sets": 4, "pool": 40}


@pytest.fixture
def streaming(configure: Configure) -> Configure:
    def make(*methods: str, protocol: dict[str, Any] | None = None, **fields: Any) -> ExperimentConfig:
        return configure(*methods or ("drifting_mean",), protocol={**STREAM, **(protocol or {})}, **fields)

    return make


def real(method: str, protocol: dict[str, Any] = STREAM, **fields: Any) -> ExperimentConfig:
    learner = {"method": method, "base": "naive_bayes"} | ({} if method == "single" else {"n_estimators": 3})
    learners = [{**learner, **fields.pop("settings", {})}]
    document = {"name": "x", "datasets": [{"sha256": "ab" * 32}], "learners": learners, "protocol": protocol}
    return ExperimentConfig.from_dict({**document, **fields})


def test_every_order_of_a_stream_is_a_trial(streaming: Configure, dataset: Dataset) -> None:
    config = streaming()
    plans = plan_trials(config, [dataset])
    assert [(plan.repeat, plan.fold, plan.order) for plan in plans] == [(0, 0, 0), (0, 0, 1), (0, 0, 2)]
    streams = [split_of(config, dataset, plan)[0] for plan in plans]
    assert all(sorted(stream) == list(range(60)) for stream in streams)
    assert len({tuple(stream) for stream in streams}) == 3


def test_orders_matter_to_streams_of_any_learner(dataset: Dataset) -> None:
    assert count_trials(real("single")) == len(plan_trials(real("single"), [dataset])) == 3


def test_a_stream_that_is_not_shuffled_comes_in_the_order_of_the_data(streaming: Configure, dataset: Dataset) -> None:
    config = streaming(protocol={"shuffle": False})
    (plan,) = plan_trials(config, [dataset])
    assert split_of(config, dataset, plan)[0].tolist() == list(range(60))
    assert config.protocol.sentence == "prequential, in the order of the data"


@pytest.mark.parametrize("fraction", [0.2, 0.5, 1.0])
def test_measures_of_a_stream_are_those_of_its_predictions(dataset: Dataset, fraction: float) -> None:
    config = real("online_bagging", {**STREAM, "final_fraction": fraction}, measures=["kappa_temporal", "mse"])
    for plan in plan_trials(config, [dataset]):
        rows, _ = split_of(config, dataset, plan)
        learner = config.learners[0].make(learner_seed(config, dataset, plan))
        X, y = dataset.take(rows)
        stream = predict_then_learn(learner, X, y, 3, probabilities=True, stopwatch=Stopwatch(), pause=lambda: None)
        right = stream.true == stream.predicted
        result = run_trial(plan, dataset, config)
        assert result.error is None
        assert list(result.measures) == ["kappa_temporal", "mse", "accuracy", "final_accuracy"]
        assert result.measures["accuracy"] == right.mean()
        assert result.measures["final_accuracy"] == right[-round(60 * fraction) :].mean()
        assert (result.n_train, result.n_test) == (60, 60)
        assert np.sum(result.confusion) == 60


def test_a_stream_of_a_foreign_learner_is_learned_example_by_example(streaming: Configure, dataset: Dataset) -> None:
    config = streaming(curves=["prequential_error"])
    for plan in plan_trials(config, [dataset]):
        result = run_trial(plan, dataset, config)
        assert result.error is None
        assert result.curves["prequential_error"].y[-1] == pytest.approx(1 - result.measures["accuracy"])
        assert set(result.curves) == {
            "prequential_error", "prequential_error_window", "prequential_error_fading", "right_or_wrong",
        }  # fmt: skip
        packed = result.curves["right_or_wrong"]
        places, right = unpack_right(np.array(packed.x), np.array(packed.y))
        assert np.array_equal(places, np.arange(len(right)))
        assert right.mean() == pytest.approx(result.measures["accuracy"])


def test_of_a_primed_learner_what_follows_priming_is_measured(dataset: Dataset) -> None:
    config = real("primed_online_boosting", settings={"prime_fraction": 0.5}, curves=["prequential_error"])
    result = run_trial(plan_trials(config, [dataset])[0], dataset, config)
    assert (result.n_train, result.n_test) == (60, 30)
    assert result.curves["prequential_error"].x[0] == 31


def test_a_stream_keeps_each_prediction_at_its_place(dataset: Dataset) -> None:
    config = real("primed_online_boosting", settings={"prime_fraction": 0.5}, curves=["predictions"])
    (plan, *_) = plan_trials(config, [dataset])
    result = run_trial(plan, dataset, config)
    told, true = result.curves["predictions"], result.curves["predictions_true"]
    rows, _ = split_of(config, dataset, plan)
    assert told.x == true.x == tuple(range(30, 60))
    assert true.y == tuple(dataset.labels[rows[30:]])
    assert np.mean(np.equal(told.y, true.y)) == result.measures["accuracy"]


def test_priming_that_leaves_nothing_is_a_failure(dataset: Dataset) -> None:
    config = real("primed_online_boosting", settings={"prime_fraction": 1.0})
    error = run_trial(plan_trials(config, [dataset])[0], dataset, config).error
    assert error == "Primed online boosting on Blobs: all 60 examples are primed, none is left to be predicted"


def test_training_sets_are_drawn_from_a_pool_and_tested_on_the_rest(configure: Configure, dataset: Dataset) -> None:
    config = configure("nearest_mean", protocol=SETS)
    plans = plan_trials(config, [dataset])
    assert [(plan.repeat, plan.fold, plan.order) for plan in plans] == [(0, 0, 0), (1, 0, 0)]
    tests = set()
    for plan in plans:
        drawn = [split_of(config, dataset, type(plan)(**{**vars(plan), "order": t})) for t in range(4)]
        assert {len(train) for train, _ in drawn} == {20}
        assert len({tuple(sorted(train)) for train, _ in drawn}) == 4
        assert len({tuple(test) for _, test in drawn}) == 1
        assert not set(np.concatenate([train for train, _ in drawn])) & set(drawn[0][1])
        assert len(drawn[0][1]) == 20
        tests.add(tuple(drawn[0][1]))
    assert len(tests) == 2


@pytest.mark.parametrize("method", ["nearest_mean", "drifting_mean"])
def test_bias_and_variance_sum_to_the_error(configure: Configure, dataset: Dataset, method: str) -> None:
    config = configure(method, protocol=SETS, measures=["kappa"])
    for plan in plan_trials(config, [dataset]):
        result = run_trial(plan, dataset, config)
        main = ["main_bias", "unbiased_variance", "biased_variance"]
        assert list(result.measures) == ["kappa", "accuracy", "error", "bias", "variance", *main]
        bias, harms, helps = (result.measures[part] for part in main)
        assert bias + harms - helps == pytest.approx(result.measures["error"])
        assert result.measures["bias"] + result.measures["variance"] == pytest.approx(
            result.measures["error"], abs=1e-12
        )
        assert result.measures["accuracy"] == pytest.approx(1 - result.measures["error"], abs=1e-12)
        assert (result.n_train, result.n_test, np.sum(result.confusion)) == (20, 20, 80)
        assert result.fit_seconds > 0


def test_every_training_set_gives_a_model_of_its_own_seed(dataset: Dataset) -> None:
    config = real("online_bagging", {**SETS, "pool": 0.5})
    (plan, _) = plan_trials(config, [dataset])
    seeds = {learner_seed(config, dataset, type(plan)(**{**vars(plan), "order": t})) for t in range(4)}
    assert len(seeds) == 4
    assert run_trial(plan, dataset, config).error is None


@pytest.mark.parametrize("pool", [20, 1])
def test_a_pool_must_be_drawn_from_and_leave_a_test(configure: Configure, pool: int) -> None:
    with pytest.raises(
        InvalidConfig, match=rf"^protocol\.pool: must be .* below their number, 20 in Tiny, got {pool}$"
    ):
        plan_trials(configure(protocol={**SETS, "pool": pool}), [make_dataset(20, name="Tiny")])


@pytest.mark.parametrize("protocol", [STREAM, SETS])
def test_numbers_of_a_trial_do_not_depend_on_what_ran_before(dataset: Dataset, protocol: dict[str, Any]) -> None:
    config = real("online_boosting", protocol, measures=["mse"])
    plans = plan_trials(config, [dataset])
    first = {plan.key: run_trial(plan, dataset, config).measures for plan in plans}
    assert {plan.key: run_trial(plan, dataset, config).measures for plan in plans[::-1]} == first


@pytest.mark.parametrize("protocol", [STREAM, SETS])
def test_time_is_told_before(dataset: Dataset, protocol: dict[str, Any]) -> None:
    estimate = estimate_seconds(real("online_boosting", protocol), [dataset])
    assert estimate.trials == count_trials(real("online_boosting", protocol))
    assert 0 < estimate.low < estimate.high < 60
