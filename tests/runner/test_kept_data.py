"""What a worker keeps of data sets, and what it drops first."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from ensembles.data import Dataset, load_dataset, pieces
from ensembles.data.pieces import Assembly, Heading, array_bytes
from runner.worker_process.kept_data import KeptData, NoRoom, NotWhole

IRIS, WINE, GLASS = map(load_dataset, ("iris", "wine", "glass"))


class Clock:
    """A clock that goes on by one at each look."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def give(kept: KeptData, run: str, *datasets: Dataset) -> None:
    for dataset in datasets:
        for sha256 in kept.lacking(run, [dataset.sha256]):
            assert sha256 == dataset.sha256
            heading = Heading.of(dataset)
            kept.add(run, heading, 0, heading.cut(dataset, 0))


def held(kept: KeptData) -> list[Dataset]:
    found = []
    for each in (IRIS, WINE, GLASS):
        with suppress(NotWhole):
            kept.get(each.sha256, each.name)
            found.append(each)
    return found


def test_what_is_here_is_lacking_to_nobody_and_bears_the_name_it_is_asked_for(clock: Clock) -> None:
    kept = KeptData(clock=clock)
    give(kept, "first", IRIS)
    assert kept.lacking("second", [IRIS.sha256, WINE.sha256]) == [WINE.sha256]
    assert (kept.n_bytes, kept.n_bytes_ever) == (array_bytes(IRIS), array_bytes(IRIS))
    same, renamed = kept.get(IRIS.sha256, IRIS.name), kept.get(IRIS.sha256, "Flowers")
    assert (same.name, renamed.name) == ("Iris", "Flowers")
    assert renamed.table is same.table


def test_the_least_recently_used_is_dropped_past_the_limit_and_nothing_in_use(clock: Clock) -> None:
    kept = KeptData(most_kept=array_bytes(IRIS) + array_bytes(WINE) + array_bytes(GLASS) - 1, clock=clock)
    give(kept, "first", IRIS, WINE)
    give(kept, "second", IRIS)
    kept.release("first")
    assert kept.n_bytes == array_bytes(IRIS) + array_bytes(WINE), "within the limit all stay"
    give(kept, "third", GLASS)
    assert held(kept) == [IRIS, GLASS], "the second run uses one of them"
    give(kept, "fourth", WINE)
    assert held(kept) == [IRIS, WINE, GLASS], "all are in use, whatever the limit says"
    for run in ("fourth", "second", "third"):
        kept.release(run)
    assert held(kept) == [IRIS, GLASS], "the first that nobody used made room"
    kept.most_kept = array_bytes(WINE) + array_bytes(GLASS)
    give(kept, "fifth", WINE)
    assert held(kept) == [WINE, GLASS]
    kept.release("fifth")
    kept.most_kept = array_bytes(WINE)
    kept.release("fifth")
    assert held(kept) == [WINE], "the other one was used before"


def test_what_a_run_used_that_was_forgotten_may_go(clock: Clock) -> None:
    kept = KeptData(most_kept=array_bytes(IRIS), clock=clock)
    give(kept, "dead", IRIS)
    give(kept, "alive", WINE)
    clock.now += 1700.0
    kept.hear("alive")
    clock.now += 200.0
    give(kept, "new", GLASS)
    assert held(kept) == [WINE, GLASS]
    assert [kept.knows(run) for run in ("dead", "alive", "new")] == [False, True, True]


def test_more_than_a_worker_may_hold_is_refused_with_the_numbers(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runner.worker_process.kept_data._MIB", 1.0)
    kept = KeptData(most_kept=0.0, most_used=10_000.0, clock=clock)
    give(kept, "run", IRIS)
    with pytest.raises(
        NoRoom, match=r"^data set 'Wine': takes 19,936 MiB, where a worker may hold 10,000 MiB and other "
    ):
        give(kept, "run", WINE)
    assert held(kept) == [IRIS]


def test_a_damaged_piece_makes_the_data_set_come_again(clock: Clock) -> None:
    kept, heading = KeptData(clock=clock), Heading.of(IRIS)
    with pytest.raises(NotWhole, match=r"^data set 'Iris', sent in 1 pieces: piece 1 is damaged$"):
        kept.add("run", heading, 0, b"nonsense")
    with pytest.raises(NotWhole, match=r"^data set 'Iris': has not come to this worker$"):
        kept.get(IRIS.sha256, "Iris")
    give(kept, "run", IRIS)
    assert kept.get(IRIS.sha256, "Iris").sha256 == IRIS.sha256


def test_a_missing_piece_is_told(clock: Clock) -> None:
    kept, heading = KeptData(clock=clock), Heading.of(IRIS, piece_bytes=array_bytes(IRIS) // 3)
    kept.add("run", heading, 1, heading.cut(IRIS, 1))
    assert kept.lacking("run", [IRIS.sha256]) == [IRIS.sha256]
    with pytest.raises(NotWhole, match=r"^data set 'Iris', sent in \d pieces: piece 1 is missing$"):
        kept.get(IRIS.sha256, "Iris")


@pytest.mark.parametrize("place", ["__init__", "add"])
def test_the_data_set_that_a_process_has_no_room_for_is_named(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def have_no_room(*_: object) -> None:
        raise MemoryError

    changed: Callable[..., None] = have_no_room
    monkeypatch.setattr(pieces.Room if place == "__init__" else Assembly, place, changed)
    with pytest.raises(NoRoom, match=r"^data set 'Iris': no memory is left for it$"):
        give(KeptData(clock=clock), "run", IRIS)
