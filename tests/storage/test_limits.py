"""Limits: what a user may have, who says so, and that the program has none."""

import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import get_ident
from typing import Any

import pytest

from ensembles.errors import Forbidden, InvalidInput
from storage import Limits, Storage, open_storage
from tests.storage.conftest import listening, make_config, make_dataset
from tests.storage.people import sign_in


@pytest.mark.parametrize("text", ["trials=7, rows=30", json.dumps({"trials": 7, "rows": 30})])
def test_the_setting_says_what_everybody_may_have(storage: Storage, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_LIMITS", text)
    mia = sign_in(storage, "Mia")
    assert mia.get_limits() == Limits(rows=30, trials=7)
    assert storage.get_limits() == Limits()
    record = storage.set_limits(mia.actor.user_id or 0, {"rows": None, "experiments": 2})
    assert record.limits == {"rows": None, "experiments": 2}
    assert mia.get_limits() == Limits(trials=7, experiments=2)


@pytest.mark.parametrize("text", ["trials", "trials=x", "[1]", "{", "tries=1", '{"trials": -1}', '{"trials": true}'])
def test_a_setting_that_is_none_is_refused(storage: Storage, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_LIMITS", text)
    with pytest.raises(InvalidInput, match=r"^ENSEMBLE_LAB_LIMITS: .*, got "):
        sign_in(storage, "Mia").get_limits()


def test_more_than_a_limit_is_refused(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    config, small = make_config(), make_dataset(n=20)

    def limit(**limits: int) -> None:
        storage.set_limits(mia.actor.user_id or 0, limits)

    limit(trials=7)
    with pytest.raises(InvalidInput, match=r"^you may have at most 7 trials in an experiment \(limit trials\), got 8$"):
        mia.create_experiment(config)
    limit(trials=8, experiments=1)
    first = mia.create_experiment(config, n_trials=1)
    said = r"^experiments: you may have 1 that wait or run at once \(experiments\), there are 1 already$"
    with pytest.raises(Forbidden, match=said):
        mia.create_experiment(config)
    mia.request_cancel(first.id)
    mia.create_experiment(config)
    with pytest.raises(Forbidden, match=said):
        mia.reopen_experiment(first.id)
    limit(rows=19)
    with pytest.raises(InvalidInput, match=r"^you may have at most 19 examples in a data set \(limit rows\), got 20$"):
        mia.save_dataset(small)
    limit(upload_bytes=1000)
    mia.check_upload(1000)
    with pytest.raises(
        InvalidInput, match=r"^you may have at most 1,000 bytes in a file \(limit upload_bytes\), got 1,001$"
    ):
        mia.check_upload(1001)
    storage.create_experiment(config)
    storage.save_dataset(small)


def test_what_others_hold_too_takes_room_all_the_same(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    datasets = [make_dataset(f"Number {seed}", seed=seed) for seed in (1, 2)]
    sizes = [bob.save_dataset(dataset, visibility="private").packed_bytes for dataset in datasets]
    storage.set_limits(mia.actor.user_id or 0, {"stored_bytes": sum(sizes) - 1})
    mia.save_dataset(datasets[0])
    said = rf"may take {sum(sizes) - 1:,} bytes \(stored_bytes\), with this {sum(sizes):,}$"
    with pytest.raises(Forbidden, match=said):
        mia.save_dataset(datasets[1])
    assert [one.name for one in mia.list_datasets()] == ["Number 1"]
    mia.save_dataset(datasets[0])
    mia.delete_dataset(datasets[0].sha256)
    mia.save_dataset(datasets[1])


def use_up(storage: Storage, mia: Storage, *, free: int = 0) -> int:
    """Let Mia store something, and no more than that and so many bytes; return what it takes."""
    taken = mia.save_dataset(make_dataset("Kept", seed=9)).packed_bytes
    storage.set_limits(mia.actor.user_id or 0, {"stored_bytes": taken + free})
    return taken


def test_what_comes_back_from_the_bin_needs_room(storage: Storage) -> None:
    mia, ada = sign_in(storage, "Mia"), sign_in(storage, "Ada", "admin")
    record = mia.save_dataset(make_dataset())
    mia.delete_dataset(record.sha256)
    taken = use_up(storage, mia, free=record.packed_bytes - 1)
    allowed, wanted = taken + record.packed_bytes - 1, taken + record.packed_bytes
    said = rf"together may take {allowed:,} bytes \(stored_bytes\), with this {wanted:,}$"
    for who, whose in ((mia, "yours"), (ada, "those of Mia"), (storage, "those of Mia")):
        with pytest.raises(Forbidden, match=f"^data sets: all of {whose} {said}"):
            who.restore_dataset(record.sha256)
    assert [one.name for one in mia.list_datasets()] == ["Kept"]
    assert [one.name for one in mia.list_bin().datasets] == ["Fruit"]
    storage.set_limits(mia.actor.user_id or 0, {"stored_bytes": wanted})
    assert ada.restore_dataset(record.sha256).user_name == "Mia"


def test_an_experiment_comes_back_when_there_is_room_for_its_data(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    own = [mia.save_dataset(make_dataset(f"Number {seed}", seed=seed)) for seed in (1, 2, 3)]
    his = bob.save_dataset(make_dataset("His", seed=4))
    used = [*own, his]
    experiment = mia.create_experiment(make_config(*({"sha256": one.sha256} for one in used))).id
    mia.delete_experiment(experiment)
    for who, record in ((mia, own[0]), (mia, own[1]), (bob, his)):
        who.delete_dataset(record.sha256)
    size = own[0].packed_bytes + own[1].packed_bytes
    taken = use_up(storage, mia, free=own[2].packed_bytes + size - 1) + own[2].packed_bytes + size
    with pytest.raises(Forbidden, match=rf"^data sets: all of yours .* bytes \(stored_bytes\), with this {taken:,}$"):
        mia.restore_experiment(experiment)
    assert [one.id for one in mia.list_bin().experiments] == [experiment]
    assert {one.name for one in storage.list_bin().datasets} == {"Number 1", "Number 2", "His"}
    storage.set_limits(mia.actor.user_id or 0, {"stored_bytes": taken})
    mia.restore_experiment(experiment)
    assert {one.name for one in mia.list_datasets()} == {"Number 1", "Number 2", "Number 3", "His", "Kept"}


@pytest.mark.parametrize("restore", [Storage.restore_dataset, Storage.restore_experiment])
def test_the_program_has_room_for_what_comes_back(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, restore: Callable[[Storage, str], object]
) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_LIMITS", "stored_bytes=0")
    sha256 = storage.save_dataset(make_dataset()).sha256
    experiment = storage.create_experiment(make_config({"sha256": sha256})).id
    storage.delete_experiment(experiment)
    storage.delete_dataset(sha256)
    restore(storage, sha256 if restore is Storage.restore_dataset else experiment)
    assert [one.sha256 for one in storage.list_datasets()] == [sha256]


@pytest.mark.parametrize("deed", ["rename", "store", "restore"])
def test_what_a_user_does_while_they_launch_is_done(storage: Storage, url: str, deed: str) -> None:
    ann, mia = sign_in(storage, "Ann"), sign_in(storage, "Mia")
    storage.set_limits(mia.actor.user_id or 0, {"stored_bytes": 10**6, "experiments": 2})
    used, binned = make_dataset(), make_dataset(seed=2)
    for dataset, who in ((used, ann if deed == "store" else mia), (binned, mia)):
        who.save_dataset(dataset)
    gone = mia.create_experiment(make_config({"sha256": used.sha256}, {"sha256": binned.sha256})).id
    mia.delete_experiment(gone)
    mia.delete_dataset(binned.sha256)
    me, doing = get_ident(), list[Future[object]]()

    def do(*told: Any) -> None:
        if told[2].startswith("SELECT users.id") and get_ident() == me and not doing:
            doing.append(threads.submit(deeds[deed]))
            wait(doing, 1)

    with open_storage(url) as opened, ThreadPoolExecutor(1) as threads:
        other = opened.acting_as(mia.actor)
        deeds: dict[str, Callable[[], object]] = {
            "rename": lambda: other.rename_dataset(used.sha256, "Harvest"),
            "store": lambda: other.save_dataset(used),
            "restore": lambda: other.restore_experiment(gone),
        }
        with listening(do, "after_cursor_execute"):
            mia.create_experiment(make_config({"sha256": used.sha256}))
        doing[0].result()
