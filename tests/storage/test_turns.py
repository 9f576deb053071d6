"""Who has a turn: the order of those that wait, pauses, and the share of each runner."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import literal, select, update

from ensembles.errors import Forbidden, InvalidInput, NotFound
from storage import Actor, ExperimentRecord, Storage
from storage.columns import UTCDateTime
from storage.database import Database
from storage.models import ExperimentRow
from storage.people.rows import RunnerRow, UserRow
from tests.storage.conftest import Clock
from tests.storage.made_up import LONG, launch


def claim_all(storage: Storage, runner: str = "me") -> list[str]:
    """Claim whatever can be; return the names in the order in which they came."""
    claimed: dict[str, str] = {}
    while record := storage.claim_experiment(runner, LONG, held=claimed):
        claimed[record.id] = record.name
    return list(claimed.values())


def give_to(storage: Storage, record: ExperimentRecord, user: int) -> None:
    with storage._database.session(writes=True) as session:
        if session.get(UserRow, user) is None:
            now = datetime.now(UTC)
            told = {"subject": str(user), "name": str(user), "role": "member", "created": now, "seen": now}
            session.add(UserRow(id=user, **told))
            session.flush()
        session.execute(update(ExperimentRow).where(ExperimentRow.public_id == record.id).values(user_id=user))


def test_of_those_that_wait_users_come_in_turn_and_the_oldest_first(storage: Storage) -> None:
    for name, user in (("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2), ("b2", 2)):
        give_to(storage, launch(storage, name), user)
    assert claim_all(storage) == ["a1", "b1", "a2", "b2", "a3"]


def test_the_highest_priority_comes_first_whoever_it_is_of(storage: Storage) -> None:
    low, plain, high = (launch(storage, name) for name in ("low", "plain", "high"))
    storage.set_priority(low.id, -1)
    assert storage.set_priority(high.id, 2).priority == 2
    give_to(storage, plain, 1)
    assert claim_all(storage) == ["high", "plain", "low"]


def test_who_has_run_waits_behind_who_has_not(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    first = launch(storage, "first")
    storage.claim_experiment("me", LONG)
    set_clock(monkeypatch, 5.0)
    storage.release(first.id, "me")
    launch(storage, "second")
    assert claim_all(storage) == ["second", "first"]


def set_clock(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let so many seconds have passed by the clock of the database."""
    later = timedelta(seconds=seconds)
    monkeypatch.setattr(Database, "moment", lambda _: literal(datetime.now(UTC) + later, UTCDateTime()))


@pytest.mark.parametrize("priority", [3, -3, 1.0, True, "high"])
def test_a_priority_is_a_small_integer(storage: Storage, priority: object) -> None:
    record = launch(storage)
    with pytest.raises(InvalidInput, match=r"priority must be an integer in \[-2, 2\], got "):
        storage.set_priority(record.id, priority)  # type: ignore[arg-type]


def test_only_an_admin_lets_an_experiment_go_before_those_of_others(storage: Storage) -> None:
    record = launch(storage)
    give_to(storage, record, 1)
    member, admin = (storage.acting_as(Actor("user", 1, "Ada", role)) for role in ("member", "admin"))  # type: ignore[arg-type]
    assert member.set_priority(record.id, -2).priority == -2
    with pytest.raises(Forbidden, match=r"only admins, .* may give a priority above 0, got 1"):
        member.set_priority(record.id, 1)
    assert admin.set_priority(record.id, 1).priority == 1


def test_a_runner_hears_of_a_priority_and_of_a_pause(storage: Storage) -> None:
    record = launch(storage)
    storage.claim_experiment("me", LONG)
    storage.set_priority(record.id, 1)
    [told] = storage.heartbeats("me", {record.id: (None, None)}).values()
    assert (told.standing, told.priority) == ("held", 1)
    storage.pause_experiment(record.id)
    assert storage.get_standing(record.id, "me") == "paused"
    assert storage.heartbeat(record.id, "me") == "paused"


def test_one_beat_renews_all_leases_of_a_runner_and_no_others(storage: Storage, clock: Clock) -> None:
    mine, other = [launch(storage) for _ in range(3)], launch(storage)
    for record in mine:
        storage.take_experiment(record.id, "me", LONG)
    storage.take_experiment(other.id, "other", LONG)
    assert storage.claim_experiment("thief", LONG) is None
    clock.seconds += LONG
    reports = {record.id: (place, float(place)) for place, record in enumerate(mine)}
    told = storage.heartbeats("me", {**reports, other.id: (99, 99.0), "nowhere": (None, None)}, lease_seconds=LONG)
    assert {key: one.standing for key, one in told.items()} == {
        **{record.id: "held" for record in mine},
        other.id: "lost",
        "nowhere": "lost",
    }
    taken = storage.claim_experiment("thief", LONG)
    assert taken is not None
    assert (taken.id, taken.total) == (other.id, 8)
    assert [storage.get_experiment(record.id).total for record in mine] == [0, 1, 2]


def test_a_paused_experiment_is_left_alone_until_it_is_resumed(storage: Storage) -> None:
    record = launch(storage)
    assert storage.pause_experiment(record.id).paused
    assert not storage.is_work_waiting(LONG)
    assert storage.claim_experiment("me", LONG) is None
    assert storage.take_experiment(record.id, "me", LONG) is None
    assert not storage.resume_experiment(record.id).paused
    assert storage.is_work_waiting(LONG)
    assert storage.claim_experiment("me", LONG) is not None
    with pytest.raises(NotFound):
        storage.pause_experiment("nowhere")


