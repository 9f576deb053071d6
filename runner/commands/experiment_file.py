"""From an experiment file on disk to an experiment that any runner can take over."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ensembles.data import Dataset
from ensembles.data.source import Source
from ensembles.errors import InvalidConfig, LeftOut
from ensembles.experiments.config import FORMAT, ExperimentConfig, GivenSplit
from ensembles.experiments.resolve import check_installed, resolve_datasets, resolve_test_dataset, with_stored_datasets
from ensembles.experiments.stream_files import with_described_files
from ensembles.experiments.trials import plan_trials
from ensembles.experiments.yaml_io import read_yaml
from ensembles.reports.first_defaults import first_defaults
from storage import Storage, default_visibility

__all__ = ["read_experiment", "store_files", "telling_left_out"]

_MOST_BYTES = 2**26


def read_experiment(file: str) -> tuple[ExperimentConfig, Path, str]:
    """Return the experiment in a YAML file, the folder that its files are relative to, and what is to be said of it.

    That is empty, or says which difference it makes that the file says no format.

    Raises
    ------
    InvalidConfig
        The file cannot be read, is not an experiment, or needs a library that is not installed.
    """
    path = Path(file)
    if path.exists() and not path.is_file():
        raise InvalidConfig(
            f"{file}: the experiment file cannot be read (it is a folder, a device, a pipe or the like)"
        )
    try:
        with path.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8")  # of more, the first is too much: refused below
    except OSError as error:
        raise InvalidConfig(f"{file}: the experiment file cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InvalidConfig(f"{file}: the experiment file must be text in UTF-8, byte {error.start} is not") from error
    config = ExperimentConfig.from_yaml(text)
    check_installed(config)
    note = ""
    if "format" not in read_yaml(text) and (told := first_defaults(config.learners)):
        open_settings = f"settings that it leaves open mean what they meant first; `format: {FORMAT}` means today's."
        note = " ".join([f"{file}: says no format, so {open_settings}", *told])
    return config, path.parent, note


@contextmanager
def telling_left_out() -> Iterator[None]:
    """Say which columns of files that are read in here are left out, a line a file, unless something is refused."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LeftOut)
        yield
    for told in dict.fromkeys(str(one.message) for one in caught):
        print(told, file=sys.stderr)


@telling_left_out()
def store_files(config: ExperimentConfig, storage: Storage, folder: Path) -> tuple[ExperimentConfig, int]:
    """Store the files an experiment names, so that it can go on where they are not.

    Returns
    -------
    ExperimentConfig
        The same experiment, with the stored data sets in place of the files.
    int
        Number of trials.

    Raises
    ------
    InvalidInput
        A file cannot be used, or the data sets do not go with the experiment; nothing was stored.
    """
    config, described = with_described_files(config, folder)

    def find(sha256: str) -> Dataset | Source:
        return described[sha256].source if sha256 in described else storage.open_dataset(sha256)

    datasets = resolve_datasets(config, find, folder)
    test_dataset = resolve_test_dataset(config, datasets[0], find, folder)
    n_trials = len(plan_trials(config, datasets))
    named = zip(config.datasets, datasets, strict=True)
    read = [dataset for reference, dataset in named if reference.file is not None and isinstance(dataset, Dataset)]
    if isinstance(config.protocol, GivenSplit) and config.protocol.test_file is not None and test_dataset is not None:
        read.append(test_dataset)
    visibility = default_visibility()
    for dataset in read:
        storage.save_dataset(dataset, visibility=visibility)
    for file in described.values():
        storage.register_file(file, visibility=visibility)
    return with_stored_datasets(config, datasets, test_dataset), n_trials
