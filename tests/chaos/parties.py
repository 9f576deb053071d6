"""Who takes part: runners with processes of their own, one on a Dask cluster, and a web server, all on one database."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx2

from tests.chaos.clock import WallClock
from tests.ports import free_port
from tests.runner.conftest import children_of, is_running, wait_until

__all__ = ["PATIENCE_SECONDS", "Parties"]

PATIENCE_SECONDS = 180.0

_ROOT = Path(__file__).resolve().parents[2]
_DASK_WORKER = "dask worker"
_UNUSABLE = 2  # exit code of a program that said in a sentence what it lacks
_WORKERS = 2  # processes of each runner, and of the Dask cluster


class Parties:
    """Runners, a Dask cluster and a web server, each a process of its own, which are started again when they are killed.

    Parameters
    ----------
    home : Path
        Their data folder; their log is in there.
    runners : int
        With processes of their own.
    is_whole : bool
        Whether there is a Dask cluster with a runner of its own, and a web server, which has a worker too.
    clock : WallClock, optional
        What the runners with processes of their own go by; all others go by the right one.
    """

    def __init__(
        self, url: str, home: Path, runners: int, *, is_whole: bool = False, clock: WallClock | None = None
    ) -> None:
        home.mkdir(exist_ok=True)
        self._home = home
        # The address by the environment, as a password belongs there.
        self._environment = {
            **os.environ,
            "DATABASE_URL": url,
            "ENSEMBLE_LAB_HOME": str(home),
            "ENSEMBLE_LAB_WARM": "0",
        }
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._commands: dict[str, tuple[str, ...]] = {}
        by_clock = [f"runner {number}" for number in range(runners)]
        self._clocks = {} if clock is None else dict.fromkeys(by_clock, clock.environment)
        self._web = f"http://127.0.0.1:{free_port()}"
        for name in by_clock:
            self._add(name, "runner", "worker", "--workers", str(_WORKERS))
        if is_whole:
            self._add_cluster()
            port = self._web.rpartition(":")[2]
            self._add("web", "streamlit", "run", "app.py", "--server.port", port, "--server.headless", "true")

    def by_clock(self) -> set[int]:
        """Return the numbers of the runners that go by the clock."""
        return {self._processes[name].pid for name in self._clocks}

    def check(self) -> None:
        """Fail when one of them has ended by itself.

        Workers of Dask end when their scheduler has been gone for a while, and runners say a sentence and end when the
        database is away as they begin; who looks after them starts them again.
        """
        for name, process in self._processes.items():
            if process.poll() is not None and (name == _DASK_WORKER or process.poll() == _UNUSABLE):
                self._processes[name] = self._start(name)
        ended = {name: process.poll() for name, process in self._processes.items() if process.poll() is not None}
        assert not ended, f"nobody killed them, and they ended: {ended}"

    def wait_for_web(self) -> None:
        """Return once the web server answers, that something is wrong or that nothing is."""
        wait_until(self._web_answers, "the web server answers", PATIENCE_SECONDS)

    def _web_answers(self) -> bool:
        try:
            return bool(httpx2.get(f"{self._web}/health", timeout=PATIENCE_SECONDS).json()["status"])
        except httpx2.TransportError:
            return False

    def kill(self, name: str) -> None:
        """Kill one of them with SIGKILL and start it again, once all its processes have ended."""
        _end(self._processes[name])
        self._processes[name] = self._start(name)

    def kill_runner(self, pid: int) -> None:
        """Kill a runner; another one takes its place. The web server looks after its own one."""
        for name, process in self._processes.items():
            if process.pid == pid:
                self.kill(name)
                return
        family = children_of(pid)
        os.kill(pid, signal.SIGKILL)
        _wait_for_end(family)

    def kill_dask_workers(self) -> None:
        """Kill all processes of the Dask cluster that run trials, with who started them."""
        self.kill(_DASK_WORKER)

    def dask_workers(self) -> set[int]:
        """Return the processes of the Dask cluster that run trials, or look after those."""
        return children_of(self._processes[_DASK_WORKER].pid)

    def end(self) -> None:
        """End all of them."""
        for process in self._processes.values():
            _end(process)

    def _add_cluster(self) -> None:
        address = f"tcp://127.0.0.1:{free_port()}"
        port = address.rpartition(":")[2]
        scheduler = ("dask", "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        self._add("scheduler", *scheduler)
        worker = ("dask", "worker", address, "--nworkers", str(_WORKERS), "--nthreads", "1", "--no-dashboard")
        self._add(_DASK_WORKER, *worker, "--local-directory", str(self._home / "dask"))
        self._add("runner on Dask", "runner", "worker", "--scheduler", address)

    def _add(self, name: str, *command: str) -> None:
        self._commands[name] = command
        self._processes[name] = self._start(name)

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        with (self._home / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", *self._commands[name]],
                cwd=_ROOT,
                env={**self._environment, **self._clocks.get(name, {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )


def _end(process: subprocess.Popen[bytes]) -> None:
    family = children_of(process.pid)
    process.kill()
    process.wait()
    _wait_for_end(family)


def _wait_for_end(family: set[int]) -> None:
    wait_until(lambda: not any(map(is_running, family)), "the processes of a killed one end", PATIENCE_SECONDS)