def test_a_pause_is_no_time_of_running(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    record = launch(storage)
    storage.claim_experiment("me", LONG)
    set_clock(monkeypatch, 10.0)
    storage.pause_experiment(record.id)
    storage.release(record.id, "me")
    then = storage.get_experiment(record.id)
    assert (then.state, then.paused, then.started) == ("waiting", True, None)
    assert then.seconds == pytest.approx(10.0, abs=2.0)
    set_clock(monkeypatch, 1000.0)
    storage.resume_experiment(record.id)
    storage.claim_experiment("me", LONG)
    set_clock(monkeypatch, 1005.0)
    storage.finish(record.id, "finished", runner="me")
    last = storage.get_experiment(record.id)
    assert last.seconds == pytest.approx(15.0, abs=3.0)
    assert last.started is not None


def test_the_silence_of_a_dead_runner_is_no_time_of_running(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    record = launch(storage)
    storage.claim_experiment("dead", 10.0)
    set_clock(monkeypatch, 1000.0)
    assert storage.take_experiment(record.id, "me", 0.0) is not None
    storage.finish(record.id, "finished", runner="me")
    assert storage.get_experiment(record.id).seconds == pytest.approx(10.0, abs=2.0)


def test_a_pause_of_what_a_dead_runner_held_needs_no_runner(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    record = launch(storage)
    storage.claim_experiment("dead", 10.0)
    set_clock(monkeypatch, 1000.0)
    assert storage.pause_experiment(record.id).state == "waiting"
    assert not storage.is_work_waiting(0.0)


def test_a_paused_experiment_can_be_cancelled_and_deleted_and_is_not_paused_when_over(storage: Storage) -> None:
    cancelled, deleted = launch(storage), launch(storage)
    for record in (cancelled, deleted):
        storage.pause_experiment(record.id)
    over = storage.request_cancel(cancelled.id)
    assert (over.state, over.paused) == ("cancelled", False)
    assert storage.pause_experiment(cancelled.id).paused is False
    storage.delete_experiment(deleted.id)
    assert storage.reopen_experiment(cancelled.id).state == "waiting"
    assert storage.claim_experiment("me", LONG) is not None


def test_runners_are_told_with_what_they_hold_while_they_are_heard(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = launch(storage)
    storage.claim_experiment("one", LONG)
    assert not storage.has_runners()
    storage.heartbeats("one", {record.id: (None, None)}, presence=(2, 1))
    assert storage.has_runners()
    storage.heartbeats("one", {record.id: (None, None)}, presence=(4, 3))
    storage.heartbeats("two", {}, presence=(8, 0))
    told = [(one.name, one.workers, one.busy, one.experiments) for one in storage.list_runners()]
    assert told == [("one", 4, 3, 1), ("two", 8, 0, 0)]
    storage.remove_runner("one")
    assert [one.name for one in storage.list_runners()] == ["two"]
    set_clock(monkeypatch, 1000.0)
    assert storage.list_runners() == []
    assert not storage.has_runners()


def test_each_runner_takes_its_share_and_more_only_after_a_while(storage: Storage, clock: Clock) -> None:
    storage.heartbeats("small", {}, presence=(2, 0))
    storage.heartbeats("large", {}, presence=(6, 0))
    for place in range(8):
        launch(storage, str(place))
    assert len(claim_all(storage, "small")) == 2
    assert len(claim_all(storage, "large")) == 6
    storage.remove_runner("large")
    more = [launch(storage, str(place)) for place in range(4)]
    storage.heartbeats("large", {}, presence=(6, 0))
    mine = [record.id for record in storage.list_experiments() if storage.get_standing(record.id, "small") == "held"]
    held = [*mine, "another", "and another"]
    assert storage.claim_experiment("small", LONG, held=held, has_idle_workers=False) is None
    clock.seconds += 2.0
    assert storage.claim_experiment("small", LONG, held=held, has_idle_workers=False) is None
    taken = storage.claim_experiment("small", LONG, held=held, has_idle_workers=True)
    assert taken is not None, "nothing waits for long while a runner has idle workers"
    assert taken.id == more[0].id
    held.append(taken.id)
    clock.seconds += 5.0
    assert storage.claim_experiment("small", LONG, held=held, has_idle_workers=False) is not None


def test_a_dead_runner_is_not_counted_for_as_long_as_the_clock_was_set_back(storage: Storage) -> None:
    for name in ("dead", "long dead", "living"):
        storage.heartbeats(name, {}, presence=(2, 0))
    set_back = {"dead": timedelta(hours=1), "long dead": timedelta(days=2)}  # since these were heard
    with storage._database.session(writes=True) as session:
        now = storage._database.now(session)
        for name, by in set_back.items():
            session.execute(update(RunnerRow).where(RunnerRow.name == name).values(seen=now + by))
    assert [runner.name for runner in storage.list_runners()] == ["living"]
    storage.heartbeats("living", {}, presence=(2, 0))
    with storage._database.session() as session:
        assert sorted(session.scalars(select(RunnerRow.name))) == ["dead", "living"]
    storage.remove_runner("living")
    assert not storage.has_runners()
