"""Strike a running experiment at random for minutes, and see that nothing is lost, repeated or changed.

    python -m tests.chaos [--backend sqlite|postgresql] [--trials 6000] [--pause 20] [--blows 1] [--seed 1]

Two runners and a web server, with a worker of its own, share a database. Blows hit who is at the experiment: a process
that runs trials or the whole runner with SIGKILL; or the runner sleeps until another one has taken over. The web server is
killed, and PostgreSQL stopped for longer than a lease. Every kind of blow must strike at least once. At the end every
trial must be there once, the ones that were stored must not have run again, and the numbers must be those of a run that
nobody disturbed.
"""

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import select

from ensembles.experiments.config import ExperimentConfig
from runner.heartbeat import LEASE_SECONDS
from storage import Storage, open_storage
from storage.database import Database
from storage.location import database_url
from storage.models import ExperimentRow
from tests.runner.conftest import children_of, is_running, wait_until
from tests.storage.postgresql import Server, make_database, own_server

_ROOT = Path(__file__).resolve().parents[1]
_LONGEST_SECONDS = 3600.0
_PATIENCE_SECONDS = 180.0


class Missed(Exception):
    """The blow did not strike."""


class Runners:
    """Runners on one database, each in a process of its own."""

    def __init__(self, url: str, home: Path, n: int, *, with_web: bool = False) -> None:
        home.mkdir(exist_ok=True)
        self._home = home
        # The address by the environment, as a password belongs there.
        self._environment = {
            **os.environ,
            "DATABASE_URL": url,
            "ENSEMBLE_LAB_HOME": str(home),
            "ENSEMBLE_LAB_WARM": "0",
        }
        self._workers = [self._start_worker() for _ in range(n)]
        self._web = self._start_web() if with_web else None

    def kill(self, pid: int) -> None:
        """Kill a runner; another one takes its place. The web server looks after its own one."""
        mine = [worker for worker in self._workers if worker.pid == pid]
        family = children_of(pid)
        os.kill(pid, signal.SIGKILL)
        for worker in mine:
            worker.wait()
            self._workers[self._workers.index(worker)] = self._start_worker()
        wait_until(lambda: not any(map(is_running, family)), "the processes of a killed runner end", _PATIENCE_SECONDS)

    def kill_web(self) -> None:
        """Kill the web server and start it again."""
        assert self._web is not None
        _end(self._web)
        self._web = self._start_web()

    def end(self) -> None:
        """End all of them."""
        for process in filter(None, (*self._workers, self._web)):
            _end(process)

    def _start_worker(self) -> subprocess.Popen[bytes]:
        return self._start("runner", "worker", "--workers", "2")

    def _start_web(self) -> subprocess.Popen[bytes]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        return self._start("streamlit", "run", "app.py", "--server.port", str(port), "--server.headless", "true")

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        with (self._home / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=_ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )


def _end(process: subprocess.Popen[bytes]) -> None:
    family = children_of(process.pid)
    process.kill()
    process.wait()
    wait_until(lambda: not any(map(is_running, family)), "the processes of a killed one end", _PATIENCE_SECONDS)


class Chaos:
    """Somebody who strikes at those who run an experiment."""

    def __init__(
        self, storage: Storage, experiment_id: str, runners: Runners, server: Server | None, rng: random.Random
    ) -> None:
        self._storage, self._id, self._runners, self._server, self._rng = storage, experiment_id, runners, server, rng
        self._database = Database(database_url(storage.url))
        self.blows = dict.fromkeys(("worker", "runner", "sleep", "web", *(["database"] if server else [])), 0)

    def strike(self) -> None:
        """Do one bad thing, of a kind that has struck least so far; raise `Missed` when it did not strike."""
        least = min(self.blows.values())
        kind = self._rng.choice([kind for kind, struck in self.blows.items() if struck == least])
        getattr(self, f"_strike_{kind}")()
        self.blows[kind] += 1

    def _strike_worker(self) -> None:
        runner = self._holder()
        wait_until(lambda: bool(children_of(runner)) or not is_running(runner), "a runner has processes")
        for pid in self._rng.sample(sorted(children_of(runner)), k=1):
            os.kill(pid, signal.SIGKILL)

    def _strike_runner(self) -> None:
        self._runners.kill(self._holder())

    def _strike_sleep(self) -> None:
        sleeper, deadline = self._holder(), time.monotonic() + 4 * LEASE_SECONDS
        os.kill(sleeper, signal.SIGSTOP)
        try:
            while self._find_holder() in {sleeper, None} and not self._is_over():
                if time.monotonic() > deadline:
                    raise Missed  # it fell asleep while it wrote, and holds the lock of the SQLite file
                time.sleep(0.2)
        finally:
            os.kill(sleeper, signal.SIGCONT)

    def _strike_web(self) -> None:
        self._runners.kill_web()

    def _strike_database(self) -> None:
        assert self._server is not None
        self._server.stop()
        time.sleep(1.5 * LEASE_SECONDS)
        self._server.start()

    def _is_over(self) -> bool:
        return self._storage.get_experiment(self._id).is_final

    def _holder(self) -> int:
        wait_until(lambda: self._find_holder() is not None or self._is_over(), "somebody is at it", _PATIENCE_SECONDS)
        holder = self._find_holder()
        if holder is None:
            raise Missed
        return holder

    def _find_holder(self) -> int | None:
        """Return the process that holds the experiment, if there is one that lives."""
        with self._database.session() as session:
            runner = session.scalars(select(ExperimentRow.runner).where(ExperimentRow.public_id == self._id)).one()
        pid = int(runner.split(":")[-2]) if runner else 0
        return pid if pid and is_running(pid) else None


