"""A data set that several people hold: each has a bin of their own, and nobody loses by what another deletes."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from ensembles.data import Dataset
from ensembles.errors import Conflict, Forbidden, NotFound
from storage import Storage
from storage.models import DatasetRow
from storage.people.rows import DatasetHolderRow
from tests.storage.conftest import make_config, make_dataset
from tests.storage.people import sign_in

NOW = timedelta(seconds=-60)  # whatever is in the bin has been there for longer


class Held:
    """A data set that Mia owns and Bob holds too, each for themselves alone."""

    def __init__(self, storage: Storage) -> None:
        self.mia, self.bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
        self.sha256 = self.mia.save_dataset(make_dataset("Hers"), visibility="private").sha256
        self.his = self.bob.save_dataset(make_dataset("His"), visibility="private")


@pytest.fixture
def held(storage: Storage) -> Held:
    return Held(storage)


def names(storage: Storage) -> tuple[list[str], list[str]]:
    """Return what is there, and what is in the bin."""
    return [one.name for one in storage.list_datasets()], [one.name for one in storage.list_bin().datasets]


@pytest.mark.parametrize("hers", ["kept", "deleted before", "deleted after"])
def test_what_a_holder_deletes_is_in_their_bin_and_comes_back(storage: Storage, hers: str) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    sha256 = mia.save_dataset(make_dataset("Hers"), visibility="private").sha256
    if hers == "deleted before":
        mia.delete_dataset(sha256)
    his = bob.save_dataset(make_dataset("His"), visibility="private")
    bob.delete_dataset(sha256)
    if hers == "deleted after":
        mia.delete_dataset(sha256)
    of_mia = (["Hers"], []) if hers == "kept" else ([], ["Hers"])
    assert (names(mia), names(bob)) == (of_mia, ([], ["His"]))
    [binned] = bob.list_bin().datasets
    assert (binned.user_name, binned.deleted is None) == ("Bob", False)
    for hidden in (bob.get_dataset, bob.delete_dataset):
        with pytest.raises(NotFound):
            hidden(sha256)
    assert bob.restore_dataset(sha256) == his
    assert (names(mia), names(bob)) == (of_mia, (["His"], []))
    assert bob.get_dataset(sha256).name == "His"


def test_what_its_owner_deletes_while_others_hold_it_is_in_the_owners_bin(storage: Storage, held: Held) -> None:
    held.mia.delete_dataset(held.sha256)
    assert (names(held.mia), names(held.bob)) == (([], ["Hers"]), (["His"], []))
    assert names(storage) == (["His"], ["Hers"])
    held.bob.delete_dataset(held.sha256)
    assert held.mia.restore_dataset(held.sha256).name == "Hers"
    assert (names(held.mia), names(held.bob)) == ((["Hers"], []), ([], ["His"]))


def test_who_stores_again_what_they_deleted_has_it_out_of_the_bin(held: Held) -> None:
    held.bob.delete_dataset(held.sha256)
    again = held.bob.save_dataset(make_dataset("Anew"), visibility="team")
    assert (again.name, again.visibility, again.user_name, again.deleted) == ("Anew", "team", "Bob", None)
    assert again.created > held.his.created
    assert names(held.bob) == (["Anew"], [])
    assert names(held.mia) == (["Hers"], [])


def test_what_a_holder_deleted_is_shown_to_nobody(storage: Storage, held: Held) -> None:
    held.bob.set_dataset_visibility(held.sha256, "team")
    cy = sign_in(storage, "Cy")
    assert names(cy) == (["His"], [])
    held.bob.delete_dataset(held.sha256)
    assert names(cy) == ([], [])
    with pytest.raises(NotFound):
        cy.restore_dataset(held.sha256)
    held.mia.delete_dataset(held.sha256)
    assert names(storage)[0] == []


@pytest.mark.parametrize("way", ["one by one", "all", "cleaned"])
def test_what_leaves_one_bin_for_good_stays_in_the_other(storage: Storage, held: Held, way: str) -> None:
    held.bob.delete_dataset(held.sha256)
    held.mia.delete_dataset(held.sha256)
    if way == "one by one":
        held.mia.purge_dataset(held.sha256)
    else:
        age(storage, DatasetRow)
        assert storage.find_unused(timedelta(days=1)).binned == 1
        if way == "cleaned":
            held.mia.restore_dataset(held.sha256)
            assert (storage.find_unused(timedelta(0)).datasets, storage.delete_idle_datasets(timedelta(0))) == ((), 0)
            held.mia.delete_dataset(held.sha256)
            age(storage, DatasetRow)
        assert storage.empty_bin() == (0, 1)
    assert (names(held.mia), names(held.bob)) == (([], []), ([], ["His"]))
    back = held.bob.restore_dataset(held.sha256)
    assert (back.name, back.user_name) == ("His", "Bob")
    assert held.bob.get_dataset(held.sha256).sha256 == held.sha256


def age(storage: Storage, table: type[DatasetRow] | type[DatasetHolderRow]) -> None:
    """Let what is in bins have been there for 91 days."""
    with storage._database.session(writes=True) as session:
        long_ago = storage._database.now(session) - timedelta(days=91)
        session.execute(update(table).where(table.deleted.is_not(None)).values(deleted=long_ago))


def test_a_holders_bin_is_emptied_of_what_is_old(storage: Storage, held: Held) -> None:
    held.bob.delete_dataset(held.sha256)
    assert storage.find_unused(timedelta(days=1)).binned == 0
    assert storage.empty_bin() == (0, 0)
    age(storage, DatasetHolderRow)
    assert storage.find_unused(timedelta(days=1)).binned == 1
    assert storage.empty_bin() == (0, 1)
    assert (names(held.mia), names(held.bob)) == ((["Hers"], []), ([], []))
    assert [one.detail for one in storage.list_audit() if one.action == "deleted for good"] == ["His"]


def test_when_all_bins_are_emptied_nothing_is_left(storage: Storage, held: Held) -> None:
    held.bob.delete_dataset(held.sha256)
    held.mia.delete_dataset(held.sha256)
    assert storage.empty_bin(NOW) == (0, 2)
    with storage._database.session() as session:
        assert session.query(DatasetRow).count() == session.query(DatasetHolderRow).count() == 0


def test_an_experiment_brings_back_what_its_owner_held(held: Held) -> None:
    made = held.bob.create_experiment(make_config({"sha256": held.sha256}))
    with pytest.raises(Conflict, match="His: cannot be deleted, 1 experiment uses it"):
        held.bob.delete_dataset(held.sha256)
    held.bob.delete_experiment(made.id)
    held.bob.delete_dataset(held.sha256)
    held.mia.delete_dataset(held.sha256)
    held.bob.restore_experiment(made.id)
    assert (names(held.bob), names(held.mia)) == ((["His"], []), ([], ["Hers"]))


@pytest.mark.parametrize("what", ["data set", "experiment"])
def test_what_is_in_a_holders_bin_takes_no_room_and_comes_back_where_there_is_some(
    storage: Storage, held: Held, what: str
) -> None:
    made = held.bob.create_experiment(make_config({"sha256": held.sha256}))
    held.bob.delete_experiment(made.id)
    held.bob.delete_dataset(held.sha256)
    storage.set_limits(held.bob.actor.user_id or 0, {"stored_bytes": held.his.packed_bytes + 10})
    other = held.bob.save_dataset(make_dataset("Other", n=38, seed=2))
    for who, whose in ((held.bob, "yours"), (storage, "those of Bob")):
        with pytest.raises(Forbidden, match=f"all of {whose} together may take"):
            who.restore_dataset(held.sha256) if what == "data set" else who.restore_experiment(made.id)
    with pytest.raises(Forbidden, match="all of yours together may take"):
        held.bob.save_dataset(make_dataset("His"))
    held.bob.delete_dataset(other.sha256)
    held.bob.restore_dataset(held.sha256) if what == "data set" else held.bob.restore_experiment(made.id)
    assert names(held.bob) == (["His"], ["Other"])


def test_one_who_sees_all_finds_each_data_set_once_and_their_own_first(storage: Storage, dataset: Dataset) -> None:
    mia, bob, ada = sign_in(storage, "Mia"), sign_in(storage, "Bob"), sign_in(storage, "Ada", "admin")
    for who, name in ((mia, "Hers"), (bob, "His"), (ada, "Mine")):
        dataset.name = name
        sha256 = who.save_dataset(dataset).sha256
    for who in (ada, bob, mia):
        who.delete_dataset(sha256)
    assert [names(who)[1] for who in (mia, bob, ada, storage)] == [["Hers"], ["His"], ["Mine"], ["Hers"]]
    assert ada.restore_dataset(sha256).name == "Mine"
    assert names(ada) == (["Mine"], ["Hers"])
    ada.purge_dataset(sha256)
    assert [names(who)[1] for who in (mia, bob, ada)] == [[], ["His"], ["His"]]


def test_an_experiment_that_is_restored_leaves_in_the_bin_what_others_hold(storage: Storage) -> None:
    mia, bob, cy = (sign_in(storage, name) for name in ("Mia", "Bob", "Cy"))
    sha256 = mia.save_dataset(make_dataset("Hers")).sha256
    mia.delete_dataset(sha256)
    bob.save_dataset(make_dataset("His"))
    record = cy.create_experiment(make_config({"sha256": sha256}))
    cy.delete_experiment(record.id)
    cy.restore_experiment(record.id)
    assert (names(mia), names(cy)) == ((["His"], ["Hers"]), (["His"], []))
    cy.delete_experiment(record.id)
    bob.delete_dataset(sha256)
    cy.restore_experiment(record.id)
    assert names(cy) == (["Hers"], []), "what it needs comes back where nobody holds it any more"


def test_what_is_in_the_bin_and_restored_says_how_many_experiments_use_it(held: Held) -> None:
    used = held.mia.create_experiment(make_config({"sha256": held.sha256}))
    held.mia.set_dataset_visibility(held.sha256, "team")
    held.bob.delete_dataset(held.sha256)
    assert [one.experiments for one in held.bob.list_bin().datasets] == [1]
    assert (
        held.bob.restore_dataset(held.sha256).experiments == held.bob.get_dataset_record(held.sha256).experiments == 1
    )
    assert used.state == "waiting"
