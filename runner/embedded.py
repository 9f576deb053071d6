"""The worker of an application: a process of its own that is kept alive, and ends with the application."""

import logging
import signal
import subprocess
import time
from threading import Event, Lock, Thread

from runner.program import program

__all__ = ["EmbeddedWorker", "start"]

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0
_GOOD_LIFE = 60.0  # a worker that lived so long is started again at once
_STOP_SECONDS = 8.0

_log = logging.getLogger(__name__)


class EmbeddedWorker:
    """A worker process and the thread that looks after it. Made by `start`."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._command, self._environment = command, environment
        self._stopping, self._changing = Event(), Lock()
        self._process = self._spawn()
        self._thread = Thread(target=self._keep_alive, name="embedded worker", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """Number of the worker's process; another one after it died."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Return whether the worker's process runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the worker; an experiment it is at goes on with the next one."""
        with self._changing:  # from now on no other one is started
            self._stopping.set()
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self.is_alive():
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join()

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,  # its end tells the worker that we are gone
            env=self._environment,
            start_new_session=True,  # Ctrl-C in the terminal is for us; we tell the worker
        )

    def _keep_alive(self) -> None:
        pause = _FIRST_PAUSE
        while not self._stopping.is_set():
            born = time.monotonic()
            self._process.wait()
            if time.monotonic() - born > _GOOD_LIFE:
                pause = _FIRST_PAUSE
            if self._stopping.wait(pause):
                return
            pause = min(2 * pause, _LONGEST_PAUSE)
            if self._process.stdin is not None:
                self._process.stdin.close()
            with self._changing:
                if not self._stopping.is_set():
                    self._start_again()

    def _start_again(self) -> None:
        try:
            self._process = self._spawn()
        except OSError as error:  # no memory or no number for another process, for now
            _log.warning("the worker could not be started: %s; it is tried again", error.strerror)


def start(database_url: str | None = None, *, n_workers: int | None = None) -> EmbeddedWorker:
    """Start `python -m runner worker` beside this process.

    Parameters
    ----------
    database_url : str, optional
        As `storage.open_storage`; `Storage.url` gives it.
    n_workers : int, optional
        Worker processes for trials; the number of processors when not given.
    """
    command, environment = program("worker", "--with-parent")
    if n_workers is not None:
        command += ["--workers", str(n_workers)]
    if database_url is not None:
        environment["DATABASE_URL"] = database_url  # not on the command line, where everyone could read the password
    return EmbeddedWorker(command, environment)
