"""The commands of the command line, one function each: arguments in, exit code out."""

import json
import logging
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from ensembles.data import catalogue, read_dataset
from ensembles.data.download import fetch_file, is_url
from ensembles.errors import InvalidConfig, InvalidInput
from ensembles.registry import base_models, methods
from runner.cluster import Cluster
from runner.conduct import conduct
from runner.experiment_file import read_experiment, store_files
from runner.exports import export_results
from runner.lifeline import leave_with_parent
from runner.summary import results_text, summarise
from runner.worker import owner_name, work_until
from storage import ExperimentRecord, open_storage

__all__ = ["add_dataset", "datasets", "export", "learners", "run", "worker"]

_PROGRESS_SECONDS = 0.5


def learners(wanted: Namespace) -> int:
    """List methods and base models."""
    entries = [*methods().values(), *base_models().values()]
    if wanted.json:
        print(json.dumps([entry.describe() for entry in entries], indent=2, ensure_ascii=False))
    else:
        _print_columns(
            ("Key", "Kind", "Name", "Learns"),
            [
                (entry.key, "method" if entry.kind == "method" else "base model", entry.name, _learns(entry.online))
                for entry in entries
            ],
        )
    return 0


def datasets(wanted: Namespace) -> int:
    """List the catalogue."""
    entries = list(catalogue().values())
    if wanted.json:
        print(json.dumps([entry.describe() for entry in entries], indent=2, ensure_ascii=False))
    else:
        _print_columns(
            ("Key", "Name", "Examples", "Attributes", "Classes", "Origin"),
            [
                (entry.key, entry.name, f"{entry.rows:,}", str(entry.attributes), str(entry.classes), entry.origin)
                for entry in entries
            ],
        )
    return 0


def add_dataset(wanted: Namespace) -> int:
    """Store a file, or what is behind a web address, as a data set."""
    content, filename = fetch_file(wanted.file) if is_url(wanted.file) else (Path(wanted.file), None)
    dataset = read_dataset(
        content,
        wanted.target,
        target_bins=wanted.bins,
        nominal="all" if wanted.nominal == ["all"] else wanted.nominal,
        numeric=wanted.numeric,
        ignore=wanted.ignore,
        missing=wanted.missing,
        sheet=wanted.sheet,
        name=wanted.name,
        filename=filename,
    )
    with open_storage(wanted.database) as storage:
        before = {record.sha256 for record in storage.list_datasets()}
        record = storage.save_dataset(dataset)
    is_new = record.sha256 not in before
    if wanted.json:
        facts = {name: getattr(record, name) for name in ("name", "sha256", "rows", "nominal", "numeric", "classes")}
        print(json.dumps({**facts, "target": dataset.target, "stored": is_new}, ensure_ascii=False))
    else:
        sizes = f"{record.rows:,} examples, {len(dataset.attributes):,} attributes, {record.classes:,} classes"
        print(f"{'Stored' if is_new else 'Already there:'} {record.name}, {sizes}, class {dataset.target}")
    return 0


def run(wanted: Namespace) -> int:
    """Run an experiment file to its end; Ctrl-C cancels it and keeps what has ended."""
    begun = time.monotonic()
    config, folder = read_experiment(wanted.file)
    owner = owner_name()
    with open_storage(wanted.database) as storage, _told_to_leave() as leave:
        config, n_trials = store_files(config, storage, folder)
        with _cluster(wanted) as cluster:
            record = storage.create_experiment(config, n_trials=n_trials, owner=owner)
            conduct(storage, cluster, record, owner, must_leave=leave.is_set, on_progress=_Progress(wanted.json))
            if leave.is_set():
                storage.request_cancel(record.id)
        record = storage.get_experiment(record.id)
        if record.state == "failed":
            raise InvalidConfig(record.message or "the experiment could not be run")
        results, seconds = storage.load_results(record.id, with_curves=False), time.monotonic() - begun
    if wanted.json:
        print(json.dumps(summarise(record, results, seconds), ensure_ascii=False))
    else:
        print(results_text(record, results, seconds))
    return _exit_code(record)


def worker(wanted: Namespace) -> int:
    """Claim and run what users launch."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    for noisy in ("alembic", "distributed"):
        logging.getLogger(noisy).setLevel(logging.CRITICAL)
    with _told_to_leave() as leave:
        if wanted.with_parent:
            leave_with_parent(leave.set)
        with open_storage(wanted.database) as storage, _cluster(wanted) as cluster:
            work_until(leave, storage, cluster)
    return 0


def export(wanted: Namespace) -> int:
    """Write the results of an experiment."""
    with open_storage(wanted.database) as storage:
        content = export_results(storage.load_results(wanted.experiment), wanted.format, wanted.measure)
    if wanted.output is None:
        sys.stdout.buffer.write(content)
        return 0
    try:
        Path(wanted.output).write_bytes(content)
    except OSError as error:
        raise InvalidInput(f"{wanted.output}: cannot be written ({error.strerror})") from error
    return 0


class _Progress:
    """One line on a terminal, renewed twice a second; silent elsewhere."""

    def __init__(self, is_silent: bool) -> None:
        self._is_shown = sys.stderr.isatty() and not is_silent
        self._shown_at = 0.0

    def __call__(self, done: int, total: int, seconds_left: float | None) -> None:
        now = time.monotonic()
        if self._is_shown and (now - self._shown_at > _PROGRESS_SECONDS or done == total):
            self._shown_at = now
            left = "" if seconds_left is None else f", {seconds_left:.0f} s left"
            print(f"\r\033[K{done:,} of {total:,} trials{left}", end="\n" if done == total else "", file=sys.stderr)
            sys.stderr.flush()


@contextmanager
def _cluster(wanted: Namespace) -> Iterator[Cluster]:
    cluster = Cluster(n_workers=wanted.workers, scheduler=wanted.scheduler)
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def _told_to_leave() -> Iterator[Event]:
    """Give an event that Ctrl-C and the system's wish to end this process set."""
    leave = Event()
    before = {number: signal.signal(number, lambda *_: leave.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield leave
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit_code(record: ExperimentRecord) -> int:
    return 0 if record.state == "finished" and not record.failed else 1


def _learns(online: bool) -> str:
    return "online" if online else "in batches"


def _print_columns(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    table = [header, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
