"""Launches that are sent again: one key, one experiment."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from ensembles.errors import Conflict, InvalidInput, StorageError
from ensembles.experiments.config import ExperimentConfig
from storage import Storage
from tests.storage.conftest import make_config, make_dataset
from tests.storage.people import sign_in

KEY = "0123456789abcdef"


def test_a_key_launches_once(storage: Storage) -> None:
    sha256 = storage.save_dataset(make_dataset()).sha256
    config = make_config({"sha256": sha256})
    first = storage.create_experiment(config, launch_key=KEY)
    storage.rename_dataset(sha256, "Called otherwise meanwhile")
    assert storage.create_experiment(config, launch_key=KEY) == first
    storage.delete_experiment(first.id)
    assert storage.create_experiment(config, launch_key=KEY).id == first.id
    assert storage.create_experiment(config, launch_key=f"{KEY}.").id != first.id


def test_a_key_stands_for_one_document_of_one_user(storage: Storage) -> None:
    launched = storage.create_experiment(make_config(), launch_key=KEY)
    with pytest.raises(Conflict, match="launch: each key stands for one experiment, got that of another one"):
        storage.create_experiment(make_config(seed=2), launch_key=KEY)
    assert sign_in(storage, "Olga").create_experiment(make_config(seed=2), launch_key=KEY).id != launched.id


@pytest.mark.parametrize("key", ["", "x" * 15, "x" * 101])
def test_keys_that_can_be_guessed_are_refused(storage: Storage, key: str) -> None:
    with pytest.raises(InvalidInput, match=r"launch: the key must be random, of 16 to 100 characters, got \d+"):
        storage.create_experiment(make_config(), launch_key=key)


def test_two_at_the_same_time_launch_once(storage: Storage) -> None:
    config = make_config()

    def launch(_: int, config: ExperimentConfig = config) -> str:
        try:
            return storage.create_experiment(config, launch_key=KEY).id
        except StorageError:  # the other one was quicker; whoever sends it again gets that one
            return storage.create_experiment(config, launch_key=KEY).id

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(launch, range(8)))) == 1
    assert storage.count_experiments() == 1
