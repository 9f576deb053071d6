"""What commands share: worker processes for as long as one lasts, its end, its progress."""

import signal
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import TracebackType
from typing import Self

from ensembles.reports.formatting import rough_seconds
from runner.cluster.cluster import Cluster
from runner.cluster.connection import TLSFiles

__all__ = ["Progress", "own_cluster", "shutdown_on_signals"]

_PROGRESS_SECONDS = 0.5


class Progress:
    """One line on a terminal, renewed twice a second and ended with the block; silent elsewhere."""

    def __init__(self, is_silent: bool, name: str = "") -> None:
        self._is_shown = sys.stderr.isatty() and not is_silent
        self._name = f"{name}: " if name else ""
        self._shown_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown_at:
            print(file=sys.stderr)

    def __call__(self, done: int, total: int, seconds_left: float | None) -> None:
        now = time.monotonic()
        if self._is_shown and (now - self._shown_at > _PROGRESS_SECONDS or done == total):
            self._shown_at = now
            left = "" if seconds_left is None else f", about {rough_seconds(seconds_left)} left"
            print(f"\r\033[K{self._name}{done:,} of {total:,} trials{left}", end="", file=sys.stderr, flush=True)


@contextmanager
def own_cluster(wanted: Namespace) -> Iterator[Cluster]:
    """Give the cluster that a command line asks for, and close it."""
    cluster = Cluster(
        n_workers=wanted.workers,
        scheduler=wanted.scheduler,
        tls=TLSFiles(wanted.tls_ca, wanted.tls_cert, wanted.tls_key),
        is_insecure=wanted.insecure,
        trial_seconds=wanted.trial_seconds,
        trial_memory=wanted.trial_memory,
    )
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def shutdown_on_signals() -> Iterator[Event]:
    """Give an event that Ctrl-C and the system's wish to end this process set."""
    shutdown = Event()
    before = {number: signal.signal(number, lambda *_: shutdown.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield shutdown
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
