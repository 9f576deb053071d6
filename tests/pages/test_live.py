"""What changes while people look at it: shared answers, and what stalls is called so."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier

import pytest

from ensembles.reports import formatting
from pages.parts.experiment_rows import progress_words, share_done
from pages.parts.shared import _MOST_QUESTIONS, Shared
from storage import Storage
from tests.pages.conftest import ROOT, OpenPage
from tests.pages.made_up import tiny_config


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_thirty_who_ask_at_once_cost_as_much_as_one() -> None:
    asked: list[str] = []
    begin = Barrier(30)
    shared = Shared(1.0, Clock())

    def ask() -> str:
        asked.append("once")
        time.sleep(0.05)
        return "the list"

    def session(_: int) -> str:
        begin.wait()
        return shared.get("list", ask)

    with ThreadPoolExecutor(30) as sessions:
        assert set(sessions.map(session, range(30))) == {"the list"}
    assert asked == ["once"]


def test_an_answer_is_kept_for_a_second_and_no_longer() -> None:
    clock = Clock()
    shared = Shared(1.0, clock)
    answers = iter("abcdef")
    assert shared.get("x", answers.__next__) == "a"
    clock.seconds += 0.9
    assert shared.get("x", answers.__next__) == "a"
    assert shared.get("y", answers.__next__) == "b"
    clock.seconds += 0.1
    assert shared.get("x", answers.__next__) == "c"
    shared.clear()
    assert shared.get("x", answers.__next__) == "d"


def test_an_error_is_nobody_elses_answer() -> None:
    shared = Shared(1.0, Clock())
    with pytest.raises(ZeroDivisionError):
        shared.get("x", lambda: 1 / 0)
    assert shared.get("x", lambda: 1.0) == 1.0


def test_many_questions_do_not_fill_the_memory() -> None:
    shared = Shared(1.0, Clock())
    for number in range(2_000):
        shared.get(number, lambda: 0)
    assert len(shared._answers) <= _MOST_QUESTIONS


def test_the_garbage_of_the_whole_program_is_not_collected_at_each_run_of_a_page() -> None:
    assert "\npostScriptGC = false\n" in (ROOT / ".streamlit" / "config.toml").read_text()


def stalled(storage: Storage) -> str:
    """Return the id of an experiment whose runner was never heard again."""
    return storage.create_experiment(tiny_config("Stalls"), n_trials=10, runner="silent", lease_seconds=0.0).id


@pytest.mark.parametrize("page", ["home.py", "experiments.py", "results.py"])
def test_an_experiment_whose_worker_is_silent_is_called_stalled(
    open_page: OpenPage, storage: Storage, page: str
) -> None:
    experiment = stalled(storage)
    query = {"experiment": experiment} if page == "results.py" else {}
    app = open_page(page, **query)
    shown = " ".join(element.value for element in app.markdown) + str([one.proto for one in app.get("progress")])
    assert "Stalled" in shown
    assert "Running" not in shown
    assert "nothing heard from its worker since today" in str([one.proto for one in app.get("progress")])


def test_no_time_is_left_where_nobody_works(storage: Storage) -> None:
    storage.heartbeat(stalled(storage), "silent", lease_seconds=1000.0, total=10, seconds_left=19.0)
    [record] = storage.list_experiments()
    assert progress_words(record) == "0 of 10 trials · about 19 s left"
    silent = replace(record, silent_since=datetime(2026, 1, 1, 9, 41, tzinfo=UTC))
    assert progress_words(silent).startswith("0 of 10 trials · nothing heard from its worker since 1 Jan")
    assert "left" not in progress_words(silent)


def test_one_long_stream_is_as_far_as_its_time(storage: Storage) -> None:
    experiment = storage.create_experiment(
        tiny_config("Streams"), n_trials=10, runner="at work", lease_seconds=1000.0
    ).id
    storage.heartbeat(experiment, "at work", lease_seconds=1000.0, total=10, seconds_left=90.0)
    record = storage.get_experiment(experiment)
    assert record.started is not None
    now = record.started + timedelta(seconds=30)
    assert share_done(record, now) == 0.25
    assert share_done(replace(record, seconds=60.0), now) == 0.5, "what it ran before a pause counts"
    assert share_done(replace(record, done=4), now) == 0.4
    assert share_done(replace(record, seconds_left=None), now) == 0.0
    assert share_done(record, record.started - timedelta(seconds=9)) == 0.0, "the clock of the database is another one"


def test_what_is_paused_is_as_far_as_it_came(storage: Storage) -> None:
    experiment = storage.create_experiment(tiny_config("Paused"), n_trials=1, runner="me", lease_seconds=1000.0).id
    storage.heartbeat(experiment, "me", lease_seconds=1000.0, total=1, seconds_left=1.0)
    storage.pause_experiment(experiment)
    storage.release(experiment, "me")
    paused = replace(storage.get_experiment(experiment), seconds=3.0)
    assert (paused.state, paused.seconds_left) == ("waiting", 1.0)
    assert share_done(paused, datetime.now(UTC)) == 0.75
    assert share_done(replace(paused, seconds=None), datetime.now(UTC)) == 0.0


def test_what_is_wrong_with_the_database_is_said_where_an_experiment_stalls(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.keeping.health._LEAST_FREE_BYTES", 2**80)
    stalled(storage)
    [record] = storage.list_experiments()
    assert "the disk of the database must have" in progress_words(record).replace("\\", "")
    assert "Stalls: stands still" not in progress_words(record)


def test_an_experiment_that_runs_again_does_not_show_the_time_before_as_its_time(
    open_page: OpenPage, storage: Storage
) -> None:
    record = storage.create_experiment(tiny_config(), n_trials=4, runner="me", lease_seconds=60.0)
    storage.release(record.id, "me")
    took = formatting.seconds(storage.get_experiment(record.id).seconds or 0.0)

    def times() -> int:
        return sum(text.value.replace("\\", "").startswith(took) for text in open_page("experiments.py").markdown)

    assert times() == 1
    storage.claim_experiment("me", lease_seconds=60.0)
    assert storage.get_experiment(record.id).state == "running"
    assert times() == 0


def test_admin_says_what_to_do_where_no_runner_is_there(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.create_experiment(tiny_config())
    monkeypatch.setattr("storage.keeping.health._UNTIL_A_RUNNER_IS_HEARD", timedelta(seconds=-1))
    app = open_page("admin.py")
    assert "no runner is there" in app.warning[0].value
    assert any("can start a worker: `python -m runner worker`" in caption.value for caption in app.caption)
