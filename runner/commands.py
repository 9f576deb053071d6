"""The commands of the command line, one function each: arguments in, exit code out."""

import json
import logging
import sys
import time
from argparse import Namespace
from pathlib import Path

from ensembles.data import catalogue, read_dataset
from ensembles.data.download import fetch_file, is_url
from ensembles.errors import InvalidConfig, InvalidInput
from ensembles.registry import base_models, methods
from runner.conduct import conduct
from runner.experiment_file import read_experiment, store_files
from runner.exports import export_results, reads_curves
from runner.lifeline import leave_with_parent
from runner.paper_commands import papers
from runner.summary import results_text, summarise
from runner.terminal import Progress, own_cluster, print_columns, told_to_leave
from runner.worker import owner_name, work_until
from storage import ExperimentRecord, open_storage

__all__ = ["add_dataset", "datasets", "export", "learners", "papers", "run", "worker"]


def learners(wanted: Namespace) -> int:
    """List methods and base models."""
    entries = [*methods().values(), *base_models().values()]
    if wanted.json:
        print(json.dumps([entry.describe() for entry in entries], indent=2, ensure_ascii=False))
    else:
        print_columns(
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
        print_columns(
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
    with open_storage(wanted.database) as storage:
        config, n_trials = store_files(config, storage, folder)
        with own_cluster(wanted) as cluster, told_to_leave() as leave, Progress(wanted.json) as progress:
            record = storage.create_experiment(config, n_trials=n_trials, owner=owner)
            conduct(storage, cluster, record, owner, must_leave=leave.is_set, on_progress=progress)
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
    with told_to_leave() as leave:
        if wanted.with_parent:
            leave_with_parent(leave.set)
        with open_storage(wanted.database) as storage, own_cluster(wanted) as cluster:
            work_until(leave, storage, cluster)
    return 0


def export(wanted: Namespace) -> int:
    """Write the results of an experiment."""
    with open_storage(wanted.database) as storage:
        config = storage.get_experiment(wanted.experiment).config
        if wanted.format == "yaml":
            content = config.to_yaml().encode()
        else:
            results = storage.load_results(wanted.experiment, with_curves=reads_curves(wanted.format, config))
            content = export_results(results, wanted.format, wanted.measure)
    if wanted.output is None:
        sys.stdout.buffer.write(content)
        return 0
    try:
        Path(wanted.output).write_bytes(content)
    except OSError as error:
        raise InvalidInput(f"{wanted.output}: cannot be written ({error.strerror})") from error
    return 0


def _exit_code(record: ExperimentRecord) -> int:
    return 0 if record.state == "finished" and not record.failed else 1


def _learns(online: bool) -> str:
    return "online" if online else "in batches"
