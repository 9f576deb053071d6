"""Experiments that are over, and whether they can go on."""

import pytest

from ensembles.errors import Conflict
from ensembles.experiments.records import TrialResult
from storage import Storage
from tests.runner.fakes import make_plans
from tests.storage.conftest import make_config


def test_what_is_finished_and_misses_nothing_stays_as_it_is(storage: Storage) -> None:
    experiment, plans = storage.create_experiment(make_config(), n_trials=3, runner="me").id, make_plans(3)
    results = [TrialResult(plan.key, measures={"accuracy": 0.5}) for plan in plans]
    storage.save_trials(experiment, [*zip(plans[:2], results[:2], strict=True)])
    storage.save_trials(experiment, [(plans[2], TrialResult(plans[2].key, error="it broke"))])
    storage.finish(experiment, "finished", runner="me")
    before = storage.get_experiment(experiment)
    with pytest.raises(Conflict, match=r"^Trial run: is finished, none of its 3 trials is missing$"):
        storage.reopen_experiment(experiment)
    assert storage.get_experiment(experiment) == before
    assert storage.reopen_experiment(experiment, retry=True).state == "waiting"
    storage.take_experiment(experiment, "me", 60.0)
    storage.save_trials(experiment, [(plans[2], results[2])])
    storage.finish(experiment, "finished", runner="me")
    with pytest.raises(Conflict, match="is finished"):
        storage.reopen_experiment(experiment, retry=True)


def test_what_is_not_over_is_not_reopened(storage: Storage) -> None:
    before = storage.create_experiment(make_config())
    with pytest.raises(Conflict, match=r"^Trial run: is not over, it waits for its turn$"):
        storage.reopen_experiment(before.id)
    assert storage.get_experiment(before.id) == before
    storage.pause_experiment(before.id)
    with pytest.raises(Conflict, match=r"^Trial run: is not over, it is paused$"):
        storage.reopen_experiment(before.id, retry=True)
    assert storage.get_experiment(before.id).paused
