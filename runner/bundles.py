"""Bundles: an experiment with its data and results in one ZIP file, which another installation imports.

A bundle holds `experiment.yaml`, `trials.jsonl` (one trial a line, curves too), `versions.json`, the stored data sets under
`data/`, and a program and a notebook that run it again. What is imported is checked as if a stranger had made it: names and
sizes of the files, the content of data sets against their hashes, and every trial against the plan of the experiment.
"""

import io
import json
import lzma
import platform
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from ensembles.data import Dataset, catalogue, dataset_from_bytes, dataset_to_bytes
from ensembles.data.columns import MOST_CELLS
from ensembles.data.source import Source
from ensembles.data.stored import check_stored
from ensembles.errors import Conflict, EnsembleLabError, InvalidInput, NotFound, StorageError
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.resolve import resolve_datasets, resolve_test_dataset
from ensembles.experiments.trial_lines import trial_from_line, trial_to_line
from ensembles.experiments.trials import plan_trials
from ensembles.jit import source_digest
from ensembles.libraries import versions_of
from ensembles.reports.program import notebook, script
from runner.heartbeat import LEASE_SECONDS, Heartbeat
from storage import IMPORTED, PROGRAM, ExperimentRecord, Storage, default_visibility, name_of_import

__all__ = ["MOST_PACKED", "import_bundle", "write_bundle"]

MOST_PACKED = 200 * 2**20  #: bytes of a bundle
_MOST_UNPACKED = 2**29
_MOST_FILES = 1010  # an experiment has at most 1,000 data sets
_ENTRY = b"PK\x01\x02"  # begins each entry of the list of files
_FORMAT = 1
_EXPERIMENT, _TRIALS, _VERSIONS = "experiment.yaml", "trials.jsonl", "versions.json"
_DATASET = re.compile(r"data/([0-9a-f]{64})\.parquet")
_READ_ONLY = ("experiment.py", "experiment.ipynb")  # for people; never read here
_BATCH = 500
_DAMAGED = (zlib.error, lzma.LZMAError)
_PACKAGES = ("numpy", "numba", "pandas", "scikit-learn", "scipy")


def write_bundle(storage: Storage, experiment: str) -> bytes:
    """Return the ZIP file of an experiment as it stands; data sets of the catalogue are named and not packed.

    Raises
    ------
    NotFound
        There is no such experiment.
    """
    record = storage.get_experiment(experiment)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr(_EXPERIMENT, record.document.to_yaml())
        bundle.writestr(_VERSIONS, json.dumps(_versions(record), indent=1))
        bundle.writestr(_READ_ONLY[0], script(record.document))
        bundle.writestr(_READ_ONLY[1], notebook(record.document))
        for sha256 in _stored(record.config):
            dataset = storage.open_dataset(sha256)
            if isinstance(dataset, Dataset):  # a file that is read in batches stays where it is
                bundle.writestr(f"data/{sha256}.parquet", dataset_to_bytes(dataset), zipfile.ZIP_STORED)
        with bundle.open(_TRIALS, "w") as lines:
            for plan, result in storage.each_trial(experiment):
                lines.write(trial_to_line(plan, result))
    return buffer.getvalue()


def import_bundle(storage: Storage, content: bytes) -> ExperimentRecord:
    """Store the experiment of a bundle with its data sets and trials, under a new id, as finished or else as cancelled.

    It has no running time, as it did not run here. They are seen as all that is new; the owner may say otherwise later.

    Raises
    ------
    InvalidInput
        No bundle, too large (for who asks, too), or its trials are not those of its experiment and data; nothing is
        stored then.
    """
    storage.check_upload(len(content))
    files = _unpack(content)
    _check_format(files.get(_VERSIONS, b"{}"))
    try:
        config = ExperimentConfig.from_yaml(files[_EXPERIMENT].decode())
    except UnicodeDecodeError as error:
        raise InvalidInput(f"bundle: {_EXPERIMENT} must be text in UTF-8") from error
    packed = {name: _dataset(name, files[name]) for name in files if _DATASET.fullmatch(name)}

    def find(sha256: str) -> Dataset | Source:
        found = packed.get(f"data/{sha256}.parquet")
        return found if found is not None else storage.open_dataset(sha256)

    _check_sizes(config)
    datasets = resolve_datasets(config, find)
    test_dataset = resolve_test_dataset(config, datasets[0], find)
    planned = {plan.key: plan for plan in plan_trials(config, datasets)}
    lines = _lines(files[_TRIALS], len(planned))
    classes = [len(dataset.classes) for dataset in datasets]
    trials = [_checked(number, line, planned, classes) for number, line in enumerate(lines, start=1)]
    needed = [*datasets, test_dataset] if test_dataset is not None else datasets
    wanted = set(_stored(config))
    with _all_or_none(storage) as save:
        for dataset in (*needed, *packed.values()):
            if dataset.sha256 in wanted and isinstance(dataset, Dataset):
                save(dataset)
        return _store(storage, config, trials, len(planned))


