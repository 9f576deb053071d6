"""Only what nobody uses is deleted, and nothing before somebody says so."""

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import get_ident
from typing import Any

import pytest
from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from ensembles.data import Dataset
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.right_or_wrong import RIGHT_ON_STRETCHES, RIGHT_OR_WRONG
from storage import Storage, open_storage
from storage.models import CurveRow, DatasetRow, ExperimentRow
from tests.storage.conftest import listening, make_config, make_dataset
from tests.storage.people import sign_in
from tests.storage.test_trials import plan_of, result_of

AGE = timedelta(days=90)


def run(storage: Storage, name: str, *, days: int, state: str = "finished", starred: bool = False) -> str:
    """Store an experiment with 3 trials that ended so many days ago; each has a curve of 2 times 24 bytes."""
    record = storage.create_experiment(make_config(name=name), runner="r", lease_seconds=60.0)
    storage.save_trials(record.id, [(plan_of(n), result_of(plan_of(n))) for n in range(3)])
    storage.finish(record.id, "finished", runner="r")
    with storage._database.session(writes=True) as session:
        ended = storage._database.now(session) - timedelta(days=days)
        change = update(ExperimentRow).where(ExperimentRow.public_id == record.id)
        session.execute(change.values(finished=ended, state=state, starred=starred))
    return record.id


def test_curves_of_old_experiments_go_and_their_other_results_stay(storage: Storage) -> None:
    old = run(storage, "Old", days=91)
    kept = [
        run(storage, "New", days=89),
        run(storage, "Dear", days=91, starred=True),
        run(storage, "Again", days=91, state="running"),
    ]
    before = storage.load_results(old).trials
    assert storage.find_unused(AGE).curves == ((old, "Old", 144),)
    assert storage.delete_old_curves(AGE) == 1
    assert storage.find_unused(AGE).curves == ()
    assert storage.delete_old_curves(AGE) == 0
    results = storage.load_results(old)
    assert results.curves.empty
    assert results.trials.equals(before)
    assert all(len(storage.load_results(one).curves) > 0 for one in kept)


def test_only_curves_that_were_deleted_are_said_to_be(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    old = [run(storage, name, days=91) for name in ("Old", "Dear")]
    opened: list[object] = []
    session = storage._database.session

    def star_between(**settings: bool) -> AbstractContextManager[Session]:
        opened.append(settings)
        if len(opened) == 2:  # after the old ones were found
            monkeypatch.undo()
            storage.mark_experiments([old[1]], starred=True)
        return session(**settings)

    monkeypatch.setattr(storage._database, "session", star_between)
    assert storage.delete_old_curves(AGE) == 1
    assert len(storage.load_results(old[1]).curves) > 0
    assert [one.subject for one in storage.list_audit() if one.action == "curves deleted"] == [old[0]]


def test_what_significance_of_streams_is_told_by_stays(storage: Storage) -> None:
    old = run(storage, "Old", days=91)
    kept = {RIGHT_OR_WRONG: Curve((0.0, 2.0), (1.0, 0.0)), RIGHT_ON_STRETCHES: Curve((0.0, 9.0), (7.0, 0.0))}
    stream = plan_of(3)
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveRow))
    storage.save_trials(old, [(stream, replace(result_of(stream), curves={**kept, "drawn": Curve((1.0,), (0.5,))}))])
    assert storage.find_unused(AGE).curves == ((old, "Old", 16),)
    assert storage.delete_old_curves(AGE) == 1
    (found,) = [result.curves for plan, result in storage.list_trials(old) if plan.key == stream.key]
    assert found == kept
    assert storage.find_unused(AGE).curves == ()
    assert storage.delete_old_curves(AGE) == 0


def test_data_sets_go_when_no_experiment_needs_them(storage: Storage, dataset: Dataset) -> None:
    idle = [storage.save_dataset(make_dataset(f"Idle {number}", seed=number)) for number in range(2, 4)]
    new = storage.save_dataset(make_dataset("New", seed=9))
    used = storage.save_dataset(dataset)
    storage.create_experiment(make_config({"sha256": used.sha256}))
    with storage._database.session(writes=True) as session:
        long_ago = storage._database.now(session) - timedelta(days=91)
        session.execute(update(DatasetRow).where(DatasetRow.sha256 != new.sha256).values(created=long_ago))
    found = storage.find_unused(AGE)
    assert {(sha256, name) for sha256, name, _ in found.datasets} == {(one.sha256, one.name) for one in idle}
    assert storage.delete_idle_datasets(AGE) == 2
    assert {one.subject for one in storage.list_audit(kind="dataset") if one.action == "deleted for good"} == {
        one.sha256 for one in idle
    }
    assert {one.sha256 for one in storage.list_datasets()} == {new.sha256, used.sha256}
    assert storage.find_unused(AGE).datasets == ()


def age_all(storage: Storage) -> None:
    """Let all data sets have been stored 91 days ago."""
    with storage._database.session(writes=True) as session:
        session.execute(update(DatasetRow).values(created=storage._database.now(session) - timedelta(days=91)))


def test_what_somebody_else_stored_lately_stays(storage: Storage, dataset: Dataset) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    mia.save_dataset(dataset, visibility="private")
    age_all(storage)
    dataset.name = "His"
    bob.save_dataset(dataset, visibility="private")
    assert storage.find_unused(AGE).datasets == ()
    assert storage.delete_idle_datasets(AGE) == 0
    assert [one.name for one in bob.list_datasets()] == ["His"]
    assert storage.delete_idle_datasets(timedelta(0)) == 1


def test_what_is_in_the_bin_stays_there(storage: Storage, dataset: Dataset) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    age_all(storage)
    storage.delete_dataset(sha256)
    assert storage.find_unused(AGE).datasets == ()
    assert storage.delete_idle_datasets(AGE) == 0
    assert storage.restore_dataset(sha256).name == "Fruit"


def test_what_is_stored_while_others_are_deleted_is_there_afterwards(
    storage: Storage, url: str, dataset: Dataset
) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    mia.save_dataset(dataset, visibility="private")
    age_all(storage)
    cleaned = list[Future[int]]()

    def clean(*told: Any) -> None:
        if "INTO dataset_holders" in told[2] and get_ident() == me and not cleaned:
            cleaned.append(other.submit(cleaner.delete_idle_datasets, AGE))
            wait_for(cleaned, 1)

    me = get_ident()
    with open_storage(url) as cleaner, ThreadPoolExecutor(1) as other:
        with listening(clean, "after_cursor_execute"):
            bob.save_dataset(dataset, visibility="private")
        assert cleaned[0].result() == 0
    assert bob.get_dataset(dataset.sha256).sha256 == dataset.sha256


def test_a_file_gives_back_its_room(storage: Storage, tmp_path: Path) -> None:
    for seed in range(3):
        storage.save_dataset(make_dataset(n=20_000, seed=seed))
    assert storage.delete_idle_datasets(timedelta(0)) == 3
    storage.give_back_room()
    assert storage.list_datasets() == []
    if storage.url.startswith("sqlite"):
        assert (tmp_path / "test.sqlite").stat().st_size < 400_000
