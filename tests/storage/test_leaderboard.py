"""How learners did across experiments, against the plainest computation from their trials."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

from ensembles.data import Dataset, load_dataset
from ensembles.experiments.records import TrialPlan, TrialResult
from storage import Storage
from storage.database import Database
from storage.location import database_url
from storage.results.derived import tell_ranks
from tests.storage.conftest import make_config

LEARNERS = ({"method": "single", "base": "naive_bayes"}, {"method": "bagging", "base": "naive_bayes"})

CROSS = "cross_validation, 2 folds"


def run(
    storage: Storage, name: str, accuracies: Mapping[tuple[int, int], list[float]], n_tests: Any = (), **config: Any
) -> str:
    """Store an experiment with these accuracies by data set and learner, a repeat each; `n_tests` by learner."""
    made = make_config(*config.pop("datasets", ["iris"]), name=name, **config)
    record = storage.create_experiment(made, runner="me", lease_seconds=60.0)
    trials = []
    for (dataset, learner), found in accuracies.items():
        for repeat, accuracy in enumerate(found):
            plan = TrialPlan(f"{len(trials):032x}", dataset, learner, repeat, 0, 0)
            seconds = {"fit_cpu_seconds": 1.0 + repeat, "predict_cpu_seconds": 0.5}
            result = TrialResult(
                plan.key,
                measures={"accuracy": accuracy},
                n_train=80,
                n_test=[20, 20, *n_tests][-2:][learner],
                **seconds,
            )
            trials.append((plan, result))
    storage.save_trials(record.id, trials)
    storage.finish(record.id, "finished", runner="me")
    return record.id


def told(storage: Storage, protocol: str = CROSS, data: str | None = "iris") -> list[tuple[str, str, float]]:
    return [(score.name, score.spec.method, round(score.error, 6)) for score in storage.best_scores(protocol, data)]


def test_a_score_is_what_its_trials_say(storage: Storage) -> None:
    accuracies = [0.7, 0.8, 0.6]
    run(storage, "One", {(0, 0): accuracies})
    [score] = storage.best_scores(CROSS, "iris")
    assert (score.error, score.spread) == (pytest.approx(0.3), pytest.approx(np.std(accuracies, ddof=1)))
    assert (score.splits, score.ratio, score.cpu_seconds) == (3, 0.25, 2.5)
    assert (score.name, score.data, score.spec) == ("One", "iris", make_config().learners[0])


def test_seconds_of_a_trial_that_trains_often_are_those_of_once(storage: Storage) -> None:
    run(storage, "Often", {(0, 0): [0.7]}, protocol={"kind": "bias_variance", "training_sets": 5}, curves=())
    task = "bias_variance, a pool of 50 % of the examples"
    found = storage.best_scores(task) + storage.score_history(task, "iris")
    assert [score.cpu_seconds for score in found] == [0.3, 0.3]


def test_learners_that_are_equal_come_in_the_order_of_their_experiment(storage: Storage) -> None:
    for name in ("One", "Two"):
        one, other = LEARNERS[:: 1 if name == "One" else -1]
        run(
            storage, name, {(0, 0): [0.7, 0.8], (0, 1): [0.7, 0.8]}, learners=[one, {**other, "base": "decision_stump"}]
        )
    assert [(name, method) for name, method, _ in told(storage)] == [
        ("One", "single"),
        ("One", "bagging"),
        ("Two", "bagging"),
        ("Two", "single"),
    ]


def test_of_the_same_learner_the_most_splits_count_and_then_the_newest(storage: Storage) -> None:
    run(storage, "Few", {(0, 0): [0.9], (0, 1): [0.5, 0.5]}, learners=LEARNERS)
    run(storage, "Many", {(0, 0): [0.8, 0.8]}, learners=LEARNERS[:1])
    run(storage, "Newest", {(0, 0): [0.5, 0.5], (0, 1): [0.7, 0.7]}, learners=[*reversed(LEARNERS)])
    assert told(storage) == [("Newest", "single", 0.3), ("Newest", "bagging", 0.5)]
    assert [(one.data, one.protocol, one.learners, one.experiments) for one in storage.list_scored()] == [
        ("iris", CROSS, 2, 3)
    ]
    history = storage.score_history(CROSS, "iris")
    assert [(one.name, one.spec.method) for one in history] == [
        ("Few", "single"),
        ("Many", "single"),
        ("Newest", "single"),
    ]


def test_other_protocols_other_data_and_the_archive_do_not_count(storage: Storage) -> None:
    both = ["iris", {"key": "waveform40", "rows": 300}]
    run(storage, "Both", {(0, 0): [0.7], (1, 0): [0.6]}, datasets=both)
    run(storage, "Hold-out", {(0, 0): [0.9]}, protocol={"kind": "holdout"})
    hidden = run(storage, "Archived", {(0, 0): [1.0, 1.0]})
    storage.mark_experiments([hidden], archived=True)
    assert told(storage) == [("Both", "single", 0.3)]
    assert told(storage, "holdout, 80 % for training") == [("Hold-out", "single", 0.1)]
    assert told(storage, data=None) == [("Both", "single", 0.3), ("Both", "single", 0.4)]
    assert [one.data for one in storage.list_scored()] == ["iris", "iris", 'waveform40{"rows":300}']


STREAM = {"kind": "prequential", "orders": 1}
STREAMS = {
    "prequential": {},
    "prequential, in the order of the data": {"shuffle": False},
    "prequential, at most 50 examples, labels 7 examples late, 25 % of the labels": {
        "examples": 50, "label_delay": 7, "label_share": 0.25
    },
}  # fmt: skip


def test_streams_that_ask_other_questions_are_ranked_apart(storage: Storage) -> None:
    learners = [{"method": "online_bagging", "base": "naive_bayes"}]
    for task, settings in STREAMS.items():
        run(storage, task, {(0, 0): [0.7]}, learners=learners, protocol=STREAM | settings, curves=())
    assert sorted(one.protocol for one in storage.list_scored()) == sorted(STREAMS)
    for task in STREAMS:
        assert told(storage, task) == [(task, "online_bagging", 0.3)]
        assert [one.name for one in storage.score_history(task, "iris")] == [task]
    assert {word.word for word in storage.list_words()["protocol"]} == {"prequential"}, "they are found as before"


@pytest.mark.parametrize(
    ("n_tests", "protocol", "best", "error"),
    [
        ((60, 80), STREAM, 1, 0.2),
        ((60, 60), STREAM, 0, 0.1),
        ((60, 80), {"kind": "cross_validation", "folds": 2, "repeats": 1}, 0, 0.1),
    ],
)
def test_the_best_of_a_stream_is_one_that_was_asked_about_as_much_as_the_others(
    storage: Storage, url: str, n_tests: tuple[int, int], protocol: dict[str, Any], best: int, error: float
) -> None:
    learners = [{"method": method, "base": "naive_bayes"} for method in ("primed_online_boosting", "online_boosting")]
    accuracies = {(0, 0): [0.9], (0, 1): [0.8]}
    made = run(storage, "Stream", accuracies, n_tests, learners=learners, protocol=protocol, curves=())
    record = storage.get_experiment(made)
    assert (record.best_learner, record.best_error) == (best, pytest.approx(error))
    database = Database(database_url(url))
    with database.connection() as connection:
        connection.execute(text("UPDATE experiments SET best_learner = 0, best_error = 0.5"))
        tell_ranks(connection)
    database.close()
    assert storage.get_experiment(made) == record


SIZES = {
    "cross_validation, 10 folds": {"kind": "cross_validation", "folds": 10},
    "holdout, 50 % for training": {"kind": "holdout", "train_size": 0.5},
    "holdout, 50 training examples": {"kind": "holdout", "train_size": 50, "repeats": 3},
    "bias_variance, a pool of 50 % of the examples": {"kind": "bias_variance"},
    "bias_variance, a pool of 60 examples": {"kind": "bias_variance", "pool": 60},
}


def with_test_sets(storage: Storage) -> dict[str, dict[str, Any]]:
    """Return `SIZES` with two given test sets of one name."""
    tasks: dict[str, dict[str, Any]] = dict(SIZES)
    iris = load_dataset("iris")
    for rows in (slice(0, 150, 3), slice(1, 150, 3)):
        some = Dataset("Winter", iris.table.take(rows), iris.labels[rows], iris.classes, iris.target)
        sha256 = storage.save_dataset(some).sha256
        tasks[f"given_split, {sha256[:8]}"] = {"kind": "given_split", "test_sha256": sha256, "test_name": "Winter"}
    return tasks


def test_learners_that_train_on_other_numbers_of_examples_or_have_other_test_sets_are_ranked_apart(
    storage: Storage,
) -> None:
    tasks = with_test_sets(storage)
    for task, protocol in tasks.items():
        run(storage, task, {(0, 0): [0.7]}, protocol=protocol, curves=())
    run(storage, "More repeats", {(0, 0): [0.5] * 7}, protocol={"kind": "holdout", "train_size": 0.5}, curves=())
    for task in tasks:
        name = "More repeats" if task == "holdout, 50 % for training" else task
        assert [score.name for score in storage.best_scores(task)] == [name]
    labels = {one.word: one.label for one in storage.list_words()["task"]}
    assert labels["cross_validation, 10 folds"] == "Cross-validation, 10 folds"
    *_, given = tasks
    assert labels[given] == f"Given test set, Winter ({given[-8:]})"


def test_tasks_are_told_of_experiments_of_before(storage: Storage, url: str) -> None:
    learners = [{"method": "online_bagging", "base": "naive_bayes"}]
    for task, settings in STREAMS.items():
        run(storage, task, {(0, 0): [0.7]}, learners=learners, protocol=STREAM | settings, curves=())
    run(storage, '"shuffle":', {(0, 0): [0.7]})
    tasks = with_test_sets(storage)
    for protocol in tasks.values():
        run(storage, "Size", {(0, 0): [0.7]}, protocol=protocol, curves=())
    before = storage.list_words()["task"]
    database = Database(database_url(url))
    with database.connection() as connection:
        connection.execute(text("DELETE FROM experiment_words WHERE kind = 'task'"))
        tell_ranks(connection)
        tell_ranks(connection)
    database.close()
    assert storage.list_words()["task"] == before
    assert {one.word for one in before} == {CROSS, *STREAMS, *tasks}


def test_an_upload_of_what_the_catalogue_has_competes_with_it(storage: Storage) -> None:
    iris = {"sha256": storage.save_dataset(load_dataset("iris")).sha256, "name": "Mine"}
    run(storage, "Upload", {(0, 0): [0.7]}, datasets=[iris], learners=LEARNERS[:1])
    run(storage, "Catalogue", {(0, 0): [0.8]}, learners=LEARNERS[1:])
    assert told(storage) == [("Catalogue", "bagging", 0.2), ("Upload", "single", 0.3)]


def test_what_runs_again_is_told_anew_and_what_is_deleted_not_at_all(storage: Storage) -> None:
    experiment = run(storage, "Again", {(0, 0): [0.7]})
    storage.reopen_experiment(experiment, runner="me")
    plan = TrialPlan("f" * 32, 0, 0, 1, 0, 0)
    storage.save_trials(experiment, [(plan, TrialResult(plan.key, measures={"accuracy": 0.9}, n_train=80, n_test=20))])
    storage.finish(experiment, "finished", runner="me")
    assert told(storage) == [("Again", "single", 0.2)]
    storage.delete_experiment(experiment)
    assert (storage.list_scored(), told(storage)) == ([], [])


def test_settings_come_back_whole_and_learners_that_are_not_installed_are_left_out(storage: Storage, url: str) -> None:
    learners = [
        {"method": "online_bagging", "base": {"key": "hoeffding_tree", "grace_period": 50}, "n_estimators": 3},
        {"method": "bagging", "base": "naive_bayes", "encode": {"numeric": "entropy"}},
    ]
    run(storage, "Settings", {(0, 0): [0.7], (0, 1): [0.6]}, learners=learners)
    found = [score.spec for score in storage.best_scores(CROSS, "iris")]
    assert found == [*make_config(learners=learners).learners]
    database = Database(database_url(url))
    with database.connection() as connection:
        connection.execute(text("UPDATE scores SET settings = replace(settings, 'online_bagging', 'begging')"))
    database.close()
    assert [score.spec.method for score in storage.best_scores(CROSS, "iris")] == ["bagging"]
