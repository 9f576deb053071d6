"""Bundles that somebody's limits refuse, where the data in them are in a bin; and that workers leave alone."""

import pytest
from sqlalchemy import select

from ensembles.errors import InvalidInput
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
        with pytest.raises(InvalidInput, match="trials of an experiment: you may have at most 1"):
            import_bundle(who, exported)
        assert who.list_datasets() == []
        assert [one.sha256 for one in who.list_bin().datasets] == kept


def test_nobody_holds_what_somebody_else_shows_for_a_bundle_that_was_refused(storage):
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    exported, _ = exported_and_gone(storage)
    import_bundle(mia, exported)
    storage.set_limits(bob.actor.user_id, {"trials": 1})
    with pytest.raises(InvalidInput, match="trials of an experiment: you may have at most 1"):
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
