"""What trials took, as estimates of other experiments read it."""

from typing import Any

import pytest

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from storage import Storage
from storage.database import Database
from storage.location import database_url
from storage.results import timings
from tests.storage.conftest import listening, make_config, make_dataset

BAGGING = {"method": "bagging", "base": "naive_bayes"}


def run(storage: Storage, config: ExperimentConfig, *seconds: float, learner: int = 0, **result: Any) -> str:
    """Store an experiment that is over, whose trials of one learner took so long."""
    record = storage.create_experiment(config, runner="me", lease_seconds=60.0)
    trials = []
    for repeat, took in enumerate(seconds):
        plan = TrialPlan(f"{repeat:032x}", 0, learner, repeat, 0, 0)
        fields = {"fit_seconds": 2 * took, "fit_cpu_seconds": took, "predict_seconds": took / 2}
        fields |= {"predict_cpu_seconds": took / 4, "n_train": 80, "n_test": 20, "members_used": 5, "host": "here"}
        trials.append((plan, TrialResult(plan.key, measures={"accuracy": 0.5}, **(fields | result))))
    storage.save_trials(record.id, trials)
    storage.finish(record.id, "finished", runner="me")
    return record.id


def test_means_of_the_trials_that_went_well_are_told(storage: Storage) -> None:
    config = make_config("iris", learners=[{**BAGGING, "n_estimators": 7}])
    identity = run(storage, config, 1.0, 3.0)
    failed = TrialPlan("f" * 32, 0, 0, 9, 0, 0)
    storage.reopen_experiment(identity, runner="me")
    broken = TrialResult(failed.key, error="it broke", fit_seconds=99.0, fit_cpu_seconds=99.0)
    storage.save_trials(identity, [(failed, broken)])
    storage.finish(identity, "cancelled", runner="me")
    [past] = storage.find_past_trials(make_config({"key": "iris"}, learners=[{**BAGGING, "n_estimators": 300}]))
    assert (past.n_train, past.n_test, past.attributes, past.classes) == (80, 20, 4, 3)
    assert (past.members, past.built, past.trials, past.host, past.data) == (7, 5, 2, "here", "iris")
    assert (past.fit_seconds, past.predict_seconds, past.busy) == (2.0, 0.5, 2.0)


def test_others_are_not_told(storage: Storage) -> None:
    run(storage, make_config("iris", learners=[BAGGING]), 1.0)
    for learner in ({**BAGGING, "vote": "soft"}, {"method": "single", "base": "naive_bayes"}):
        assert storage.find_past_trials(make_config("iris", learners=[learner])) == []
    stream = {"kind": "prequential", "orders": 1}
    online = {"method": "online_bagging", "base": "naive_bayes"}
    run(storage, make_config("iris", learners=[online], protocol=stream), 1.0)
    assert storage.find_past_trials(make_config("iris", learners=[online])) == []
    assert len(storage.find_past_trials(make_config("wine", learners=[online], protocol=stream))) == 1


def test_a_trial_of_many_training_sets_is_told_for_one(storage: Storage) -> None:
    config = make_config(
        "iris", learners=[BAGGING], protocol={"kind": "bias_variance", "repeats": 1, "training_sets": 4}
    )
    run(storage, config, 2.0)
    [past] = storage.find_past_trials(make_config("iris", learners=[BAGGING]))
    assert (past.fit_seconds, past.predict_seconds) == (0.5, 0.125)


def test_stored_data_and_those_generated_in_another_number_are_known_again(storage: Storage) -> None:
    sha256 = storage.save_dataset(make_dataset()).sha256
    run(storage, make_config({"sha256": sha256}, learners=[BAGGING]), 1.0)
    run(storage, make_config({"key": "led24", "rows": 500}, learners=[BAGGING]), 1.0)
    found = storage.find_past_trials(make_config({"key": "led24", "rows": 9000}, learners=[BAGGING]))
    assert [(past.data, past.attributes, past.classes) for past in found] == [("led24", 24, 10), (sha256, 2, 2)]


def test_an_index_leads_to_the_newest_whatever_else_there_is(
    storage: Storage, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timings, "_NEWEST", 1)
    monkeypatch.setattr(timings, "_NEWEST_ELSEWHERE", 2)
    for took, data in enumerate(("wine", "iris", "iris", "digits", "digits")):
        run(storage, make_config(data, learners=[BAGGING]), float(took))
    statements: list[tuple[str, Any]] = []
    with listening(lambda *heard: statements.append((heard[2], heard[3]))):
        found = storage.find_past_trials(make_config("iris", "wine", learners=[BAGGING]))
    assert [(past.data, past.fit_seconds) for past in found] == [("digits", 4), ("digits", 3), ("iris", 2), ("wine", 0)]
    if url.startswith("sqlite"):
        [(statement, values)] = [one for one in statements if "timings" in one[0]]
        database = Database(database_url(url))
        with database.session() as session:
            plan = [row[3] for row in session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]
        database.close()
        reads = [step for step in plan if "timings" in step]
        assert reads
        assert all("USING INDEX ix_timings" in step for step in reads), plan


def test_processes_are_expected_while_an_experiment_runs_and_for_a_while_after(storage: Storage) -> None:
    assert not storage.ran_within(300.0)
    record = storage.create_experiment(make_config())
    assert not storage.ran_within(300.0)
    assert storage.claim_experiment("me", 60.0) is not None
    assert storage.ran_within(300.0)
    storage.finish(record.id, "finished", runner="me")
    assert storage.ran_within(300.0)
    assert not storage.ran_within(0.0)
