"""Experiments outlive a database that is away for a while: nobody wished for their end."""

import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from threading import Event, Thread
from typing import Any

import pytest
from sqlalchemy.orm import Session

from ensembles.errors import StorageError
from ensembles.experiments.records import TrialResult
from runner import carry_on, heartbeat, run_experiment, shift, take_over, worker
from runner.cluster.cluster import Cluster
from runner.command_line import main
from storage import Storage, open_storage
from storage.database import Database
from tests.runner.conftest import Fake, wait_until
from tests.runner.fakes import make_config, make_plans
from tests.storage.postgresql import make_database, own_server

pytestmark = [pytest.mark.xdist_group("cluster"), pytest.mark.usefixtures("one_cluster")]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let leases be short, and nobody wait for long."""
    for module in (heartbeat, run_experiment, carry_on, take_over, worker, shift):
        monkeypatch.setattr(module, "LEASE_SECONDS", 0.6)
    for module in (heartbeat, run_experiment):
        monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.6)
    monkeypatch.setattr(heartbeat, "_BEAT_SECONDS", 0.1)
    monkeypatch.setattr(heartbeat, "_LISTEN_SECONDS", 0.05)
    monkeypatch.setattr(worker, "_PAUSE_SECONDS", 0.05)


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Return an event that takes the database away."""
    is_away, real = Event(), Database.session

    @contextmanager
    def session(self: Database, **settings: Any) -> Iterator[Session]:
        if is_away.is_set():
            raise StorageError("the database cannot be reached")
        with real(self, **settings) as opened:
            yield opened

    monkeypatch.setattr(Database, "session", session)
    return is_away


@pytest.mark.usefixtures("short")
def test_a_worker_that_lost_the_database_goes_on_when_it_is_back(
    storage: Storage, cluster: Cluster, fake: Fake, away: Event, caplog: pytest.LogCaptureFixture
) -> None:
    fake(150, seconds=0.02)
    record, shutdown = storage.create_experiment(make_config()), Event()
    working = Thread(target=worker.keep_working, args=(shutdown, storage, lambda: nullcontext(cluster)))
    with caplog.at_level(logging.WARNING):
        working.start()
        wait_until(lambda: storage.get_experiment(record.id).done > 10, "trials end")
        away.set()
        said = f"experiment {record.id}: lost the database; it goes on when that is back"
        wait_until(lambda: said in caplog.text, "the runner gives up its lease")
        away.clear()
        before = len(storage.finished_keys(record.id))
        wait_until(lambda: storage.get_experiment(record.id).is_final, "the experiment ends")
    shutdown.set()
    working.join()
    last = storage.get_experiment(record.id)
    assert (last.state, last.done, last.failed) == ("finished", 150, 0)
    assert before < 150


