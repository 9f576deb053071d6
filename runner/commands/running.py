"""The commands that need database and workers, one function each: arguments in, exit code out."""

import json
import math
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from ensembles.errors import InvalidConfig, InvalidInput, StorageError
from ensembles.experiments.config import ExperimentConfig
from ensembles.reports.program import notebook, script
from ensembles.reports.verdict import reads_predictions
from runner.bundles import MOST_PACKED, import_bundle, write_bundle
from runner.carry_on import carry_on
from runner.cluster.limits import check_limits
from runner.cluster.processors import IDLE_SECONDS, processors
from runner.commands.experiment_file import read_experiment, store_files
from runner.commands.papers import papers
from runner.commands.plan import plan_experiment, plan_facts, plan_text
from runner.commands.summary import results_text, summarise
from runner.commands.terminal import Progress, check_scheduler, own_cluster, shutdown_on_signals, stream_words
from runner.commands.whole_files import write_whole
from runner.exports import export_results, reads_curves, state_notes
from runner.housekeeping import housekeeping
from runner.logs import set_up_logs
from runner.model_export import export_model, find_place
from runner.take_over import take_over
from runner.worker import keep_working, runner_name
from runner.worker_process.parent_watchdog import shut_down_with_parent
from runner.worker_process.warming import warming
from storage import ExperimentRecord, Storage, default_visibility, open_storage

__all__ = ["export", "import_file", "papers", "run", "worker"]

_WITHOUT_RESULTS: dict[str, Callable[[ExperimentConfig], str]] = {
    "yaml": ExperimentConfig.to_yaml,
    "script": script,
    "notebook": notebook,
}


def run(wanted: Namespace) -> int:
    """Run an experiment file, or what is missing of an experiment, to its end; or only plan it.

    Ctrl-C cancels it and keeps what has ended; a database that is away for a while is waited for.
    """
    begun = time.monotonic()
    read = None if wanted.file is None else read_experiment(wanted.file)
    if wanted.plan:
        if read is None:
            raise InvalidInput(f"--plan must have an experiment file, got --resume {wanted.resume}")
        return _plan(wanted, *read)
    with open_storage(wanted.database, makes=read is not None) as storage:
        if read is not None:
            config, n_trials = store_files(read[0], storage, read[1])
            create = partial(storage.create_experiment, config, visibility=default_visibility())
            record = _run(wanted, storage, partial(create, n_trials=n_trials), read[2])
        else:
            record = storage.get_experiment(wanted.resume)
            if record.state != "finished":
                record = _run(wanted, storage, partial(take_over, storage, record.id))
        if record.state == "failed":
            raise InvalidConfig(record.message or "the experiment could not be run")
        if record.state == "cancelled":
            print(_how_to_go_on(record), file=sys.stderr)
        with_curves = reads_predictions(record.config)
        results, seconds = storage.load_results(record.id, with_curves=with_curves), time.monotonic() - begun
    if wanted.json:
        print(json.dumps(summarise(record, results, seconds), ensure_ascii=False))
    else:
        print(results_text(record, results, seconds))
    return _exit_code(record)


def worker(wanted: Namespace) -> int:
    """Claim and run what users launch."""
    set_up_logs(wanted.database)
    check_scheduler(wanted)
    check_limits(wanted.workers, wanted.trial_seconds, wanted.trial_memory)  # now, not when there is work
    with shutdown_on_signals() as shutdown:
        if wanted.with_parent:
            shut_down_with_parent(shutdown.set)
        beside = nullcontext() if wanted.scheduler else warming()  # workers elsewhere have kernels of their own
        with open_storage(wanted.database) as storage, housekeeping(storage), beside:
            idle_seconds = math.inf if wanted.scheduler else IDLE_SECONDS
            keep_working(shutdown, storage, lambda: own_cluster(wanted), idle_seconds, wanted.workers)
    return 0


