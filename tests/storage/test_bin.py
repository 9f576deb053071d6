"""The bin: hidden everywhere, restored whole, emptied when its time is over."""

from datetime import timedelta

import pytest

from ensembles.data import Dataset
from ensembles.errors import Conflict, NotFound, StorageError
from ensembles.experiments.records import TrialResult
from storage import Storage, Wanted
from tests.runner.fakes import make_plans
from tests.storage.conftest import make_config, make_dataset
from tests.storage.made_up import LONG
from tests.storage.people import sign_in

NOW = timedelta(seconds=-60)  # whatever is in the bin has been there for longer


def test_what_is_deleted_is_hidden_and_comes_back_whole(storage: Storage) -> None:
    record = storage.create_experiment(make_config(), runner="me", tags=["kept"])
    storage.save_trials(
        record.id, [(plan, TrialResult(plan.key, measures={"accuracy": 0.5})) for plan in make_plans(3)]
    )
    storage.finish(record.id, "finished", runner="me")
    before = storage.get_experiment(record.id)
    storage.delete_experiment(record.id)
    with pytest.raises(NotFound):
        storage.get_experiment(record.id)
    assert storage.count_experiments() == storage.count_found(Wanted()) == 0
    assert storage.list_words() == {}
    assert storage.list_scored() == storage.best_scores("cross_validation, 2 folds") == []
    [binned] = storage.list_bin().experiments
    assert binned.deleted is not None
    assert storage.restore_experiment(record.id) == storage.get_experiment(record.id) == before
    assert len(storage.load_results(record.id).trials) == 3
    assert storage.list_bin().experiments == ()


def test_a_runner_stops_at_what_is_deleted(storage: Storage) -> None:
    record = storage.create_experiment(make_config())
    storage.claim_experiment("runner", LONG)
    storage.delete_experiment(record.id)
    assert storage.get_standing(record.id, "runner") == storage.heartbeat(record.id, "runner") == "lost"
    assert storage.take_experiment(record.id, "other", LONG) is None
    with pytest.raises(NotFound):
        storage.save_trials(record.id, [(plan, TrialResult(plan.key)) for plan in make_plans(1)])
    waiting = storage.create_experiment(make_config())
    storage.delete_experiment(waiting.id)
    assert storage.claim_experiment("runner", LONG) is None
    assert storage.restore_experiment(record.id).state == "cancelled"
    assert storage.reopen_experiment(record.id).state == "waiting"


def test_an_experiment_comes_back_with_its_data(storage: Storage, dataset: Dataset) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    record = storage.create_experiment(make_config({"sha256": sha256}))
    storage.delete_experiment(record.id)
    storage.delete_dataset(sha256)
    assert storage.list_datasets() == []
    with pytest.raises(NotFound):
        storage.create_experiment(make_config({"sha256": sha256}))
    assert [one.name for one in storage.list_bin().datasets] == ["Fruit"]
    storage.restore_experiment(record.id)
    assert [one.name for one in storage.list_datasets()] == ["Fruit"]


def test_the_bin_is_emptied_of_what_is_old_and_not_used(storage: Storage, dataset: Dataset) -> None:
    sha256, other = storage.save_dataset(dataset).sha256, storage.save_dataset(make_dataset(seed=2)).sha256
    record, kept = storage.create_experiment(make_config({"sha256": sha256})), storage.create_experiment(make_config())
    storage.delete_experiment(record.id)
    storage.delete_dataset(sha256)
    with pytest.raises(StorageError, match="Fruit: cannot be deleted for good, an experiment in the bin uses it"):
        storage.purge_dataset(sha256)
    assert storage.empty_bin() == (0, 0)
    assert storage.empty_bin(NOW) == (1, 1)
    assert storage.empty_bin(NOW) == (0, 0)
    for gone in (lambda: storage.restore_experiment(record.id), lambda: storage.restore_dataset(sha256)):
        with pytest.raises(NotFound):
            gone()
    assert [one.id for one in storage.list_experiments()] == [kept.id]
    assert [one.sha256 for one in storage.list_datasets()] == [other]


