"""What commands share: worker processes for as long as one lasts, its end, its progress."""

import signal
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import TracebackType
from typing import Self

from ensembles.errors import InvalidInput, NotFound, StorageError
from ensembles.experiments.config import Prequential
from ensembles.reports.formatting import rough_seconds, shortened
from runner.cluster.cluster import Cluster
from runner.cluster.connection import TLSFiles
from runner.commands.interrupts import hearing
from storage import ExperimentRecord, Storage

__all__ = ["Progress", "check_scheduler", "own_cluster", "shutdown_on_signals", "stream_words"]

_PROGRESS_SECONDS = 0.5


class Progress:
    """One line on a terminal, renewed twice a second and ended with the block; silent elsewhere.

    Attributes
    ----------
    more : callable
        Returns what else is told, as `stream_words` does.
    """

    def __init__(self, is_silent: bool, name: str = "") -> None:
        self.more: Callable[[], str] = str
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
            print(
                f"\r\033[K{self._name}{done:,} of {total:,} trials{left}{self.more()}",
                end="",
                file=sys.stderr,
                flush=True,
            )


def stream_words(storage: Storage, record: ExperimentRecord) -> str:
    """Return how far the stream is that was heard last of those that run, and how many others do; "" without one."""
    if not isinstance(record.config.protocol, Prequential):
        return ""
    try:
        running = [stream for stream in storage.list_streams(record.id) if stream.news]
    except (StorageError, NotFound):
        return ""
    if not running:
        return ""
    newest, others = max(running, key=lambda stream: stream.told), len(running) - 1
    last, label = newest.news[-1], shortened(record.config.labels()[newest.learner])
    more = f", and {others:,} more" if others else ""
    return f"; {label}: {last.seen:,} examples, error {last.error:.4f}{more}"


def check_scheduler(wanted: Namespace) -> None:
    """Raise `InvalidInput` where a command line says how to reach a scheduler, and names none."""
    if wanted.scheduler is None and (wanted.insecure or any((wanted.tls_ca, wanted.tls_cert, wanted.tls_key))):
        raise InvalidInput("--tls-ca, --tls-cert, --tls-key and --insecure go with --scheduler, got none")


@contextmanager
def own_cluster(wanted: Namespace) -> Iterator[Cluster]:
    """Give the cluster that a command line asks for, and close it."""
    check_scheduler(wanted)
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
    before = signal.signal(signal.SIGINT, lambda *_: shutdown.set())
    try:
        with hearing(lambda *_: shutdown.set()):
            yield shutdown
    finally:
        signal.signal(signal.SIGINT, before)
