"""Who takes part: runners with processes of their own, one on a Dask cluster, and a web server, all on one database."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from tests.runner.conftest import children_of, is_running, wait_until

__all__ = ["PATIENCE_SECONDS", "Parties"]

PATIENCE_SECONDS = 180.0

_ROOT = Path(__file__).resolve().parents[2]
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
    """

    def __init__(self, url: str, home: Path, runners: int, *, is_whole: bool = False) -> None:
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
        for number in range(runners):
            self._add(f"runner {number}", "runner", "worker", "--workers", str(_WORKERS))
        if is_whole:
            self._add_cluster()
            port = str(_free_port())
            self._add("web", "streamlit", "run", "app.py", "--server.port", port, "--server.headless", "true")

    def kill(self, name: str) -> None:
        """Kill one of them with SIGKILL and start it again, once all its processes have ended."""
        _end(self._processes[name])
        self._processes[name] = self._start(*self._commands[name])

    def kill_runner(self, pid: int) -> None:
        """Kill a runner; another one takes its place. The web server looks after its own one."""
        for name, process in self._processes.items():
            if process.pid == pid:
                self.kill(name)
                return
        family = children_of(pid)
        os.kill(pid, signal.SIGKILL)
        _wait_for_end(family)

    def dask_workers(self) -> set[int]:
        """Return the processes of the Dask cluster that run trials, or look after those."""
        return children_of(self._processes["dask worker"].pid)

    def end(self) -> None:
        """End all of them."""
        for process in self._processes.values():
            _end(process)

    def _add_cluster(self) -> None:
        address = f"tcp://127.0.0.1:{_free_port()}"
        port = address.rpartition(":")[2]
        scheduler = ("dask", "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        self._add("scheduler", *scheduler)
        worker = ("dask", "worker", address, "--nworkers", str(_WORKERS), "--nthreads", "1", "--no-dashboard")
        self._add("dask worker", *worker, "--local-directory", str(self._home / "dask"))
        self._add("runner on Dask", "runner", "worker", "--scheduler", address)

    def _add(self, name: str, *command: str) -> None:
        self._commands[name] = command
        self._processes[name] = self._start(*command)

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
    _wait_for_end(family)


def _wait_for_end(family: set[int]) -> None:
    wait_until(lambda: not any(map(is_running, family)), "the processes of a killed one end", PATIENCE_SECONDS)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