def export(wanted: Namespace) -> int:
    """Write the results of an experiment."""
    _check_goes_together(wanted)
    with open_storage(wanted.database, makes=False) as storage:
        record = storage.get_experiment(wanted.experiment)
        config = record.config
        if (write := _WITHOUT_RESULTS.get(wanted.format)) is not None:
            content = write(record.document).encode()
        elif wanted.format == "bundle":
            content = write_bundle(storage, wanted.experiment)
        elif wanted.format == "model":
            content = export_model(
                storage, record, *find_place(config, wanted.dataset, wanted.learner), of_trial=wanted.of_trial
            )
        else:
            results = storage.load_results(
                wanted.experiment,
                with_curves=reads_curves(wanted.format, config),
                with_confusion=wanted.format == "html",
                summed=wanted.format == "html",
            )
            notes = state_notes(record)
            content = export_results(
                results, wanted.format, wanted.measure, find_stored=storage.open_dataset, notes=notes
            )
    if wanted.output is None:
        sys.stdout.buffer.write(content)
        return 0
    write_whole(Path(wanted.output), content)
    return 0


def _check_goes_together(wanted: Namespace) -> None:
    """Raise `InvalidInput` where the file would not heed what is asked for."""
    of_models = dict.fromkeys(("learner", "dataset", "of_trial"), ("model",))
    for option, forms in {"measure": ("latex", "html"), **of_models}.items():
        if getattr(wanted, option) not in (None, False) and wanted.format not in forms:
            said = f"--{option.replace('_', '-')} goes with --format {' or '.join(forms)}, got --format {wanted.format}"
            raise InvalidInput(f"export: {said}")


def import_file(wanted: Namespace) -> int:
    """Store the experiment of a bundle."""
    try:
        with Path(wanted.file).open("rb") as file:
            content = file.read(MOST_PACKED + 1)
    except OSError as error:
        raise InvalidInput(f"{wanted.file}: the bundle cannot be read ({error.strerror})") from error
    with open_storage(wanted.database) as storage:
        record = import_bundle(storage, content)
    if wanted.json:
        print(json.dumps({"experiment": record.id, "name": record.name, "state": record.state, "trials": record.done}))
    else:
        print(f"{record.name} ({record.id}): {record.done:,} trials imported, {record.state}")
    return 0


def _run(
    wanted: Namespace, storage: Storage, start: Callable[..., ExperimentRecord], note: str = ""
) -> ExperimentRecord:
    runner = runner_name()
    with own_cluster(wanted) as cluster, shutdown_on_signals() as shutdown, Progress(wanted.json) as progress:
        record = start(runner=runner)
        _tell(note)
        progress.more = partial(stream_words, storage, record)
        try:
            record = carry_on(storage, cluster, record, runner, shutting_down=shutdown.is_set, on_progress=progress)
            return storage.request_cancel(record.id) if shutdown.is_set() else record
        except StorageError as error:
            raise StorageError(str(error), detail=f"{error.detail}; {_how_to_go_on(record)}") from error


def _how_to_go_on(record: ExperimentRecord) -> str:
    return f"python -m runner run --resume {record.id} goes on with it"


def _plan(wanted: Namespace, config: ExperimentConfig, folder: Path, note: str) -> int:
    if wanted.workers is not None and wanted.workers < 1:
        raise InvalidInput(f"workers must be at least 1, got {wanted.workers}")
    with open_storage(wanted.database) as storage:
        workers = wanted.workers or processors()
        estimate = plan_experiment(config, storage, folder, workers)
    _tell(note)
    told = (config, estimate, workers)
    print(json.dumps(plan_facts(*told), ensure_ascii=False) if wanted.json else plan_text(*told))
    return 0


def _tell(note: str) -> None:
    """Say what a file means, once it is not refused: then what is wrong with it is all there is to be said."""
    if note:
        print(note, file=sys.stderr)


def _exit_code(record: ExperimentRecord) -> int:
    return 0 if record.state == "finished" and not record.failed else 1
