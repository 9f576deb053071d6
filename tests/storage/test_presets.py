"""Presets that people save: for all who may launch, changed by who saved them, taken over from files."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ensembles.errors import EnsembleLabError, Forbidden, InvalidConfig, NotFound, StorageError
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.presets import BUILT_IN
from storage import Storage, open_storage
from storage.experiments import presets
from tests.storage.conftest import listening, make_config
from tests.storage.people import sign_in


def names(storage: Storage) -> list[str]:
    return [record.name for record in storage.list_presets()]


def test_what_is_saved_is_there_for_all_without_data_sets_and_seed(storage: Storage, url: str) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    config = make_config("wine", protocol={"kind": "holdout", "repeats": 3}, curves=["margins"], seed=9)
    saved = mia.save_preset("  My <b>own</b>\u202e ", config)
    assert (saved.name, saved.user_id, saved.user_name) == ("My <b>own</b>\ufffd", mia.actor.user_id, "Mia")
    assert bob.list_presets() == storage.list_presets() == [saved]
    kept = saved.readable
    assert kept is not None
    assert (kept.learners, kept.protocol, kept.measures) == (config.learners, config.protocol, config.measures)
    assert (kept.curves, kept.seed, [one.key for one in kept.datasets]) == (config.curves, 1, ["iris"])
    with open_storage(url) as other_server:
        assert other_server.list_presets() == [saved]


def test_they_are_listed_by_name(storage: Storage) -> None:
    for name in ("b", "Ä", "a", "A", "C"):
        storage.save_preset(name, make_config())
    assert names(storage) == ["A", "a", "b", "C", "Ä"]


def test_only_who_saved_one_and_admins_replace_or_delete_it(storage: Storage) -> None:
    mia, bob, ada = sign_in(storage, "Mia"), sign_in(storage, "Bob"), sign_in(storage, "Ada", "admin")
    first = mia.save_preset("Seven", make_config())
    said = r"^preset 'Seven': only who saved it and admins may replace it; it was saved by Mia; choose another name$"
    with pytest.raises(Forbidden, match=said):
        bob.save_preset(" Seven ", make_config(measures=["mse"]))
    with pytest.raises(
        Forbidden, match=r"^preset 'Seven': only who saved it and admins may delete it; it was saved by Mia$"
    ):
        bob.delete_preset("Seven")
    assert storage.list_presets() == [first]
    for who, measure in ((mia, "mse"), (ada, "error"), (storage, "kappa")):
        who.save_preset("Seven", make_config(measures=[measure]))
        [now] = storage.list_presets()
        assert now.readable is not None
        assert (now.readable.measures, now.user_name, now.created) == ((measure,), "Mia", first.created)
    ada.delete_preset("Seven")
    with pytest.raises(NotFound, match=r"^there is no preset 'Seven'; it may have been deleted$"):
        mia.delete_preset("Seven")
    storage.save_preset("Ours", make_config())
    with pytest.raises(Forbidden, match=r"it was saved by nobody who signs in$"):
        mia.delete_preset("Ours")
    assert [(one.action, one.who, one.detail) for one in reversed(storage.list_audit(kind="preset"))] == [
        ("saved", "Mia", "Seven"),
        *(("replaced", who, "Seven") for who in ("Mia", "Ada", "program")),
        ("deleted", "Ada", "Seven"),
        ("saved", "program", "Ours"),
    ]


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("quick LOOK", {}, "comes along with the program"),
        (" ", {}, "name: must have 1 to 200 characters"),
        ("x", {"protocol": {"kind": "given_split", "test_sha256": "0" * 64}}, "goes with its data set"),
    ],
)
def test_what_cannot_be_a_preset_is_refused(storage: Storage, name: str, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidConfig, match=said):
        storage.save_preset(name, make_config(**changes))
    assert names(storage) == []


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be room for three."""
    monkeypatch.setattr(presets, "_MOST", 3)


@pytest.mark.usefixtures("few")
def test_there_is_room_for_so_many_also_for_those_that_are_saved_at_once(storage: Storage) -> None:
    def save(name: str) -> str:
        try:
            return storage.save_preset(name, make_config()).name
        except Forbidden as error:
            return str(error)

    with ThreadPoolExecutor(8) as threads:
        told = [*threads.map(save, "abcdefgh")]
    refused = "presets: at most 3 can be kept; delete one first, or ask an admin to"
    assert sorted(told)[3:] == [refused] * 5
    assert names(storage) == sorted(told)[:3]
    storage.save_preset(names(storage)[0], make_config(measures=["mse"]))  # one that is replaced takes no room


def test_of_two_that_save_one_name_at_once_the_second_is_refused(storage: Storage) -> None:
    people = [sign_in(storage, name) for name in ("Mia", "Bob", "Cy", "Dan")]

    def save(who: Storage) -> bool:
        try:
            return bool(who.save_preset("Seven", make_config()))
        except Forbidden:
            return False

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(save, people)) == [False] * 3 + [True]


