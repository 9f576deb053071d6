"""An experiment from the claim to its final state."""

import threading
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import Mock

import pytest
from sqlalchemy import delete, update

from ensembles.data import load_dataset
from ensembles.errors import Conflict
from ensembles.experiments.kept_costs import read_starts
from ensembles.experiments.records import TrialPlan, TrialResult
from runner.cluster.cluster import Cluster, ClusterLost
from runner.heartbeat import Lease
from runner.run_experiment import run_beside_others, run_experiment
from storage import ExperimentRecord, Storage, open_storage
from storage.models import ExperimentRow, TrialRow
from tests.runner.conftest import Fake, wait_until
from tests.runner.fakes import make_config, make_plans

pytestmark = pytest.mark.xdist_group("other_cluster")  # one cluster for all of them


def launch(storage: Storage, runner: str = "me") -> ExperimentRecord:
    return storage.create_experiment(make_config(), runner=runner)


def plain(storage: Storage, experiment_id: str) -> list[tuple[TrialPlan, Any]]:
    """Return everything about the trials of an experiment that must not depend on who computed them."""
    trials = storage.list_trials(experiment_id)
    numbers = [(plan, (r.error, r.measures, r.members_used, r.curves, r.confusion)) for plan, r in trials]
    return sorted(numbers, key=lambda pair: pair[0].key)


def test_one_worker_and_two_give_the_same_numbers_bit_for_bit(storage: Storage, cluster: Cluster) -> None:
    config = make_config(learners=3, curves=["learning_curve", "member_errors"], datasets=["iris", "wine"])
    numbers: list[Any] = []
    left: list[tuple[int, int, float | None]] = []
    single = Cluster(n_workers=1)
    assert read_starts(), "estimates are told from how long processes took to start"
    for workers in (single, cluster):
        record = storage.create_experiment(config, runner="me")
        left.clear()
        run_experiment(storage, workers, record, "me", on_progress=lambda *told: left.append(told))
        done = storage.get_experiment(record.id)
        assert (done.state, done.done, done.total, done.failed) == ("finished", 48, 48, 0)
        numbers.append(plain(storage, record.id))
    single.close()
    assert numbers[0] == numbers[1]
    before = [seconds_left for done, _, seconds_left in left if done == 0]  # until workers were counted it is None
    assert any(before), "the first run tells how long the second will take"


def test_only_what_is_missing_runs(storage: Storage, cluster: Cluster, fake: Fake) -> None:
    context, record = fake(40), launch(storage)
    done = make_plans(15)
    storage.save_trials(record.id, [(plan, TrialResult(plan.key, measures={"accuracy": 0.0})) for plan in done])
    run_experiment(storage, cluster, record, "me")
    assert storage.get_experiment(record.id).done == 40
    assert sorted(context.runs()) == [plan.key for plan in make_plans(40)[15:]]


