"""The worker beside the web server is kept alive, also where it cannot be started for a while."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from runner import embedded
from runner.embedded import EmbeddedWorker
from tests.runner.conftest import wait_until


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedWorker]:
    """A process that waits for the end of what it reads."""
    monkeypatch.setattr(embedded, "_FIRST_PAUSE", 0.01)
    worker = EmbeddedWorker([sys.executable, "-c", "import sys; sys.stdin.read()"], dict(os.environ))
    yield worker
    worker.stop()


def test_a_worker_that_cannot_be_started_for_want_of_memory_is_tried_again(
    worker: EmbeddedWorker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start, failures = subprocess.Popen, [errno.ENOMEM, errno.EAGAIN]

    def popen(*arguments: object, **settings: object) -> "subprocess.Popen[bytes]":
        if failures:
            number = failures.pop(0)
            raise OSError(number, os.strerror(number))
        return start(*arguments, **settings)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(subprocess, "Popen", popen)
    first = worker.pid
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: worker.pid != first and worker.is_alive(), "another worker", 60)
    assert failures == []
    assert "the worker could not be started: Cannot allocate memory; it is tried again" in caplog.text
