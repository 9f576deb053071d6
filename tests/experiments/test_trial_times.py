"""What the time of a trial holds: learners are warmed up before, and little is done besides learning."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from ensembles.data import Dataset, Table
from ensembles.evaluation.timing import Stopwatch
from ensembles.experiments import warm_up
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials
from tests.experiments import fakes
from tests.experiments.conftest import make_dataset

Configure = Callable[..., ExperimentConfig]


def test_a_learner_is_warmed_up_once_before_it_is_timed(
    configure: Configure, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[tuple[int, int]] = []
    original = fakes.NearestMean.fit

    def recorded(self, X, y):  # type: ignore[no-untyped-def]
        sizes.append((len(y), self.n_estimators))
        return original(self, X, y)

    monkeypatch.setattr(fakes.NearestMean, "fit", recorded)
    config = configure("nearest_mean")
    for plan in plan_trials(config, [dataset])[:3]:
        run_trial(plan, dataset, config)
    assert sizes == [(of_two_classes(dataset), 3), (40, 10), (40, 10), (40, 10)]


def test_warming_up_happens_again_for_attributes_of_another_kind(
    configure: Configure, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, made = configure("hopeless", measures=["accuracy"]), []
    monkeypatch.setattr(fakes.Hopeless, "fit", lambda _, __, y: made.append(len(y)))
    numeric = Dataset("Numeric", *numeric_part(dataset), dataset.classes)
    for data in (dataset, dataset, numeric, numeric):
        run_trial(plan_trials(config, [data])[0], data, config)
    warm = of_two_classes(dataset)
    assert made == [warm, 40, 40, warm, 40, 40]


def test_what_only_a_stream_needs_is_compiled_before_its_time_is_taken(
    configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, learn = [], fakes.DriftingMean.partial_fit

    def noting(self: Any, X: Any, y: Any, classes: Any = None) -> Any:
        if len(y) == 1 and classes is not None:
            begun.append("stream")
        return learn(self, X, y, classes)

    monkeypatch.setattr(fakes.DriftingMean, "partial_fit", noting)
    config, dataset = configure("drifting_mean", protocol={"kind": "prequential", "orders": 2}), make_dataset()
    for plan in plan_trials(config, [dataset]):
        run_trial(plan, dataset, config)
    assert len(begun) == 3  # one to warm up, then one a trial


def test_warming_up_takes_a_few_examples_of_two_classes_in_turn() -> None:
    labels = np.repeat([2, 5, 7], [300, 3, 300])
    rows = warm_up._few_rows(labels)
    assert labels[rows[:8]].tolist() == [2, 5, 2, 5, 2, 5, 2, 2]
    assert len(rows) == 103


def test_a_few_examples_are_enough_to_prime() -> None:
    config = ExperimentConfig.from_dict(
        {
            "name": "x",
            "datasets": ["iris"],
            "learners": [{"method": "primed_online_boosting", "base": "naive_bayes", "prime_fraction": 0.05}],
        }
    )
    dataset = make_dataset(400)
    learner = config.learners[0].with_members(3).make(0).fit(*dataset.take(warm_up._few_rows(dataset.labels)))
    assert learner.n_primed_ > 0


def of_two_classes(dataset: Dataset) -> int:
    return int((dataset.labels < 2).sum())


def numeric_part(dataset: Dataset):  # type: ignore[no-untyped-def]
    return Table.from_columns(dataset.attributes[:1], [dataset.table.column(0)]), dataset.labels


def test_what_a_trial_does_besides_learning_is_small(configure: Configure, dataset: Dataset) -> None:
    config = configure("nearest_mean", measures=["accuracy", "mse"])
    plans = plan_trials(config, [dataset])
    results = []
    with Stopwatch() as stopwatch:
        for _ in range(20):
            results += [run_trial(plan, dataset, config) for plan in plans]
    learning = sum(result.fit_seconds + result.predict_seconds for result in results)
    assert (stopwatch.cpu_seconds - learning) / len(results) < 0.005  # measured: 0.0004


def test_a_second_thread_waits_until_the_first_has_warmed_up(
    configure: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = Event(), Event()
    order: list[str] = []

    def slow_fit(self: Any, X: Any, y: Any) -> None:  # noqa: ARG001
        begun.set()
        assert go_on.wait(30)
        order.append("compiled")

    monkeypatch.setattr(fakes.NearestMean, "fit", slow_fit)
    learner, dataset = configure("nearest_mean").learners[0], make_dataset()

    def warm(name: str) -> None:
        warm_up.warm_up(learner, dataset)
        order.append(name)

    first, second = (Thread(target=warm, args=(name,)) for name in ("first", "second"))
    first.start()
    assert begun.wait(30)
    second.start()
    second.join(0.1)
    go_on.set()
    first.join()
    second.join()
    assert order[0] == "compiled"
    assert sorted(order[1:]) == ["first", "second"]