def test_one_that_cannot_be_read_here_is_listed_replaced_and_deleted(storage: Storage) -> None:
    for name in ("Old", "Newer", "Strange"):
        storage.save_preset(name, make_config())
    with storage._database.session(writes=True) as session:
        for name, document in (("Newer", '{"learners": [{"method": "of_tomorrow"}]}'), ("Strange", "[")):
            change = text("UPDATE presets SET document = :document WHERE name = :name")
            session.execute(change, {"document": document, "name": name})
    assert [(one.name, one.readable is None) for one in storage.list_presets()] == [
        ("Newer", True),
        ("Old", False),
        ("Strange", True),
    ]
    storage.delete_preset("Strange")
    storage.save_preset("Newer", make_config())
    assert [one.readable is None for one in storage.list_presets()] == [False, False]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder of presets as earlier releases kept them, with some things that are none."""
    there = tmp_path / "presets"
    there.mkdir()
    for name in ("Seven", "Eight"):
        (there / f"{name.lower()}.yaml").write_text(a_file(name))
    (there / "ignored.yaml").mkdir()
    (there / "notes.txt").write_text("mine")
    for name, content in {"broken": "{", "list": "[1]", "empty": "", "large": a_file("Large") + "#" * 2**20}.items():
        (there / f"{name}.yaml").write_text(content)
    (there / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    (there / "ours.yaml").write_text(a_file(BUILT_IN[0].name))
    yield there
    there.chmod(0o700)


def a_file(name: str, **changes: object) -> str:
    return make_config("wine", name=name, **changes).to_yaml()


KEPT = {"broken", "bytes", "empty", "ignored", "large", "list", "ours"}


def test_presets_in_files_are_taken_over_once(storage: Storage, folder: Path) -> None:
    mia = sign_in(storage, "Mia")
    (folder / "again.yaml").write_text(a_file("Seven", measures=["kappa"]))  # the first of a name by its file counted
    mia.save_preset("Eight", make_config(measures=["mse"]))
    assert storage.take_over_presets(folder) == 1
    assert [(one.name, one.user_name) for one in storage.list_presets()] == [("Eight", "Mia"), ("Seven", None)]
    measures = [one.readable and one.readable.measures for one in storage.list_presets()]
    assert measures == [("mse",), ("kappa",)], "a name that is there keeps what it stands for"
    assert {path.stem for path in folder.glob("*.yaml")} == KEPT
    taken = {path.name for path in folder.glob("*.taken")}
    assert taken == {"again.yaml.taken", "eight.yaml.taken", "seven.yaml.taken"}
    assert ExperimentConfig.from_yaml((folder / "seven.yaml.taken").read_text()).name == "Seven"
    storage.delete_preset("Seven")
    assert storage.take_over_presets(folder) == storage.take_over_presets(folder / "nowhere") == 0
    assert names(storage) == ["Eight"], "what was deleted does not come back"
    assert [one.action for one in storage.list_audit(kind="preset")] == ["deleted", "taken over", "saved"]


def test_all_files_are_taken_over_however_many_there_are(storage: Storage, folder: Path) -> None:
    for number in range(110):
        (folder / f"{number}.yaml").write_text(a_file(f"Number {number}"))
    assert storage.take_over_presets(folder) == len(names(storage)) == 112


def test_two_servers_take_over_the_same_files(storage: Storage, folder: Path, url: str) -> None:
    with open_storage(url) as other, ThreadPoolExecutor(2) as threads:
        assert sum(threads.map(lambda one: one.take_over_presets(folder), (storage, other))) == 2
    assert names(storage) == ["Eight", "Seven"]
    assert {path.stem for path in folder.glob("*.yaml")} == KEPT


def test_a_file_is_there_until_the_database_has_what_it_says(storage: Storage, folder: Path) -> None:
    def fail(*told: Any) -> None:
        if "INTO presets" in told[2]:
            raise StorageError("the disk is full")

    before = {path.name for path in folder.iterdir()}
    with listening(fail, "after_cursor_execute"), pytest.raises(EnsembleLabError, match="full"):
        storage.take_over_presets(folder)
    assert ({path.name for path in folder.iterdir()}, names(storage)) == (before, [])
    assert storage.take_over_presets(folder) == 2


def test_a_folder_that_can_only_be_read_is_taken_over_too_and_once(
    storage: Storage, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Path) -> None:
        raise OSError("read-only file system")

    monkeypatch.setattr(Path, "rename", refuse)  # root may write everywhere
    assert storage.take_over_presets(folder) == 2
    assert names(storage) == ["Eight", "Seven"]
    assert storage.take_over_presets(folder) == 0
    storage.delete_preset("Seven")
    assert storage.take_over_presets(folder) == 0
    assert names(storage) == ["Eight"], "what was deleted does not come back"
