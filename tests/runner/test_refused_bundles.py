"""Bundles that somebody's limits refuse, where the data in them are in a bin; and that workers leave alone."""

from unittest.mock import Mock

import pytest
from sqlalchemy import select

from ensembles.errors import InvalidInput, StorageError
from runner import bundles
from runner.bundles import import_bundle, write_bundle
from storage import Storage
from storage.models import ExperimentRow
from tests.runner.conftest import wait_until
from tests.runner.test_bundles import add_experiment
from tests.storage.people import sign_in


def exported_and_gone(storage):
    """Return a bundle, and its data set, neither of which is here any more."""
    exported = write_bundle(storage, add_experiment(storage))
    [ours], [data] = storage.list_experiments(), storage.list_datasets()
    storage.delete_experiment(ours.id)
    storage.purge_experiment(ours.id)
    storage.delete_dataset(data.sha256)
    storage.purge_dataset(data.sha256)
    return exported, data


def test_what_was_in_ones_own_bin_stays_there_and_nothing_else(storage):
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    exported, data = exported_and_gone(storage)
    made = import_bundle(mia, exported)
    mia.delete_experiment(made.id)
    mia.delete_dataset(data.sha256)
    for who in (mia, bob):
        storage.set_limits(who.actor.user_id, {"trials": 1})
    for who, kept in ((bob, []), (mia, [data.sha256])):
        with pytest.raises(InvalidInput, match="you may have at most 1 trials in an experiment"):
            import_bundle(who, exported)
        assert who.list_datasets() == []
        assert [one.sha256 for one in who.list_bin().datasets] == kept


def test_nobody_holds_what_somebody_else_shows_for_a_bundle_that_was_refused(storage):
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    exported, _ = exported_and_gone(storage)
    import_bundle(mia, exported)
    storage.set_limits(bob.actor.user_id, {"trials": 1})
    with pytest.raises(InvalidInput, match="you may have at most 1 trials in an experiment"):
        import_bundle(bob, exported)
    assert [one.user_name for one in bob.list_datasets()] == ["Mia"]
    assert bob.list_bin().datasets == ()


def test_whoever_has_as_many_as_may_run_still_imports(storage):
    mia = sign_in(storage, "Mia")
    exported, _ = exported_and_gone(storage)
    storage.set_limits(mia.actor.user_id, {"experiments": 0})
    assert import_bundle(mia, exported).state == "finished"


def test_no_worker_takes_what_is_being_imported(storage, monkeypatch):
    exported, _ = exported_and_gone(storage)
    save, leases = Storage.save_trials, []

    def lease():
        with storage._database.session() as session:
            return session.scalar(select(ExperimentRow.lease_until))

    def is_renewed():
        leases.append(lease())
        return len(set(leases)) > 1

    def save_slowly(self, *args):
        wait_until(is_renewed, "the lease is renewed", 3.0)
        save(self, *args)

    monkeypatch.setattr(Storage, "save_trials", save_slowly)
    assert import_bundle(storage, exported).state == "finished"


def test_an_import_that_was_killed_is_no_work_for_runners_and_says_that_it_was_cut_off(storage, monkeypatch):
    exported, _ = exported_and_gone(storage)
    with monkeypatch.context() as killed:  # as by -9, nobody tidies up
        killed.setattr(bundles, "_BATCH", 3)
        killed.setattr(Storage, "finish", Mock(side_effect=StorageError("the end")))
        killed.setattr(Storage, "delete_experiment", Mock(side_effect=StorageError("the end")))
        with pytest.raises(StorageError, match="the end"):
            import_bundle(storage, exported)
    assert storage.claim_experiment("worker", 0.0) is None
    [left] = storage.list_experiments()
    assert (left.state, left.done, left.started, left.seconds) == ("cancelled", 4, None, None)
    assert left.message.startswith("It was imported from a bundle: ")
    assert "The import was cut off" in left.message


def test_who_goes_on_with_what_was_imported_is_told_for_good_that_a_part_ran_elsewhere(storage):
    exported = write_bundle(storage, add_experiment(storage, n_missing=2))
    made = import_bundle(storage, exported)
    assert storage.reopen_experiment(made.id, runner="worker").message.startswith("Part of it was imported")
    storage.release(made.id, "worker", "the machine is switched off")
    assert storage.get_experiment(made.id).message.endswith("says. the machine is switched off")
    storage.claim_experiment("worker", 10.0)
    storage.finish(made.id, "finished", runner="worker")
    assert storage.get_experiment(made.id).message.startswith("Part of it was imported from a bundle: those trials")
    another = storage.create_experiment(made.config, runner="worker", extends=made.id)
    assert another.message is None
    storage.adopt_trials(another.id, made.id, [plan for plan, _ in storage.list_trials(made.id)])
    assert storage.get_experiment(another.id).message.startswith("Part of it was imported from a bundle: those trials")
