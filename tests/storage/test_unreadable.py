"""Experiments that this installation cannot read, of a newer version, say: lists have them, and others are as ever."""

import pytest
from sqlalchemy import text

from ensembles.errors import Conflict, InvalidConfig
from storage import Storage, Wanted
from tests.storage.made_up import LONG, launch

SAID = "this experiment needs a newer version, or learners that are not installed here: "
BASE = f"{SAID}learners[0]: base model unknown here: 'of_tomorrow'"


def launch_of_tomorrow(storage: Storage, old: str = "naive_bayes", new: str = "of_tomorrow") -> str:
    """Launch an experiment with a learner that is not known here."""
    record = launch(storage, "Of tomorrow")
    become_of_tomorrow(storage, record.id, old, new)
    return record.id


def become_of_tomorrow(storage: Storage, experiment: str, old: str = "naive_bayes", new: str = "of_tomorrow") -> None:
    with storage._database.connection() as connection:
        change = text("UPDATE experiments SET config = replace(config, :old, :new) WHERE permalink = :id")
        connection.execute(change, {"old": old, "new": new, "id": experiment})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("naive_bayes", "of_tomorrow", BASE),
        ('"format":3', '"format":99', f"{SAID}format: must be an integer in [1, 3], got 99"),
        ('"seed"', '"mood":1,"seed"', f"{SAID}experiment: unknown field 'mood'"),
        ('"seed"', "seed", f"{SAID}Expecting property name enclosed in double quotes"),
    ],
)
def test_it_is_listed_beside_others_and_says_why_it_cannot_be_opened(
    storage: Storage, old: str, new: str, said: str
) -> None:
    first, strange, last = launch(storage, "First"), launch_of_tomorrow(storage, old, new), launch(storage, "Last")
    for found in (storage.list_experiments(), storage.find_experiments(Wanted())):
        assert [record.id for record in found] == [last.id, strange, first.id]
        assert [record.unreadable is None for record in found] == [True, False, True]
        assert (found[1].name, found[1].state, found[1].readable) == ("Of tomorrow", "waiting", None)
        assert str(found[1].unreadable).startswith(said)
        with pytest.raises(InvalidConfig) as refused:
            _ = found[1].config
        assert str(refused.value) == found[1].unreadable
    for look in (storage.get_experiment, storage.load_results):
        with pytest.raises(InvalidConfig) as refused:
            look(strange)
        assert str(refused.value) == found[1].unreadable


def test_it_can_be_marked_cancelled_and_deleted(storage: Storage) -> None:
    strange, other = launch_of_tomorrow(storage), launch_of_tomorrow(storage)
    assert storage.rename_experiment(strange, "Strange").name == "Strange"
    storage.mark_experiments([strange], starred=True)
    assert storage.pause_experiment(strange).paused
    assert storage.request_cancel(strange).state == "cancelled"
    for experiment in (strange, other):
        storage.delete_experiment(experiment)
    assert storage.list_experiments() == []
    assert [record.unreadable for record in storage.list_bin().experiments] == [BASE] * 2
    assert storage.restore_experiment(strange).unreadable == BASE
    storage.purge_experiment(other)
    assert [record.name for record in storage.list_experiments()] == ["Strange"]


def test_no_runner_of_this_version_waits_for_it(storage: Storage) -> None:
    launch_of_tomorrow(storage)
    assert not storage.is_work_waiting(LONG)
    assert storage.claim_experiment("runner", LONG) is None
    assert storage._is_quiet, "nobody looks for it twice a second"
    ours = launch(storage)
    assert storage.is_work_waiting(LONG)
    claimed = storage.claim_experiment("runner", LONG)
    assert claimed is not None
    assert claimed.id == ours.id
    assert not storage.is_work_waiting(LONG)


def test_its_models_wait_for_a_runner_that_can_read_it(storage: Storage) -> None:
    ours, strange = launch(storage), launch(storage, "Of tomorrow")
    for record in (strange, ours):
        storage.take_experiment(record.id, "newer", LONG)
        storage.request_model(record.id, 0, 0)
    become_of_tomorrow(storage, strange.id)
    claimed = storage.claim_model("runner", LONG)
    assert claimed is not None
    assert claimed.experiment.id == ours.id
    assert storage.claim_model("runner", LONG) is None
    assert not storage.is_work_waiting(LONG)
    become_of_tomorrow(storage, strange.id, "of_tomorrow", "naive_bayes")
    assert [model.state for model in storage.list_models(strange.id)] == ["waiting"]
    assert storage.is_work_waiting(LONG)


def test_its_key_stands_for_no_other_experiment(storage: Storage) -> None:
    config, key = launch(storage).config, "k" * 16
    known = storage.create_experiment(config, launch_key=key)
    with storage._database.connection() as connection:
        connection.execute(text("UPDATE experiments SET config = replace(config, 'naive_bayes', 'of_tomorrow')"))
    with pytest.raises(Conflict, match="each key stands for one experiment"):
        storage.create_experiment(config, launch_key=key)
    assert {record.id for record in storage.list_experiments()} >= {known.id}