def test_a_hiccup_costs_no_trial(
    storage: Storage, cluster: Cluster, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, record = fake(100, seconds=0.01), storage.create_experiment(make_config(), runner="me")
    hiccups, save = list(range(5)), storage.save_trials

    def save_later(*arguments: Any) -> None:
        if hiccups and storage.finished_keys(record.id):
            raise StorageError(f"hiccup {hiccups.pop()}")
        save(*arguments)

    monkeypatch.setattr(storage, "save_trials", save_later)
    run_experiment.run_experiment(storage, cluster, record, "me")
    assert not hiccups
    assert storage.get_experiment(record.id).state == "finished"
    assert set(context.runs().values()) == {1}


@pytest.mark.usefixtures("short")
def test_a_database_that_is_away_for_leases_costs_no_trial(
    storage: Storage, cluster: Cluster, fake: Fake, away: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (heartbeat, run_experiment, shift):
        monkeypatch.setattr(module, "LEASE_SECONDS", 0.05)
    for module in (heartbeat, run_experiment):
        monkeypatch.setattr(module, "PATIENCE_SECONDS", 600.0)
    context, shutdown = fake(60, seconds=0.02), Event()
    record = storage.create_experiment(make_config())
    working = Thread(target=worker.keep_working, args=(shutdown, storage, lambda: nullcontext(cluster)))
    working.start()
    wait_until(lambda: storage.get_experiment(record.id).done > 5, "trials end")
    away.set()
    wait_until(lambda: context.runs().total() == 60, "all trials run, and nobody takes what they bring")
    away.clear()
    wait_until(lambda: storage.get_experiment(record.id).is_final, "the experiment ends")
    shutdown.set()
    working.join()
    assert storage.get_experiment(record.id).done == 60
    assert set(context.runs().values()) == {1}


@pytest.mark.usefixtures("short")
def test_what_waits_for_the_database_has_its_limit(
    storage: Storage, cluster: Cluster, fake: Fake, away: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_experiment, "PATIENCE_SECONDS", 600.0)
    monkeypatch.setattr(heartbeat, "PATIENCE_SECONDS", 600.0)
    monkeypatch.setattr(run_experiment, "_MOST_UNSAVED", 20)
    fake(1000, seconds=0.005)
    record = storage.create_experiment(make_config(), runner="me")
    with ThreadPoolExecutor(1) as other:
        run = other.submit(run_experiment.run_experiment, storage, cluster, record, "me")
        wait_until(lambda: storage.get_experiment(record.id).done > 5, "trials end")
        away.set()
        with pytest.raises(StorageError, match="the database cannot be reached"):
            run.result(timeout=480)
    away.clear()
    assert storage.get_experiment(record.id).state == "running"


@pytest.mark.usefixtures("short")
def test_a_run_survives_a_restart_of_its_server(
    cluster: Cluster, fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    context = fake(150, seconds=0.02)
    with own_server() as server, open_storage(make_database(server.url, "lab")) as storage:
        record = storage.create_experiment(make_config(), runner="me")
        with ThreadPoolExecutor(1) as other:
            run = other.submit(carry_on.carry_on, storage, cluster, record, "me", shutting_down=lambda: False)
            wait_until(lambda: storage.get_experiment(record.id).done > 10, "trials end")
            server.stop()
            said: list[str] = []
            wait_until(lambda: bool(said.append(capsys.readouterr().err) or "".join(said)), "the run says so")
            server.start()
            before = storage.finished_keys(record.id)
            last = run.result(timeout=480)
        assert (last.state, last.done, last.failed) == ("finished", 150, 0)
        assert 10 < len(before) < 150
    [sentence] = "".join(said).splitlines()
    assert sentence.startswith("the database postgresql+psycopg://postgres@127.0.0.1:")
    assert sentence.endswith("; Trial run waits for it and goes on then")
    assert {context.runs()[key] for key in before} == {1}, "what was stored did not run again"


@pytest.mark.usefixtures("short")
def test_a_run_does_not_wait_for_ever(
    storage: Storage, cluster: Cluster, fake: Fake, away: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(1000, seconds=0.02)
    monkeypatch.setattr(carry_on, "_PATIENCE_SECONDS", 0.2)
    record = storage.create_experiment(make_config(), runner="me")
    with ThreadPoolExecutor(1) as other:
        run = other.submit(carry_on.carry_on, storage, cluster, record, "me", shutting_down=lambda: False)
        wait_until(lambda: storage.get_experiment(record.id).done > 10, "trials end")
        away.set()
        with pytest.raises(StorageError, match="the database cannot be reached"):
            run.result(timeout=480)
    away.clear()
    assert storage.get_experiment(record.id).state == "running", "its lease ends, and another runner goes on"


@pytest.mark.usefixtures("short")
def test_a_run_that_lost_its_experiment_to_another_awaits_the_end(
    storage: Storage, cluster: Cluster, fake: Fake
) -> None:
    fake(5000, seconds=0.02)
    record = storage.create_experiment(make_config(), runner="me")
    with ThreadPoolExecutor(1) as other:
        run = other.submit(carry_on.carry_on, storage, cluster, record, "me", shutting_down=lambda: False)
        wait_until(lambda: storage.get_experiment(record.id).done > 10, "trials end")
        storage.release(record.id, "me")
        assert storage.take_experiment(record.id, "other", 60.0) is not None
        storage.finish(record.id, "finished", runner="other")
        assert run.result(timeout=480).state == "finished"


@pytest.mark.parametrize("how", ["cancelled", "waiting", "silent"])
@pytest.mark.usefixtures("short")
def test_an_experiment_that_stands_there_goes_on_with_what_is_missing(
    storage: Storage, url: str, fake: Fake, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    context = fake(20)
    record = storage.create_experiment(make_config(), n_trials=20, runner="dead" if how == "silent" else None)
    done = make_plans(8)
    storage.save_trials(record.id, [(plan, TrialResult(plan.key, measures={"accuracy": 0.0})) for plan in done])
    if how == "cancelled":
        storage.request_cancel(record.id)
    assert main(["run", "--resume", record.id, "--database", url, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["experiment"], printed["state"], printed["trials"]) == (record.id, "finished", 20)
    assert sorted(context.runs()) == [plan.key for plan in make_plans(20)[8:]]
    assert main(["run", "--resume", record.id, "--database", url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "finished"


@pytest.mark.usefixtures("storage")
def test_what_cannot_be_resumed_is_said_in_a_sentence(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--resume", "nowhere", "--database", url]) == 2
    assert capsys.readouterr().err == "there is no experiment 'nowhere'; it may have been deleted\n"
    with pytest.raises(SystemExit, match="2"):
        main(["run", "some.yaml", "--resume", "nowhere"])
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.usefixtures("short")
def test_what_a_living_runner_has_is_not_resumed(
    storage: Storage, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    record = storage.create_experiment(make_config(), runner="living")
    with heartbeat.Heartbeat(storage, "living") as beating, beating.hold(record):
        assert main(["run", "--resume", record.id, "--database", url]) == 2
    assert capsys.readouterr().err == "Trial run: is being run by another program, wait for its end\n"
