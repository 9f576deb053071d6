"""What people who share a database bring into it: who sees it, how much it may be, and what of others they go on with."""

from pathlib import Path

import pytest

from ensembles.data import load_dataset
from ensembles.errors import InvalidInput
from ensembles.papers import get_table
from runner.bundles import import_bundle, write_bundle
from runner.command_line import main
from runner.commands.experiment_file import store_files
from runner.papers import PaperData, Planned, launch, plan_table
from storage import Storage, open_storage
from tests.fresh import write_empty_tables
from tests.storage.conftest import make_config, make_dataset
from tests.storage.people import sign_in

SETTING = "ENSEMBLE_LAB_VISIBILITY"


@pytest.fixture
def bundle(tmp_path: Path) -> bytes:
    """An experiment on a stored data set, as another installation exported it."""
    write_empty_tables(tmp_path / "there.sqlite")
    with open_storage(f"sqlite:///{tmp_path / 'there.sqlite'}") as there:
        stored = there.save_dataset(make_dataset("Patients"))
        return write_bundle(there, there.create_experiment(make_config({"sha256": stored.sha256})).id)


def planned_table(storage: Storage, *datasets: str) -> list[Planned]:
    return plan_table(get_table("oza2001/3.4"), 0.1, PaperData(storage), datasets)[0]


def seen(storage: Storage) -> list[str]:
    """Return how all that is there is marked, experiments first."""
    return [one.visibility for one in (*storage.list_experiments(), *storage.list_datasets())]


@pytest.mark.parametrize("said", ["private", "link", ""])
def test_what_a_bundle_holds_is_seen_as_all_that_is_new(
    storage: Storage, bundle: bytes, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv(SETTING, said)
    import_bundle(sign_in(storage, "Olga"), bundle)
    assert seen(storage) == [said or "team"] * 2
    assert len(sign_in(storage, "Max").list_experiments()) == (said != "private")


def test_a_setting_that_says_nothing_known_lets_nothing_be_seen(
    storage: Storage, bundle: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SETTING, "secret")
    with pytest.raises(
        InvalidInput, match=r"^ENSEMBLE_LAB_VISIBILITY: must be one of private, team, link, got 'secret'"
    ):
        import_bundle(storage, bundle)
    assert seen(storage) == []


def test_a_bundle_is_as_large_as_a_file_may_be(storage: Storage, bundle: bytes) -> None:
    olga = sign_in(storage, "Olga")
    assert olga.actor.user_id is not None
    storage.set_limits(olga.actor.user_id, {"upload_bytes": len(bundle) - 1})
    with pytest.raises(InvalidInput, match=r"you may have at most [\d,]+ bytes in a file"):
        import_bundle(olga, bundle)
    assert seen(storage) == []
    storage.set_limits(olga.actor.user_id, {"upload_bytes": len(bundle)})
    import_bundle(olga, bundle)


def test_what_a_table_of_a_paper_needs_is_seen_as_all_that_is_new(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SETTING, "private")
    olga = sign_in(storage, "Olga")
    [planned] = planned_table(olga, "balance_scale")
    launch(olga, planned)
    assert seen(storage) == ["private"] * 2
    assert sign_in(storage, "Max").list_datasets() == []


def test_what_commands_store_is_seen_as_all_that_is_new(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SETTING, "private")
    for name in ("a", "b"):
        make_dataset(seed=ord(name)).to_frame().to_csv(tmp_path / f"{name}.csv", index=False)
    store_files(make_config({"file": "a.csv", "target": "kind"}), storage, tmp_path)
    assert main(["datasets", "add", str(tmp_path / "b.csv"), "--database", storage.url]) == 0
    described = load_dataset("iris").to_frame().rename(columns=str.title)
    described.to_csv(tmp_path / "c.csv", index=False)
    assert main(["datasets", "add", str(tmp_path / "c.csv"), "--stream", "--database", storage.url]) == 0
    assert seen(storage) == ["private"] * 3


def test_a_table_goes_on_where_a_colleague_cancelled_one_of_its_experiments(storage: Storage) -> None:
    ann, bob = sign_in(storage, "Ann"), sign_in(storage, "Bob")
    datasets = ("balance_scale", "car", "promoters")
    planned = planned_table(ann, *datasets)
    hers = launch(ann, planned[1])
    assert launch(bob, planned[1]) == hers  # it waits: his would be the same
    ann.request_cancel(hers.id)
    launched = [launch(bob, one) for one in planned]
    assert [(one.user_name, one.state) for one in launched] == [("Bob", "waiting")] * len(planned)
    assert [one.extends for one in launched] == [None, hers.id, None]
    assert storage.get_experiment(hers.id).state == "cancelled"
    bob.request_cancel(launched[1].id)
    assert launch(bob, planned[1]).id == launched[1].id
    ann.request_cancel(hers.id)
    assert launch(storage, planned[1]).id == launched[1].id