@contextmanager
def _all_or_none(storage: Storage) -> Iterator[Callable[[Dataset], object]]:
    """Give what saves a data set; those that are new are taken back if something is refused, as by somebody's limits.

    They go for good, but for those that came out of a bin.
    """
    new: list[str] = []
    binned: set[str] = set()
    visibility = default_visibility()

    def save(dataset: Dataset) -> None:
        had = _has(storage, dataset.sha256)
        if not had:
            binned.update(_comes_out_of_the_bin(storage))
        storage.save_dataset(dataset, visibility=visibility)
        if not had:
            new.append(dataset.sha256)

    try:
        yield save
    except EnsembleLabError:
        for sha256 in new:
            with suppress(NotFound, Conflict):  # somebody else holds it, or an experiment that is here uses it
                storage.delete_dataset(sha256)
                if sha256 not in binned:
                    storage.purge_dataset(sha256)
        raise


def _has(storage: Storage, sha256: str) -> bool:
    """Return whether who asks has a data set already: what others show becomes their own too when they store it."""
    try:
        found = storage.get_dataset_record(sha256)
    except NotFound:
        return False
    return storage.actor.user_id in (None, found.user_id)


def _comes_out_of_the_bin(storage: Storage) -> set[str]:
    """Return what saving it would take out of a bin: of a user their own, of the program anybody's."""
    who = replace(storage.actor, scopes=None)  # a token may be good for storing alone
    found = storage.acting_as(who).list_bin().datasets
    return {one.sha256 for one in found if who.user_id in (None, one.user_id)}


def _lines(content: bytes, most: int) -> list[bytes]:
    """Return the lines of a file; they are counted first, as empty ones take more room than the file."""
    content = content.removesuffix(b"\n")
    if (n := content.count(b"\n") + 1) > most:
        raise InvalidInput(f"bundle: {_TRIALS} must have at most {most:,} trials, got {n:,}")
    return content.split(b"\n") if content else []


def _store(
    storage: Storage, config: ExperimentConfig, trials: Sequence[tuple[TrialPlan, TrialResult]], total: int
) -> ExperimentRecord:
    runner = name_of_import(platform.node())
    record = storage.create_experiment(
        config, n_trials=total, runner=runner, lease_seconds=LEASE_SECONDS, visibility=default_visibility()
    )
    is_whole = len({plan.key for plan, _ in trials}) == total
    told = IMPORTED if is_whole else f"{IMPORTED} Not all of them had ended."
    program = storage.acting_as(PROGRAM)  # no user writes trials; those of a bundle are checked
    try:
        # Else a worker takes it after ten seconds. The heartbeat passes over a row that is being written to, so its lease
        # is renewed between batches too.
        with Heartbeat(program, runner) as heartbeat, heartbeat.hold(record):
            for start in range(0, len(trials), _BATCH):
                program.save_trials(record.id, trials[start : start + _BATCH])
                program.heartbeat(record.id, runner, lease_seconds=LEASE_SECONDS)
            program.finish(record.id, "finished" if is_whole else "cancelled", told, runner=runner, has_run=False)
    except BaseException:  # else a worker would go on with it once the lease is over
        with suppress(StorageError, NotFound):
            storage.delete_experiment(record.id)
            storage.purge_experiment(record.id)
        raise
    return storage.get_experiment(record.id)