def test_one_whose_trials_were_lost_on_the_way_is_not_finished(
    storage: Storage, cluster: Cluster, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, record, save = fake(20), launch(storage), Storage.save_trials

    def save_and_lose(self: Storage, experiment_id: str, trials: Sequence[tuple[TrialPlan, TrialResult]]) -> None:
        save(self, experiment_id, trials)
        with self._database.session(writes=True) as session:  # as where a backup is restored
            lost = session.execute(delete(TrialRow).where(TrialRow.key == make_plans(1)[0].key)).rowcount
            session.execute(update(ExperimentRow).values(done=ExperimentRow.done - lost))

    with monkeypatch.context() as restored:
        restored.setattr(Storage, "save_trials", save_and_lose)
        run_experiment(storage, cluster, record, "me")
    waiting = storage.get_experiment(record.id)
    assert (waiting.state, waiting.done) == ("waiting", 19)
    assert "Trials that had ended are not there any more" in str(waiting.message)
    again = storage.claim_experiment("me", 10.0)
    assert again is not None
    run_experiment(storage, cluster, again, "me")
    over = storage.get_experiment(record.id)
    assert (over.state, over.done, over.message) == ("finished", 20, None)
    assert context.runs().total() == 21, "only what was lost ran again"


def test_progress_and_time_left_are_told(storage: Storage, cluster: Cluster, fake: Fake) -> None:
    fake(100, seconds=0.05)
    record = launch(storage)
    told: list[tuple[int, int, float | None]] = []
    seen: list[float] = []

    def listen(done: int, total: int, seconds_left: float | None) -> None:
        told.append((done, total, seconds_left))
        if (left := storage.get_experiment(record.id).seconds_left) is not None:
            seen.append(left)

    run_experiment(storage, cluster, record, "me", on_progress=listen)
    assert told[-1][:2] == (100, 100)
    assert told == sorted(told, key=lambda one: one[0])
    assert seen
    assert 0.0 < max(seen) < 10.0


def test_an_experiment_is_cancelled_between_trials(storage: Storage, cluster: Cluster, fake: Fake) -> None:
    fake(5000, seconds=0.02)
    record = launch(storage)
    running = threading.Thread(target=run_experiment, args=(storage, cluster, record, "me"))
    running.start()
    wait_until(lambda: storage.get_experiment(record.id).done > 20, "trials end")
    storage.request_cancel(record.id)
    done = storage.get_experiment(record.id).done
    wait_until(lambda: storage.get_experiment(record.id).state == "cancelled", "the experiment is cancelled")
    running.join()
    assert 20 < storage.get_experiment(record.id).done < done + 400, (
        "two workers end a hundred a second: 2 s are promised"
    )


def test_even_a_trial_that_never_ends_can_be_cancelled(storage: Storage, cluster: Cluster, fake: Fake) -> None:
    context, record = fake(4, bad=0, badness="deaf"), launch(storage)
    running = threading.Thread(target=run_experiment, args=(storage, cluster, record, "me"))
    running.start()
    wait_until(lambda: make_plans(1)[0].key in context.runs(), "the endless trial begins")
    storage.request_cancel(record.id)
    wait_until(lambda: storage.get_experiment(record.id).state == "cancelled", "the experiment is cancelled")
    running.join()


def test_a_deleted_experiment_stops(storage: Storage, cluster: Cluster, fake: Fake) -> None:
    fake(5000, seconds=0.02)
    record = launch(storage)
    running = threading.Thread(target=run_experiment, args=(storage, cluster, record, "me"))
    running.start()
    wait_until(lambda: storage.get_experiment(record.id).done > 5, "trials end")
    storage.delete_experiment(record.id)
    running.join(timeout=480)
    assert not running.is_alive()
    assert storage.count_experiments() == 0


def test_a_runner_that_shuts_down_gives_the_experiment_back(storage: Storage, cluster: Cluster, fake: Fake) -> None:
    context, record = fake(400, seconds=0.005), launch(storage)
    run_experiment(storage, cluster, record, "me", shutting_down=lambda: len(context.runs()) > 50)
    first = storage.get_experiment(record.id)
    assert first.state == "waiting"
    assert 0 < first.done < 400
    stored = storage.finished_keys(record.id)
    again = storage.claim_experiment("other", 60.0)
    assert again is not None
    run_experiment(storage, cluster, again, "other")
    last = storage.get_experiment(record.id)
    assert (last.state, last.done) == ("finished", 400)
    runs = context.runs()
    assert {runs[key] for key in stored} == {1}, "what was stored did not run again"


def test_an_experiment_that_was_taken_over_is_let_go(storage: Storage, cluster: Cluster, fake: Fake) -> None:
    fake(3000, seconds=0.02)
    record = launch(storage)
    storage.release(record.id, "me")
    taken = storage.claim_experiment("other", 60.0)
    assert taken is not None
    run_experiment(storage, cluster, record, "me")
    now = storage.get_experiment(record.id)
    assert (now.state, storage.get_standing(record.id, "other")) == ("running", "held")


def test_failed_trials_do_not_fail_the_experiment(storage: Storage, cluster: Cluster, fake: Fake) -> None:
    fake(10, bad=3, badness="raises")
    record = launch(storage)
    run_experiment(storage, cluster, record, "me")
    now = storage.get_experiment(record.id)
    assert (now.state, now.done, now.failed) == ("finished", 10, 1)


def test_an_estimate_that_fails_fails_no_experiment(
    storage: Storage, cluster: Cluster, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(4)
    monkeypatch.setattr("runner.run_experiment._log", log := Mock())
    monkeypatch.setattr("runner.run_experiment.expected_seconds", Mock(side_effect=ZeroDivisionError("by\nzero")))
    record = launch(storage)
    run_experiment(storage, cluster, record, "me")
    assert storage.get_experiment(record.id).state == "finished"
    [said] = log.warning.call_args_list
    assert said.args[0] % said.args[1:] == (
        f"experiment {record.id}: its time cannot be estimated: ZeroDivisionError('by\\nzero')"
    )


def test_an_experiment_that_cannot_be_planned_fails_with_a_sentence(storage: Storage, cluster: Cluster) -> None:
    config = make_config(protocol={"kind": "cross_validation", "folds": 151, "repeats": 1, "orders": 1})
    record = storage.create_experiment(config, runner="me")
    run_experiment(storage, cluster, record, "me")
    now = storage.get_experiment(record.id)
    assert now.state == "failed"
    assert now.message is not None
    assert "protocol.folds: must be at most the number of examples, 150 in Iris, got 151" in now.message
    assert now.is_impossible
    with pytest.raises(Conflict, match=r"its trials cannot be planned, protocol\.folds: must be at most"):
        storage.reopen_experiment(record.id)


def test_one_whose_test_set_is_of_another_kind_cannot_be_resumed(storage: Storage, cluster: Cluster) -> None:
    wine = storage.save_dataset(load_dataset("wine")).sha256
    config = make_config(datasets=["iris"], protocol={"kind": "given_split", "test_sha256": wine})
    record = storage.create_experiment(config, runner="me")
    run_experiment(storage, cluster, record, "me")
    now = storage.get_experiment(record.id)
    assert "protocol.test_sha256: Wine: must have the attributes of Iris" in str(now.message)
    assert now.is_impossible


def test_stored_data_sets_and_given_tests_run_without_files(storage: Storage, cluster: Cluster, url: str) -> None:
    dataset = load_dataset("iris")
    sha256 = storage.save_dataset(dataset).sha256
    config = make_config(
        datasets=[{"sha256": sha256, "name": "Mine"}], protocol={"kind": "given_split", "test_sha256": sha256}
    )
    record = storage.create_experiment(config, runner="me")
    run_experiment(storage, cluster, record, "me")
    with open_storage(url) as other:
        results = other.load_results(record.id)
    assert results.dataset_names == ("Mine",)
    assert results.trials["n_test"].tolist() == [150]


def test_an_extension_runs_only_what_is_new_and_gives_the_numbers_of_the_whole(
    storage: Storage, cluster: Cluster
) -> None:
    small = make_config()
    whole = make_config(
        learners=2,
        datasets=["wine", "iris"],
        protocol={"kind": "cross_validation", "repeats": 3, "folds": 3, "orders": 2},
    )
    run_experiment(storage, cluster, first := storage.create_experiment(small, runner="me"), "me")
    extended = storage.create_experiment(whole, runner="me", extends=first.id)
    fresh = storage.create_experiment(whole, runner="me")
    for record in (extended, fresh):
        run_experiment(storage, cluster, record, "me")
    mine, theirs, before = (
        {plan.key: one for plan, one in storage.list_trials(each.id)} for each in (extended, fresh, first)
    )
    assert {key: one.measures for key, one in mine.items()} == {key: one.measures for key, one in theirs.items()}
    assert len(before) == 6
    same_time = {key for key, one in mine.items() if key in before and one.fit_seconds == before[key].fit_seconds}
    assert same_time == before.keys(), "to the last bit the times of the first run: none of it ran again"
    assert storage.load_results(extended.id).mean("accuracy").equals(storage.load_results(fresh.id).mean("accuracy"))
    orphan = storage.create_experiment(small, runner="me", extends="deleted")
    run_experiment(storage, cluster, orphan, "me")
    assert storage.get_experiment(orphan.id).done == 6


def test_trials_taken_over_before_their_experiment_was_deleted_do_not_run_again(
    storage: Storage, cluster: Cluster, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, first = fake(60, seconds=0.002), launch(storage)
    storage.save_trials(first.id, [(plan, context.run(plan, lambda: False)) for plan in make_plans(30)])
    extended, adopt = storage.create_experiment(make_config(), runner="me", extends=first.id), storage.adopt_trials

    def adopt_some(experiment: str, source: str, plans: Sequence[TrialPlan]) -> int:
        adopt(experiment, source, plans[:20])
        storage.delete_experiment(source)
        return adopt(experiment, source, plans[20:])

    monkeypatch.setattr(storage, "adopt_trials", adopt_some)
    run_experiment(storage, cluster, extended, "me")
    assert storage.get_experiment(extended.id).done == 60
    assert context.runs().total() == 30 + 40, "those that were taken over did not run again"


def test_a_cancelled_experiment_goes_on_where_it_was(storage: Storage, cluster: Cluster, fake: Fake) -> None:
    context, record = fake(60, seconds=0.002), launch(storage)
    storage.save_trials(record.id, [(plan, context.run(plan, lambda: False)) for plan in make_plans(20)])
    storage.finish(record.id, "cancelled", runner="me")
    again = storage.reopen_experiment(record.id, runner="me")
    run_experiment(storage, cluster, again, "me")
    now = storage.get_experiment(record.id)
    assert (now.state, now.done) == ("finished", 60)
    assert context.runs().total() == 60, "each once"


def test_what_ended_before_the_cluster_was_lost_is_kept(storage: Storage, fake: Fake) -> None:
    context, record = fake(8), launch(storage)

    def results(*_: object) -> Iterator[list[tuple[TrialPlan, TrialResult]]]:
        for plan in make_plans(5):
            yield [(plan, context.run(plan, lambda: False))]
        raise ClusterLost("the scheduler is gone")

    dispatcher = Mock()
    dispatcher.start.return_value = Mock(results=results, seconds_left=None)
    with pytest.raises(ClusterLost, match="the scheduler is gone"):
        run_beside_others(storage, dispatcher, record, Lease(record), "me")
    assert storage.finished_keys(record.id) == {plan.key for plan in make_plans(5)}
