"""Data files that a document names: what goes ahead of it, once it is known that nothing else is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ensembles.errors import InvalidConfig, InvalidData, NotFound
from ensembles.experiments.config import ExperimentConfig, GivenSplit
from ensembles.experiments.resolve import resolve_datasets
from ensembles.experiments.trials import check_streamed

__all__ = ["find_files", "names_test_file", "settings_of_test_file"]

_AS_IN_TRAINING = ("ignore", "missing", "skip_rows")


def find_files(document: Any, folder: Path) -> ExperimentConfig | None:
    """Return the experiment of a document whose files are all there; None where it cannot be used, as far as is known here.

    Raises
    ------
    InvalidConfig
        A file is to be read in batches, where it lies.
    InvalidData
        A file cannot be read.
    """
    try:
        config = ExperimentConfig.from_dict(document)
    except InvalidConfig:
        return None
    for place, reference in enumerate(config.datasets):
        if reference.stream:
            raise InvalidConfig(
                f"datasets[{place}]: {reference.file} is read in batches where it lies, so it is not uploaded; "
                "register it on the server and give its sha256"
            )
    named = [reference.file for reference in config.datasets]
    for file in (*named, getattr(config.protocol, "test_file", None)):
        if file is not None:
            _check_readable(folder / file)
    return config


def names_test_file(config: ExperimentConfig) -> bool:
    """Return whether the given test set of an experiment is a file."""
    return isinstance(config.protocol, GivenSplit) and config.protocol.test_file is not None


def settings_of_test_file(
    config: ExperimentConfig, folder: Path, frame_of: Callable[[str], pd.DataFrame]
) -> Mapping[str, Any]:
    """Return how the given test set is read: with the class column and the kinds of attributes of its training set.

    Parameters
    ----------
    folder : path
        What files are relative to.
    frame_of : callable
        From the content hash of a stored data set to its examples, the class last.

    Raises
    ------
    InvalidConfig
        The training set cannot be read, is read in batches, or groups the numbers of its class column.
    """
    reference = config.datasets[0]
    if reference.bins is not None:
        raise InvalidConfig(
            "protocol.test_file: its numbers cannot be grouped into classes as those of the data set; give both files "
            f"classes, got bins {reference.bins}"
        )
    frame = frame_of(reference.sha256) if reference.sha256 is not None else _read(config, folder)
    kinds: dict[str, list[str]] = {"nominal": [], "numeric": []}
    for name in frame.columns[:-1]:
        kinds["numeric" if pd.api.types.is_numeric_dtype(frame[name]) else "nominal"].append(str(name))
    taken_over = {name: getattr(reference, name) for name in _AS_IN_TRAINING}
    return {"target": str(frame.columns[-1]), **kinds, **taken_over}


def _read(config: ExperimentConfig, folder: Path) -> pd.DataFrame:
    (dataset,) = resolve_datasets(config, _find_none, folder)
    if hasattr(dataset, "to_frame"):
        return dataset.to_frame()
    check_streamed(config, dataset)
    raise AssertionError("a given test set never goes with examples that are read in batches")


def _find_none(sha256: str) -> Any:
    raise NotFound(f"{sha256} is not here")


def _check_readable(path: Path) -> None:
    try:
        path.open("rb").close()
    except OSError as error:
        raise InvalidData(f"{path}: cannot be read ({error.strerror})") from error
