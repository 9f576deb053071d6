"""The numbers that watchers see are those of the tables."""

from datetime import timedelta

from sqlalchemy import update

from ensembles.data import Dataset
from storage import Storage
from storage.models import ExperimentRow
from storage.people.rows import RunnerRow
from tests.storage.conftest import make_config
from tests.storage.test_trials import failure_of, plan_of, result_of


def test_nothing_is_counted_where_nothing_is(storage: Storage) -> None:
    found = storage.get_statistics()
    assert set(found.experiments) == {"waiting", "running", "cancelling", "finished", "cancelled", "failed"}
    assert set(found.experiments.values()) == {0}
    assert (found.trials_done, found.trials_waiting, found.runners, found.workers, found.dataset_bytes) == (
        0,
        0,
        0,
        0,
        0,
    )
    assert found.database_bytes > 50_000


def test_all_is_counted(storage: Storage, dataset: Dataset) -> None:
    storage.save_dataset(dataset)
    running = storage.create_experiment(make_config(), n_trials=8, runner="r", lease_seconds=60.0)
    storage.save_trials(running.id, [(plan_of(1), result_of(plan_of(1))), (plan_of(2), failure_of(plan_of(2)))])
    over = storage.create_experiment(make_config(), n_trials=8, runner="r", lease_seconds=60.0)
    storage.save_trials(over.id, [(plan_of(1), result_of(plan_of(1)))])
    storage.finish(over.id, "cancelled", runner="r")
    for paused, deleted in ((True, None), (False, None), (False, running.created)):
        one = storage.create_experiment(make_config(), n_trials=4)
        change = update(ExperimentRow).where(ExperimentRow.public_id == one.id)
        with storage._database.session(writes=True) as session:
            session.execute(change.values(paused=paused, deleted=deleted))
    with storage._database.session(writes=True) as session:
        now = storage._database.now(session)
        for name, age in (("new", 10), ("also new", 80), ("gone", 100)):
            seen = now - timedelta(seconds=age)
            told = {"host": "h", "version": "v", "pid": 1, "workers": 4, "busy": 3, "started": seen, "seen": seen}
            session.add(RunnerRow(name=name, **told))
    found = storage.get_statistics()
    assert {state: count for state, count in found.experiments.items() if count} == {
        "waiting": 2,
        "running": 1,
        "cancelled": 1,
    }
    assert (found.paused, found.trials_done, found.trials_failed, found.trials_waiting) == (1, 3, 1, 6 + 4 + 4)
    assert (found.runners, found.workers, found.busy, found.datasets) == (2, 8, 6, 1)
    assert 0 < found.dataset_bytes < found.database_bytes
    storage.delete_dataset(dataset.sha256)
    in_bin = storage.get_statistics()
    assert (in_bin.datasets, in_bin.dataset_bytes) == (0, found.dataset_bytes)