def test_only_ones_own_is_restored_or_deleted_for_good(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    sha256, experiment = mia.save_dataset(make_dataset()).sha256, mia.create_experiment(make_config()).id
    mia.delete_dataset(sha256)
    mia.delete_experiment(experiment)
    assert bob.list_bin().experiments == bob.list_bin().datasets == ()
    with pytest.raises(NotFound):
        bob.purge_experiment(experiment)
    mia.purge_experiment(experiment)
    assert mia.restore_dataset(sha256).user_name == "Mia"
    assert mia.list_bin().experiments == ()


def test_what_its_owner_stores_again_leaves_the_bin(storage: Storage, dataset: Dataset) -> None:
    mia = sign_in(storage, "Mia")
    sha256 = mia.save_dataset(dataset, visibility="private").sha256
    mia.delete_dataset(sha256)
    dataset.name = "Hers"
    assert mia.save_dataset(dataset).name == "Hers"
    assert [one.visibility for one in mia.list_datasets()] == ["team"]
    assert mia.list_bin().datasets == ()
    mia.delete_dataset(sha256)
    dataset.name = "Of the program"
    assert storage.save_dataset(dataset).user_name == "Mia"
    assert [one.name for one in mia.list_datasets()] == ["Hers"]


def test_what_somebody_else_stores_again_stays_in_the_bin_of_its_owner(storage: Storage, dataset: Dataset) -> None:
    mia, bob, eve = (sign_in(storage, name) for name in ("Mia", "Bob", "Eve"))
    sha256 = mia.save_dataset(dataset).sha256
    mia.delete_dataset(sha256)
    dataset.name = "His"
    record = bob.save_dataset(dataset, visibility="private")
    assert (record.name, record.user_name, record.deleted) == ("His", "Bob", None)
    assert bob.get_dataset(sha256).name == storage.get_dataset(sha256).name == "His"
    assert mia.list_datasets() == eve.list_datasets() == []
    assert [one.name for one in bob.list_datasets()] == [one.name for one in storage.list_datasets()] == ["His"]
    assert [one.name for one in mia.list_bin().datasets] == ["Fruit"]
    assert bob.list_bin().datasets == ()
    his = bob.create_experiment(make_config({"sha256": sha256}))
    with pytest.raises(Conflict, match="His: cannot be deleted, 1 experiment uses it"):
        bob.delete_dataset(sha256)
    bob.delete_experiment(his.id)
    bob.restore_experiment(his.id)
    assert [one.name for one in mia.list_bin().datasets] == ["Fruit"]
    bob.set_dataset_visibility(sha256, "team")
    assert [(one.name, one.deleted) for one in mia.list_datasets()] == [("His", None)]
    assert mia.restore_dataset(sha256).name == mia.get_dataset(sha256).name == "Fruit"
    assert bob.get_dataset(sha256).name == "His"


@pytest.mark.parametrize("way", ["one by one", "all"])
def test_what_others_hold_is_theirs_when_it_leaves_the_bin_for_good(
    storage: Storage, dataset: Dataset, way: str
) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    sha256 = mia.save_dataset(dataset).sha256
    mia.delete_dataset(sha256)
    dataset.name = "His"
    bob.save_dataset(dataset)
    bob.create_experiment(make_config({"sha256": sha256}))
    if way == "all":
        assert storage.empty_bin(NOW) == (0, 1)
    else:
        mia.purge_dataset(sha256)
    assert [(one.name, one.user_name, one.deleted) for one in mia.list_datasets()] == [("His", "Bob", None)]
    assert storage.list_bin().datasets == ()


def test_the_last_holder_of_what_is_in_the_bin_keeps_what_others_use(storage: Storage, dataset: Dataset) -> None:
    mia, bob, eve = (sign_in(storage, name) for name in ("Mia", "Bob", "Eve"))
    sha256 = mia.save_dataset(dataset).sha256
    mia.delete_dataset(sha256)
    bob.save_dataset(dataset)
    hers = eve.create_experiment(make_config({"sha256": sha256}))
    with pytest.raises(Conflict, match="1 experiment uses it"):
        bob.delete_dataset(sha256)
    eve.delete_experiment(hers.id)
    bob.delete_dataset(sha256)
    assert storage.list_datasets() == []
    assert mia.restore_dataset(sha256).user_name == "Mia"