def config_of(n_trials: int) -> ExperimentConfig:
    """Return an experiment with about `n_trials` short trials."""
    return ExperimentConfig.from_dict(
        {
            "name": "Chaos",
            "datasets": ["iris", "wine"],
            "learners": [
                {"method": "single", "base": "naive_bayes"},
                {"method": "online_boosting", "base": "naive_bayes", "n_estimators": 20},
                {"method": "adaboost", "base": "decision_stump", "n_estimators": 20},
            ],
            "protocol": {"kind": "cross_validation", "repeats": max(1, n_trials // 30), "folds": 5, "orders": 1},
            "curves": ["learning_curve"],
        }
    )


def run_in_peace(storage: Storage, home: Path, config: ExperimentConfig) -> str:
    """Run an experiment with one runner that nobody disturbs."""
    record = storage.create_experiment(config)
    runners = Runners(storage.url, home, 1)
    try:
        wait_until(lambda: storage.get_experiment(record.id).is_final, "the quiet run ends", _LONGEST_SECONDS)
    finally:
        runners.end()
    return record.id


def run_in_chaos(
    storage: Storage, home: Path, wanted: argparse.Namespace, server: Server | None, rng: random.Random
) -> str:
    """Run an experiment under blows; check after each that nothing stored has changed, at the end that all struck."""
    record = storage.create_experiment(config_of(wanted.trials))
    runners = Runners(storage.url, home, 2, with_web=True)
    chaos, stored = Chaos(storage, record.id, runners, server, rng), dict[str, float]()
    deadline = time.monotonic() + _LONGEST_SECONDS
    try:
        while not storage.get_experiment(record.id).is_final:
            assert time.monotonic() < deadline, "the experiment does not come to its end"
            time.sleep(wanted.pause * rng.random())
            if storage.get_experiment(record.id).done == len(stored) or min(chaos.blows.values()) >= wanted.blows:
                continue  # who has not got up from the last blow is not struck again
            with suppress(Missed):
                chaos.strike()
            now = seconds_of(storage, record.id)
            changed = [key for key, seconds in stored.items() if now.get(key) != seconds]
            assert not changed, f"{len(changed)} trials that were stored were lost or ran again"
            stored = now
            print(f"{len(stored):,} trials, blows {chaos.blows}", flush=True)
    finally:
        runners.end()
    assert all(chaos.blows.values()), f"every kind of blow must strike, got {chaos.blows}; give it more --trials"
    return record.id


def seconds_of(storage: Storage, experiment_id: str) -> dict[str, float]:
    """Return the fit seconds of each trial: they tell whether it ran again."""
    return {plan.key: result.fit_seconds for plan, result in storage.list_trials(experiment_id, limit=1_000_000)}


@contextmanager
def database_for(backend: str, home: Path) -> Iterator[tuple[str, Server | None]]:
    """Give the address of an empty database, and its server if it has one."""
    if backend == "sqlite":
        yield f"sqlite:///{home}/chaos.sqlite", None
    else:
        with own_server() as server:
            yield make_database(server.url, "chaos"), server


def check_alike(storage: Storage, peaceful: str, beaten: str) -> None:
    """Compare two runs of one experiment: all but the time they took must be the same."""
    first, second = storage.get_experiment(peaceful), storage.get_experiment(beaten)
    assert (second.state, second.done, second.failed) == (first.state, first.done, first.failed), second
    quiet, loud = storage.load_results(peaceful), storage.load_results(beaten)
    timed = [name for name in quiet.trials if str(name).endswith("_seconds")]
    assert quiet.trials.drop(columns=timed).equals(loud.trials.drop(columns=timed)), "numbers differ"
    assert quiet.curves.equals(loud.curves), "curves differ"
    print(f"{second.done:,} trials, each once, with the numbers of a quiet run")


def main() -> int:
    """Run the same experiment in peace and in chaos, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--trials", type=int, default=6000)
    parser.add_argument("--pause", type=float, default=20.0, help="longest pause between two blows, in seconds")
    parser.add_argument("--blows", type=int, default=1000, help="stop when every kind has struck so often")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the runners end too
    rng = random.Random(wanted.seed)
    with tempfile.TemporaryDirectory() as folder, database_for(wanted.backend, Path(folder)) as (url, server):
        home = Path(folder) / "home"
        with open_storage(url) as storage:
            peaceful = run_in_peace(storage, home, config_of(wanted.trials))
            beaten = run_in_chaos(storage, home, wanted, server, rng)
            check_alike(storage, peaceful, beaten)
    return 0


if __name__ == "__main__":
    sys.exit(main())