def _unpack(content: bytes) -> dict[str, bytes]:
    """Return the files of a bundle that are read, by their names; nothing is written to a disk."""
    if len(content) > MOST_PACKED:
        raise InvalidInput(f"bundle: must have at most {MOST_PACKED:,} bytes, got {len(content):,}")
    if (
        content.count(_ENTRY) > 2 * _MOST_FILES
    ):  # before a list of millions is made; data may hold these bytes by chance
        raise InvalidInput(f"bundle: must hold at most {_MOST_FILES:,} files, got more")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as bundle:
            infos = bundle.infolist()
            _check_names([info.filename for info in infos])
            files: dict[str, bytes] = {}
            left = _MOST_UNPACKED
            for info in infos:
                if info.filename not in _READ_ONLY:
                    with bundle.open(info) as file:
                        files[info.filename] = file.read(left + 1)  # what a file says of its size need not be true
                    left -= len(files[info.filename])
                    if left < 0:
                        raise InvalidInput(f"bundle: it unpacks to more than the {_MOST_UNPACKED:,} bytes allowed")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError, *_DAMAGED) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput("bundle: the file is not a ZIP file as it is exported here, or is damaged") from error
    return files


def _check_names(names: Sequence[str]) -> None:
    if len(names) > _MOST_FILES or len(set(names)) < len(names):
        raise InvalidInput(f"bundle: must hold at most {_MOST_FILES:,} files, none twice, got {len(names):,}")
    if "archive.json" in names:
        raise InvalidInput("bundle: it is an archive of a whole database, as import-all takes it into an empty one")
    for name in names:
        if name not in (_EXPERIMENT, _TRIALS, _VERSIONS, *_READ_ONLY) and not _DATASET.fullmatch(name):
            raise InvalidInput(f"bundle: a bundle has no file called {name[:80]!r}")
    if lacking := [name for name in (_EXPERIMENT, _TRIALS) if name not in names]:
        raise InvalidInput(f"bundle: {' and '.join(lacking)} must be in it; it is no bundle that was exported here")


def _check_format(content: bytes) -> None:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"bundle: {_VERSIONS} must be JSON as it is exported here") from error
    form = found.get("format", _FORMAT) if isinstance(found, dict) else None
    if form != _FORMAT:
        raise InvalidInput(f"bundle: its format must be {_FORMAT}, got {str(form)[:20]}; a newer version exported it")


def _check_sizes(config: ExperimentConfig) -> None:
    """Refuse data that are generated to any size by a few words."""
    entries = [(catalogue()[one.key], one.settings) for one in config.datasets if one.key is not None]
    cells = sum(settings.get("rows", entry.rows) * (entry.attributes + 1) for entry, settings in entries)
    if cells > MOST_CELLS:
        raise InvalidInput(f"bundle: its data of the catalogue must have at most {MOST_CELLS:,} cells, got {cells:,}")


def _dataset(name: str, content: bytes) -> Dataset:
    check_stored(name, content)
    dataset = dataset_from_bytes(content)
    if name != f"data/{dataset.sha256}.parquet":
        raise InvalidInput(f"bundle: {name} holds other data than its name says, {dataset.sha256}")
    return dataset


def _checked(
    number: int, line: bytes, planned: dict[str, TrialPlan], classes: Sequence[int]
) -> tuple[TrialPlan, TrialResult]:
    """Return a trial, if it is one of the experiment's."""
    place = f"bundle: {_TRIALS}, line {number:,}"
    plan, result = trial_from_line(place, line)
    if planned.get(plan.key) != plan or result.key != plan.key:
        raise InvalidInput(
            f"{place}: is no trial of this experiment on these data; the data of the catalogue may be those of another "
            f"version"
        )
    if len(result.confusion) not in (0, classes[plan.dataset]):
        raise InvalidInput(f"{place}: the confusion matrix must be of {classes[plan.dataset]:,} classes")
    return plan, result


def _stored(config: ExperimentConfig) -> list[str]:
    """Return the content hashes of the stored data sets of an experiment."""
    hashes = [reference.sha256 for reference in config.datasets] + [getattr(config.protocol, "test_sha256", None)]
    return list(dict.fromkeys(sha256 for sha256 in hashes if sha256 is not None))


def _versions(record: ExperimentRecord) -> dict[str, object]:
    moments = {name: str(getattr(record, name)) for name in ("created", "started", "finished")}
    return {
        "format": _FORMAT,
        "sources": source_digest(),
        "python": platform.python_version(),
        **versions_of(_PACKAGES),
        **moments,
    }
