"""Experiments and data sets of several people: who sees them, and who may change them."""

import pytest

from ensembles.data import Dataset
from ensembles.errors import Forbidden, InvalidInput, NotFound, StorageError
from storage import NOBODY, Storage, Wanted
from tests.storage.conftest import make_config, make_dataset
from tests.storage.people import sign_in


def test_what_is_launched_belongs_to_who_launches_it(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    record = mia.create_experiment(make_config(), visibility="private")
    assert (record.user_id, record.user_name, record.visibility) == (mia.actor.user_id, "Mia", "private")
    assert mia.get_experiment(record.id) == storage.get_experiment(record.id) == record
    ours = storage.create_experiment(make_config())
    assert (ours.user_id, ours.user_name, ours.visibility) == (None, None, "team")


def test_what_is_private_is_nowhere_for_others(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    secret = mia.save_dataset(make_dataset("Secret"), visibility="private")
    record = mia.create_experiment(
        make_config({"sha256": secret.sha256}, name="Hidden"), runner="me", tags=["quiet"], visibility="private"
    )
    with pytest.raises(NotFound, match=f"^there is no experiment {record.id!r}; it may have been deleted$"):
        bob.get_experiment(record.id)
    with pytest.raises(NotFound, match="there is no stored data set"):
        bob.create_experiment(make_config({"sha256": secret.sha256}))
    assert bob.create_experiment(make_config(), extends=record.id).extends is None
    assert bob.count_experiments() == len(bob.list_experiments()) == bob.count_found(Wanted()) == 1
    assert bob.find_experiments(Wanted(part="Secret")) == bob.find_experiments(Wanted(part="Hidden")) == []
    assert bob.find_experiment(record.config) is None
    assert bob.list_datasets() == []
    assert "tag" not in bob.list_words()
    assert [word.label for word in bob.list_words()["dataset"]] == ["Iris"]
    assert bob.find_folded(Wanted(folds=(("quiet",),))) == []
    assert mia.find_experiment(record.config) == mia.get_experiment(record.id)
    assert [word.label for word in mia.list_words()["dataset"]] == ["Iris", "Secret"]
    mia.set_experiment_visibility(record.id, "team")
    assert bob.get_experiment(record.id).user_name == "Mia"


def test_only_the_owner_and_admins_change_what_all_see(storage: Storage) -> None:
    mia, bob, ada = sign_in(storage, "Mia"), sign_in(storage, "Bob"), sign_in(storage, "Ada", "admin")
    data = mia.save_dataset(make_dataset())
    record = mia.create_experiment(make_config(name="Mine"))
    said = r"^Mine: only its owner and admins may change it; it belongs to Mia$"
    for refused in (
        lambda: bob.rename_experiment(record.id, "Yours"),
        lambda: bob.write_notes(record.id, "Hello"),
        lambda: bob.tag_experiments([record.id], ["bad"]),
        lambda: bob.mark_experiments([record.id], archived=True),
        lambda: bob.request_cancel(record.id),
        lambda: bob.reopen_experiment(record.id),
        lambda: bob.set_experiment_visibility(record.id, "private"),
        lambda: bob.delete_experiment(record.id),
    ):
        with pytest.raises(Forbidden, match=said):
            refused()
    with pytest.raises(Forbidden, match=r"^Fruit: only its owner and admins may change it; it belongs to Mia$"):
        bob.delete_dataset(data.sha256)
    assert mia.get_experiment(record.id) == record
    assert ada.rename_experiment(record.id, "Ours").name == "Ours"
    assert ada.rename_dataset(data.sha256, "Harvest").user_name == "Mia"


def test_of_several_that_are_marked_none_is_when_one_is_of_others(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    own, other = bob.create_experiment(make_config()), mia.create_experiment(make_config())
    hidden = mia.create_experiment(make_config(), visibility="private")
    with pytest.raises(Forbidden):
        bob.mark_experiments([own.id, other.id], starred=True)
    assert not bob.get_experiment(own.id).starred
    bob.mark_experiments([own.id, hidden.id, "nowhere"], starred=True)
    assert bob.get_experiment(own.id).starred
    assert not mia.get_experiment(hidden.id).starred


def test_a_reader_only_reads(storage: Storage, dataset: Dataset) -> None:
    rea = sign_in(storage, "Rea", "reader")
    record = storage.create_experiment(make_config())
    assert rea.get_experiment(record.id) == record
    with pytest.raises(Forbidden, match=r"^one must be a member to launch experiments, got a reader$"):
        rea.create_experiment(make_config())
    with pytest.raises(Forbidden, match=r"^one must be a member to store or change data sets, got a reader$"):
        rea.save_dataset(dataset)


def test_a_stranger_sees_the_results_of_what_everybody_may_by_its_address(storage: Storage) -> None:
    mia, stranger = sign_in(storage, "Mia"), storage.acting_as(NOBODY)
    shown = mia.create_experiment(make_config(), tags=["draft"], visibility="link")
    mia.write_notes(shown.id, "For us")
    seen = stranger.get_experiment(shown.id)
    assert (seen.name, seen.user_id, seen.user_name, seen.notes, seen.tags) == (shown.name, None, None, "", ())
    assert stranger.load_results(shown.id).trials.empty
    for visibility in ("team", "private"):
        mia.set_experiment_visibility(shown.id, visibility)  # type: ignore[arg-type]
        with pytest.raises(NotFound):
            stranger.load_results(shown.id)
    with pytest.raises(Forbidden, match=r"^one must be signed in to look around here, got who has not signed in$"):
        stranger.list_experiments()
    with pytest.raises(InvalidInput, match="visibility: must be one of private, team, link, got 'all'"):
        mia.set_experiment_visibility(shown.id, "all")  # type: ignore[arg-type]


def test_who_stores_the_same_content_learns_nothing_of_the_first(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    first = mia.save_dataset(make_dataset("Hers"), visibility="private")
    mia.create_experiment(make_config({"sha256": first.sha256}))
    second = bob.save_dataset(make_dataset("His"), visibility="private")
    assert (second.sha256, second.name, second.user_name, second.experiments) == (first.sha256, "His", "Bob", 1)
    assert second.created > first.created
    assert bob.list_datasets() == [second]
    assert bob.get_dataset(first.sha256).name == "His"
    assert mia.get_dataset_record(first.sha256).name == storage.get_dataset(first.sha256).name == "Hers"
    assert bob.create_experiment(make_config({"sha256": first.sha256})).config.datasets[0].name == "His"
    assert bob.rename_dataset(first.sha256, "Still his").name == "Still his"
    assert mia.get_dataset_record(first.sha256).name == "Hers"
    with pytest.raises(NotFound):
        sign_in(storage, "Cy").get_dataset(first.sha256)


def test_others_know_a_data_set_by_who_shows_it(storage: Storage) -> None:
    mia, bob, cy = sign_in(storage, "Mia"), sign_in(storage, "Bob"), sign_in(storage, "Cy")
    sha256 = mia.save_dataset(make_dataset("Hers"), visibility="private").sha256
    bob.save_dataset(make_dataset("His"))
    assert [(one.name, one.user_name) for one in cy.list_datasets()] == [("His", "Bob")]
    with pytest.raises(Forbidden, match=r"^His: only its owner and admins may change it; it belongs to Bob$"):
        cy.delete_dataset(sha256)
    bob.set_dataset_visibility(sha256, "private")
    assert cy.list_datasets() == []


def test_a_holder_lets_go_and_the_owner_keeps_it(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    sha256 = mia.save_dataset(make_dataset("Hers"), visibility="private").sha256
    bob.save_dataset(make_dataset("His"))
    used = bob.create_experiment(make_config({"sha256": sha256}))
    with pytest.raises(StorageError, match="His: cannot be deleted, 1 experiment uses it; delete them first"):
        bob.delete_dataset(sha256)
    bob.delete_experiment(used.id)
    bob.delete_dataset(sha256)
    assert bob.list_datasets() == []
    assert [one.name for one in mia.list_datasets()] == ["Hers"]


def test_what_its_owner_deletes_belongs_to_its_first_holder(storage: Storage) -> None:
    mia, bob, cy = sign_in(storage, "Mia"), sign_in(storage, "Bob"), sign_in(storage, "Cy")
    sha256 = mia.save_dataset(make_dataset("Hers"), visibility="private").sha256
    cy.save_dataset(make_dataset("Third"), visibility="private")
    bob.save_dataset(make_dataset("His"), visibility="private")
    cy.create_experiment(make_config({"sha256": sha256}))
    mia.delete_dataset(sha256)
    assert mia.list_datasets() == []
    assert [(one.name, one.user_name) for one in storage.list_datasets()] == [("Third", "Cy")]
    assert [one.name for one in bob.list_datasets()] == ["His"]


def test_a_stored_data_set_says_what_it_takes(storage: Storage, dataset: Dataset) -> None:
    record = storage.save_dataset(dataset)
    assert record.packed_bytes > 100
    assert record == storage.get_dataset_record(record.sha256)
