"""Trials: stored exactly, counted once, read as results."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import get_ident
from typing import Any

import pandas as pd
import pytest

from ensembles.data import Dataset
from ensembles.errors import NotFound, StorageError
from ensembles.evaluation.curve import Curve
from ensembles.experiments.records import TrialPlan, TrialResult
from storage import Storage, open_storage
from storage.columns import from_null, pack_series, to_null
from storage.results import results as reading
from storage.results.curve_rows import StoredCurves
from tests.storage.conftest import listening, make_config

CURVE = Curve((10.0, 20.0, 30.0), (0.5, math.nan, 0.875))


def plan_of(number: int, **place: int) -> TrialPlan:
    return TrialPlan(
        f"{number:032x}", **({"dataset": 0, "learner": 0, "repeat": 0, "fold": number, "order": 0} | place)
    )


def result_of(plan: TrialPlan, accuracy: float = 0.75) -> TrialResult:
    return TrialResult(
        plan.key,
        measures={"accuracy": accuracy, "mse": 0.125},
        fit_seconds=0.1,
        predict_seconds=0.2,
        fit_cpu_seconds=0.05,
        predict_cpu_seconds=0.15,
        members_used=7,
        stopped="the error of member 8 was 0.6",
        n_train=100,
        n_test=50,
        curves={"learning_curve": CURVE},
        confusion=((20, 5), (1, 24)),
        host="here",
        version="0123456789abcdef",
    )


def failure_of(plan: TrialPlan) -> TrialResult:
    return TrialResult(plan.key, error="it did not converge")


@pytest.fixture
def experiment(storage: Storage) -> str:
    return storage.create_experiment(make_config()).id


def counts(storage: Storage, experiment: str) -> tuple[int, int]:
    record = storage.get_experiment(experiment)
    return record.done, record.failed


def test_a_trial_is_read_back_exactly(storage: Storage, experiment: str) -> None:
    plan = plan_of(1, learner=1, repeat=3, order=2)
    storage.save_trials(experiment, [(plan, result_of(plan))])
    ((read_plan, read),) = storage.list_trials(experiment)
    assert read_plan == plan
    assert read.curves["learning_curve"].x == CURVE.x
    assert read.curves["learning_curve"].y == pytest.approx(CURVE.y, nan_ok=True, abs=0)
    assert replace(read, curves={}) == replace(result_of(plan), curves={})


def test_nan_survives_the_round_trip(storage: Storage, experiment: str) -> None:
    plan = plan_of(1)
    unknown = TrialResult(plan.key, measures={"accuracy": 0.5, "mse": math.nan})
    storage.save_trials(experiment, [(plan, unknown)])
    ((_, read),) = storage.list_trials(experiment)
    assert math.isnan(read.fit_seconds)
    assert math.isnan(read.measures["mse"])
    trials = storage.load_results(experiment).trials
    assert math.isnan(trials["mse"][0])
    assert math.isnan(trials["fit_seconds"][0])


def test_nan_is_null_and_nothing_else_is() -> None:
    assert to_null(math.nan) is None
    assert math.isnan(from_null(None))
    assert (to_null(0.0), from_null(0.0), to_null(math.inf)) == (0.0, 0.0, math.inf)


def test_trials_are_counted(storage: Storage, experiment: str) -> None:
    plans = [plan_of(number) for number in range(4)]
    storage.save_trials(experiment, [(plan, result_of(plan)) for plan in plans[:3]])
    storage.save_trials(experiment, [(plans[3], failure_of(plans[3]))])
    assert counts(storage, experiment) == (4, 1)
    assert storage.finished_keys(experiment) == {plan.key for plan in plans}


def test_a_trial_that_arrives_twice_is_counted_once_and_stays(storage: Storage, experiment: str) -> None:
    plan = plan_of(1)
    storage.save_trials(experiment, [(plan, result_of(plan, 0.75)), (plan, result_of(plan, 0.75))])
    storage.save_trials(experiment, [(plan, result_of(plan, 0.25))])
    assert counts(storage, experiment) == (1, 0)
    ((_, read),) = storage.list_trials(experiment)
    assert read.measures["accuracy"] == 0.75
    assert len(storage.load_results(experiment).curves) == 3


def test_a_success_replaces_a_failure_but_not_the_other_way(storage: Storage, experiment: str) -> None:
    plan = plan_of(1)
    storage.save_trials(experiment, [(plan, failure_of(plan))])
    storage.save_trials(experiment, [(plan, failure_of(plan))])
    assert counts(storage, experiment) == (1, 1)
    storage.save_trials(experiment, [(plan, result_of(plan))])
    assert counts(storage, experiment) == (1, 0)
    storage.save_trials(experiment, [(plan, failure_of(plan))])
    assert counts(storage, experiment) == (1, 0)
    ((_, read),) = storage.list_trials(experiment)
    assert read.error is None


def test_many_trials_are_saved_at_once(storage: Storage, experiment: str) -> None:
    pairs = [(plan, result_of(plan)) for plan in map(plan_of, range(1234))]
    storage.save_trials(experiment, pairs)
    assert counts(storage, experiment) == (1234, 0)
    assert [plan for plan, _ in storage.list_trials(experiment, limit=5, offset=1000)] == [
        plan for plan, _ in pairs[1000:1005]
    ]


def test_one_bad_trial_stores_nothing_of_its_batch(storage: Storage, experiment: str) -> None:
    good, bad = plan_of(1), plan_of(2)
    broken = replace(result_of(bad), host=None)  # type: ignore[arg-type]
    with pytest.raises(StorageError, match="cannot be used"):
        storage.save_trials(experiment, [(good, result_of(good)), (bad, broken)])
    assert counts(storage, experiment) == (0, 0)
    assert storage.list_trials(experiment) == []


def test_the_same_key_may_be_in_two_experiments(storage: Storage, experiment: str) -> None:
    other, plan = storage.create_experiment(make_config()).id, plan_of(1)
    for target in (experiment, other):
        storage.save_trials(target, [(plan, result_of(plan))])
    storage.delete_experiment(experiment)
    assert counts(storage, other) == (1, 0)
    assert len(storage.load_results(other).curves) == 3


def test_trials_of_a_deleted_experiment_are_refused(storage: Storage, experiment: str) -> None:
    storage.delete_experiment(experiment)
    with pytest.raises(NotFound, match="it may have been deleted"):
        storage.save_trials(experiment, [(plan_of(1), result_of(plan_of(1)))])


def test_results_do_not_depend_on_the_order_of_arrival(storage: Storage) -> None:
    plans = [plan_of(10 * r + d, dataset=0, learner=d, repeat=r, fold=0) for r in range(3) for d in range(2)]
    loaded = []
    for order in (plans, plans[::-1]):
        experiment = storage.create_experiment(make_config()).id
        for number, plan in enumerate(order):
            storage.save_trials(experiment, [(plan, result_of(plan, plans.index(plan) / 10))])
            assert counts(storage, experiment)[0] == number + 1
        loaded.append(storage.load_results(experiment))
    first, second = loaded
    assert first.trials.equals(second.trials)
    assert first.curves.equals(second.curves)
    assert first.trials["learner"].tolist() == [0, 0, 0, 1, 1, 1]
    assert first.trials["accuracy"].tolist() == [0.0, 0.2, 0.4, 0.1, 0.3, 0.5]


def test_results_name_what_people_read(storage: Storage, dataset: Dataset) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    experiment = storage.create_experiment(make_config("iris", {"sha256": sha256, "name": "Fruit"})).id
    results = storage.load_results(experiment)
    assert results.dataset_names == ("Iris", "Fruit")
    assert results.learner_labels == results.config.labels()
    assert len(results.trials) == len(results.curves) == 0
    assert {"accuracy", "mse", "error"} <= set(results.trials.columns)


def test_results_keep_failures_and_curves_apart(storage: Storage, experiment: str) -> None:
    good, bad = plan_of(0), plan_of(1)
    storage.save_trials(experiment, [(bad, failure_of(bad)), (good, result_of(good))])
    results = storage.load_results(experiment)
    assert results.trials["error"].tolist() == [None, "it did not converge"]
    assert results.trials["accuracy"].isna().tolist() == [False, True]
    assert results.curves["fold"].tolist() == [0, 0, 0]
    assert results.curves["x"].tolist() == [10.0, 20.0, 30.0]
    assert len(storage.load_results(experiment, with_curves=False).curves) == 0


@pytest.mark.parametrize("n_trials", [2, 200])
def test_loading_asks_the_database_four_times_however_many_trials_there_are(
    storage: Storage, experiment: str, n_trials: int
) -> None:
    plans = [plan_of(number, learner=number % 2, repeat=number // 10) for number in range(n_trials)]
    storage.save_trials(experiment, [(plan, result_of(plan)) for plan in plans])
    asked: list[str] = []
    with listening(lambda *told: asked.append(told[2])):
        results = storage.load_results(experiment)
    assert len(results.trials) == n_trials
    assert (
        sum(statement.startswith("SELECT") for statement in asked) == 4
    )  # the experiment, its trials twice, their curves


@pytest.mark.parametrize("n_before", [0, 3])
@pytest.mark.parametrize("read", ["load_results", "list_trials"])
def test_who_reads_while_trials_are_saved_sees_one_moment(
    storage: Storage, url: str, experiment: str, n_before: int, read: str
) -> None:
    before = [plan_of(number) for number in range(n_before)]
    storage.save_trials(experiment, [(plan, numbered(plan)) for plan in before])
    late, me = plan_of(9), get_ident()
    saved = []

    def save_one_more(*told: Any) -> None:
        if "FROM trials" in told[2] and get_ident() == me and not saved:
            saved.append(late)
            with ThreadPoolExecutor(1) as other:
                other.submit(writer.save_trials, experiment, [(late, numbered(late))]).result()

    with open_storage(url) as writer, listening(save_one_more, "after_cursor_execute"):
        found = getattr(storage, read)(experiment)
    assert saved, "one was saved after the others had been read, and before their curves"
    if read == "load_results":
        assert found.trials["fold"].tolist() == [plan.fold for plan in before]
        assert found.curves["fold"].tolist() == found.curves["x"].tolist() == [plan.fold for plan in before]
    else:
        assert [(plan, result.curves["learning_curve"].x) for plan, result in found] == [
            (plan, (float(plan.fold),)) for plan in before
        ]


def test_the_points_of_a_trial_that_was_not_read_belong_to_no_other() -> None:
    series = pack_series((1.0, 2.0))
    for known in ([], [7], [7, 5]):
        trials = pd.DataFrame(dict.fromkeys(reading.PLACE, 0) | {"fold": known}, index=known)
        stored = StoredCurves.of([(5, "learning_curve", series, series), (9, "member_errors", b"", b"")])
        curves = reading._curve_frame(stored, trials)
        assert curves["fold"].tolist() == ([5, 5] if 5 in known else [])


def numbered(plan: TrialPlan) -> TrialResult:
    """Return a result whose curve names its trial."""
    return replace(result_of(plan), curves={"learning_curve": Curve((float(plan.fold),), (0.5,))})


def test_finished_trials_of_another_experiment_are_taken_over_by_their_keys(storage: Storage, experiment: str) -> None:
    plans = [plan_of(number) for number in range(4)]
    storage.save_trials(experiment, [(plan, result_of(plan)) for plan in plans[:2]])
    storage.save_trials(experiment, [(plans[2], failure_of(plans[2]))])
    another = storage.create_experiment(make_config(), extends=experiment).id
    moved = [replace(plan, dataset=1, learner=1) for plan in plans]
    assert storage.adopt_trials(another, experiment, moved) == 2
    assert counts(storage, another) == (2, 0), "neither what failed nor what never ran"
    assert storage.finished_keys(another) == {plan.key for plan in plans[:2]}
    assert storage.finished_keys(experiment, failed=False) == {plan.key for plan in plans[:2]}
    for (plan, result), (_, original) in zip(
        storage.list_trials(another), storage.list_trials(experiment), strict=False
    ):
        assert (plan.dataset, plan.learner) == (1, 1)
        assert (result.measures, result.fit_seconds, result.host) == (original.measures, 0.1, "here")
        assert result.curves["learning_curve"].x == CURVE.x
    with pytest.raises(NotFound):
        storage.adopt_trials(another, "nowhere", plans)


def test_failed_trials_are_forgotten_to_be_tried_again(storage: Storage, experiment: str) -> None:
    plans = [plan_of(number) for number in range(3)]
    storage.save_trials(experiment, [(plan, result_of(plan)) for plan in plans[:2]])
    storage.save_trials(experiment, [(plans[2], failure_of(plans[2]))])
    storage.request_cancel(experiment)
    storage.reopen_experiment(experiment)
    assert counts(storage, experiment) == (3, 1)
    storage.request_cancel(experiment)
    assert storage.reopen_experiment(experiment, retry=True).state == "waiting"
    assert counts(storage, experiment) == (2, 0)
    assert storage.finished_keys(experiment) == {plan.key for plan in plans[:2]}


def test_the_time_before_and_after_a_break_is_added(storage: Storage, experiment: str) -> None:
    for _ in range(2):
        storage.take_experiment(experiment, "me", 60.0)
        storage.finish(experiment, "cancelled", runner="me")
        before = storage.get_experiment(experiment)
        again = storage.reopen_experiment(experiment)
        assert (again.started, again.seconds) == (None, before.seconds)
    assert before.seconds is not None
    assert before.started is not None
    assert before.finished is not None
    assert before.seconds > (before.finished - before.started).total_seconds()
