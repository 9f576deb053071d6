"""Leases: who may run an experiment, and who takes it over."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from unittest.mock import Mock

import pytest
from sqlalchemy import literal

from ensembles.errors import NotFound, StorageError
from storage import Storage, open_storage
from storage.columns import UTCDateTime
from storage.database import Database
from storage.running import leases, silence
from storage.running.silence import AwakeClock
from tests.storage.conftest import Clock, make_config
from tests.storage.made_up import HOURS, LONG, claim_from_the_silent, launch


def test_runners_that_claim_at_once_never_share_an_experiment(storage: Storage) -> None:
    launched = {launch(storage).id for _ in range(10)}
    with ThreadPoolExecutor(5) as threads:
        claimed = list(threads.map(lambda number: storage.claim_experiment(f"runner {number}", LONG), range(30)))
    ids = [record.id for record in claimed if record is not None]
    assert sorted(ids) == sorted(launched)


def test_an_experiment_whose_runner_went_silent_goes_to_another(storage: Storage, clock: Clock) -> None:
    record = launch(storage)
    storage.claim_experiment("first", LONG)
    taken = claim_from_the_silent(storage, clock, "second")
    assert taken is not None
    assert taken.id == record.id
    assert storage.heartbeat(record.id, "first") == "lost", "the first must notice that it lost it"
    assert storage.finish(record.id, "finished", runner="first") is False
    assert storage.heartbeat(record.id, "second") == "held"
    assert storage.get_experiment(record.id).state == "running"


def test_a_heartbeat_keeps_the_lease_and_reports(storage: Storage, clock: Clock) -> None:
    record = launch(storage)
    storage.claim_experiment("runner", LONG)
    assert storage.claim_experiment("thief", LONG) is None
    clock.seconds += LONG
    assert storage.heartbeat(record.id, "runner", lease_seconds=LONG, total=12, seconds_left=3.5) == "held"
    assert storage.claim_experiment("thief", LONG) is None
    now = storage.get_experiment(record.id)
    assert (now.total, now.seconds_left) == (12, 3.5)


@pytest.mark.parametrize("jump", [-HOURS, HOURS])
def test_a_dead_runner_keeps_nothing_whichever_way_the_clock_is_set(
    storage: Storage, clock: Clock, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    record = launch(storage)
    storage.claim_experiment("dead", LONG)
    set_clock(monkeypatch, jump)
    taken = claim_from_the_silent(storage, clock, "second")
    assert taken is not None
    assert taken.id == record.id


@pytest.mark.parametrize("jump", [-HOURS, HOURS])
def test_a_living_runner_keeps_its_experiment_whichever_way_the_clock_is_set(
    storage: Storage, clock: Clock, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    record = launch(storage)
    storage.claim_experiment("living", LONG)
    for _ in range(3):
        set_clock(monkeypatch, jump)
        assert storage.claim_experiment("thief", LONG) is None
        assert storage.take_experiment(record.id, "thief", LONG) is None
        clock.seconds += 0.75 * LONG
        assert storage.heartbeat(record.id, "living", lease_seconds=LONG) == "held"
        jump *= 2


def test_who_comes_back_with_the_database_is_heard_before_others_take_what_it_has(
    storage: Storage, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.storage.AwakeClock", partial(AwakeClock, clock))
    record = launch(storage)
    storage.claim_experiment("living", 10.0)
    with open_storage(storage.url) as other:
        assert other.claim_experiment("thief", 10.0) is None
        clock.seconds += 60.0  # nobody could look
        assert other.claim_experiment("thief", 10.0) is None
        storage.heartbeat(record.id, "living")
        for _ in range(6):
            clock.seconds += 1.9
            assert other.claim_experiment("thief", 10.0) is None
        clock.seconds += 1.9
        assert other.claim_experiment("thief", 10.0) is not None, "it was watched in vain for ten seconds"


@pytest.mark.parametrize("how", ["refused", "made to wait"])
def test_who_could_not_write_takes_nothing_from_others_who_could_not_either(
    storage: Storage, clock: Clock, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    launch(storage)
    storage.claim_experiment("living", LONG)
    assert storage.claim_experiment("thief", LONG) is None
    clock.seconds += LONG
    with monkeypatch.context() as meanwhile:
        if how == "refused":
            meanwhile.setattr(leases, "acquire_lease", Mock(side_effect=StorageError("the disk is full")))
            with pytest.raises(StorageError):
                storage.claim_experiment("thief", LONG)
        else:
            meanwhile.setattr(silence, "_LONGEST_WAIT", -1.0)
            assert storage.claim_experiment("thief", LONG) is None
    assert claim_from_the_silent(storage, clock, "thief") is not None, "it was not heard either from then on"


def set_clock(monkeypatch: pytest.MonkeyPatch, jump: timedelta) -> None:
    """Set the clock of the database forward or back."""
    monkeypatch.setattr(Database, "moment", lambda _: literal(datetime.now(UTC) + jump, UTCDateTime()))


def test_who_comes_back_gets_what_it_held(storage: Storage, clock: Clock) -> None:
    record = launch(storage)
    storage.claim_experiment("me", LONG)
    for claim in (storage.claim_experiment, partial(storage.take_experiment, record.id)):
        again = claim("me", LONG)
        assert again is not None
        assert again.id == record.id
    assert claim_from_the_silent(storage, clock, "other") is not None
    assert storage.claim_experiment("me", LONG) is None


def test_one_experiment_is_taken_if_it_is_free(storage: Storage, clock: Clock) -> None:
    oldest, wanted = launch(storage), launch(storage)
    taken = storage.take_experiment(wanted.id, "me", LONG)
    assert taken is not None
    assert (taken.id, taken.state) == (wanted.id, "running")
    assert storage.take_experiment(wanted.id, "other", LONG) is None
    clock.seconds += LONG
    assert storage.take_experiment(wanted.id, "other", LONG) is not None
    storage.finish(wanted.id, "finished", runner="other")
    assert storage.take_experiment(wanted.id, "me", LONG) is None
    assert storage.get_experiment(oldest.id).state == "waiting"
    with pytest.raises(NotFound, match="there is no experiment 'nowhere'"):
        storage.take_experiment("nowhere", "me", LONG)


def test_an_experiment_can_be_created_in_the_hands_of_its_runner(storage: Storage) -> None:
    record = storage.create_experiment(make_config(), runner="me", lease_seconds=LONG)
    assert record.state == "running"
    assert storage.claim_experiment("other", LONG) is None
    assert storage.heartbeat(record.id, "me") == "held"
