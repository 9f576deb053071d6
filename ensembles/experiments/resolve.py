"""From what an experiment file names to data sets in memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ensembles.data import Attribute, Dataset, Table, catalogue, load_dataset, read_dataset
from ensembles.data.catalogue import is_source, open_source
from ensembles.data.encoding import recode
from ensembles.data.files import FileDescription, describe_file
from ensembles.data.left_out import columns_left_out
from ensembles.data.source import Source
from ensembles.data.unpacking import MOST_BYTES, size_of
from ensembles.errors import EnsembleLabError, InvalidConfig, InvalidData, LeftOut, NotFound, StorageError
from ensembles.experiments.config import DatasetRef, ExperimentConfig, GivenSplit, check_config
from ensembles.experiments.trials import check_streamed
from ensembles.libraries import lack_of

__all__ = [
    "UnfitTestSet",
    "align",
    "check_installed",
    "contents_of",
    "describe_reference",
    "resolve_datasets",
    "resolve_test_dataset",
    "with_stored_datasets",
]


class UnfitTestSet(InvalidConfig):
    """A given test set is not of the same kind as the training set: neither ever changes, so they never go together."""


Data = TypeVar("Data")
FindStored = Callable[[str], Dataset | Source]


def check_installed(config: ExperimentConfig) -> None:
    """Raise `InvalidConfig`, one sentence a learner, where one needs a library that is not installed here.

    For experiments to be run: what is stored opens without it.
    """
    if lacks := dict.fromkeys(filter(None, (lack_of(learner.entry.cls) for learner in config.learners))):
        raise InvalidConfig("\n".join(lacks))


def resolve_datasets(
    config: ExperimentConfig, find_stored: FindStored, base_folder: Path | str | None = None
) -> list[Dataset | Source]:
    """Return the data sets of an experiment, in its order: those too large for memory as sources.

    Parameters
    ----------
    find_stored : callable
        From a content hash to the stored data set; raises `NotFound`.
    base_folder : path, optional
        Folder that files are relative to. Without it files are refused: an experiment that comes from a web page must
        not read the server's disk.

    Raises
    ------
    InvalidConfig
        One sentence that names the field (`datasets[1]: ...`).
    """
    check_config("resolve_datasets", config)
    return [
        _named(f"datasets[{position}]", _load, reference, find_stored, base_folder)
        for position, reference in enumerate(config.datasets)
    ]


def resolve_test_dataset(
    config: ExperimentConfig, dataset: Dataset | Source, find_stored: FindStored, base_folder: Path | str | None = None
) -> Dataset | None:
    """Return the given test set in the codes of its training set `dataset`; None for the other protocols.

    Parameters and errors are those of `resolve_datasets`; the field is `protocol`.
    """
    protocol = config.protocol
    if not isinstance(protocol, GivenSplit):
        return None
    if not isinstance(dataset, Dataset):
        check_streamed(config, dataset)
        return None
    if protocol.test_sha256 is not None:
        meant = DatasetRef(sha256=protocol.test_sha256, name=protocol.test_name)
        found = _named("protocol.test_sha256", _load, meant, find_stored, base_folder)
        return _aligned("protocol.test_sha256", found, dataset)
    names = {
        kind: tuple(attribute.name for attribute in dataset.attributes if attribute.kind == kind)
        for kind in ("nominal", "numeric")
    }
    reference = DatasetRef(
        file=protocol.test_file,
        target=dataset.target,
        nominal=names["nominal"],
        numeric=names["numeric"],
        ignore=config.datasets[0].ignore,
        missing=config.datasets[0].missing,
        skip_rows=config.datasets[0].skip_rows,
    )
    grouped = dataset.classes if config.datasets[0].bins else None
    found = _named("protocol.test_file", _load, reference, find_stored, base_folder, grouped)
    return _aligned("protocol.test_file", found, dataset)


def contents_of(references: Sequence[DatasetRef], find_stored: FindStored) -> Callable[[int], Dataset | Source | None]:
    """Return a function from the position of a data set to what it holds; None where it is not here: nothing is fetched."""

    def find(position: int) -> Dataset | Source | None:
        reference = references[position]
        if reference.key is not None and not catalogue()[reference.key].here:
            return None
        try:
            return _load(reference, find_stored, None)
        except StorageError:
            raise
        except EnsembleLabError:
            return None

    return find


def align(test: Dataset, dataset: Dataset) -> Dataset:
    """Return `test` with the attributes and classes of `dataset`, matched by name; unknown values become `UNSEEN`.

    Raises
    ------
    InvalidData
        An attribute is lacking or of another kind, or there is a class that `dataset` does not know.
    """
    position = {attribute.name: i for i, attribute in enumerate(test.attributes)}
    if lacking := [attribute.name for attribute in dataset.attributes if attribute.name not in position]:
        raise InvalidData(f"{test.name}: must have the attributes of {dataset.name}, {', '.join(lacking)} is lacking")
    own: list[Attribute] = []
    for attribute in dataset.attributes:
        found = test.attributes[position[attribute.name]]
        if found.kind != attribute.kind:
            raise InvalidData(
                f"{test.name}: {found.name} must be {attribute.kind} as in {dataset.name}, is {found.kind}"
            )
        own.append(found)
    if unknown := [
        test.classes[label] for label in np.unique(test.labels) if test.classes[label] not in dataset.classes
    ]:
        raise InvalidData(
            f"{test.name}: classes must be among those of {dataset.name}, {', '.join(dataset.classes[:10])}, "
            f"got {', '.join(unknown[:10])}"
        )
    table = Table.from_columns(own, [test.table.column(position[attribute.name]) for attribute in own])
    place = np.array([dataset.classes.index(name) if name in dataset.classes else -1 for name in test.classes])
    labels = place[test.labels]
    return Dataset(test.name, recode(table, dataset.table.schema), labels, dataset.classes, dataset.target, test.source)


def with_stored_datasets(
    config: ExperimentConfig, datasets: Sequence[Dataset | Source], test_dataset: Dataset | None = None
) -> ExperimentConfig:
    """Return the experiment with every file replaced by the content hash of what was read from it.

    The caller stores `datasets` and `test_dataset`; from then on the experiment runs without the files.
    """
    document: dict[str, Any] = config.to_dict()
    for position, (reference, dataset) in enumerate(zip(config.datasets, datasets, strict=True)):
        if reference.file is not None:
            document["datasets"][position] = {
                "sha256": dataset.sha256,
                "name": dataset.name,
                "rows": len(dataset) if isinstance(dataset, Dataset) else dataset.n_examples,
                "attributes": len(
                    (dataset.table.schema if isinstance(dataset, Dataset) else dataset.schema).attributes
                ),
            }
    if isinstance(config.protocol, GivenSplit) and config.protocol.test_file is not None and test_dataset is not None:
        del document["protocol"]["test_file"]
        document["protocol"] |= {"test_sha256": test_dataset.sha256, "test_name": test_dataset.name}
    return ExperimentConfig.from_dict(document)


def _load(
    reference: DatasetRef,
    find_stored: FindStored,
    base_folder: Path | str | None,
    grouped: tuple[str, ...] | None = None,
) -> Dataset | Source:
    """Return a data set; of a file, the numbers of the class column are grouped into the classes `grouped`, if given."""
    if reference.key is not None:
        if is_source(reference.key, reference.settings):
            return open_source(reference.key, **reference.settings)
        return load_dataset(reference.key, **reference.settings)
    if reference.sha256 is not None:
        try:
            return find_stored(reference.sha256)
        except NotFound:
            raise InvalidData(reference.missing_sentence) from None
    if base_folder is None:
        raise InvalidData(
            f"the file {reference.file!r} cannot be read from here; upload it as a data set and choose that"
        )
    path = Path(base_folder) / str(reference.file)
    if not path.exists():
        raise InvalidData(f"there is no file {str(path)!r}")
    if reference.stream:
        return describe_reference(reference, path).source
    if path.stat().st_size > MOST_BYTES:
        raise InvalidData(
            f"{path.name}: the file has {size_of(path.stat().st_size)}, and at most {size_of(MOST_BYTES)} are read into "
            "memory; with `stream: true` beside it, it is read in batches, for the protocol prequential without shuffling"
        )
    return read_dataset(
        path,
        reference.target,
        nominal=reference.nominal,
        numeric=reference.numeric,
        ignore=reference.ignore,
        target_bins=grouped or reference.bins,
        missing=reference.missing,
        sheet=reference.sheet,
        skip_rows=reference.skip_rows,
    )


def describe_reference(reference: DatasetRef, path: Path) -> FileDescription:
    """Read a file that shall be a stream once, as an experiment names it.

    Raises
    ------
    InvalidData
        The file, or what is asked of it, cannot be used.
    """
    described = describe_file(
        str(path.resolve()),
        reference.target,
        nominal=reference.nominal,
        numeric=reference.numeric,
        ignore=reference.ignore,
        missing=reference.missing,
        skip_rows=reference.skip_rows,
    )
    for told in columns_left_out(described.columns, described.sample, reference.ignore):
        warnings.warn(f"{path.name}: {told}", LeftOut, stacklevel=2)
    return described


def _aligned(field: str, test: Dataset | Source, dataset: Dataset) -> Dataset:
    if not isinstance(test, Dataset):
        raise UnfitTestSet(f"{field}: {test.name} is read in batches, but a test set is held in memory")
    try:
        return align(test, dataset)
    except InvalidData as error:
        raise UnfitTestSet(f"{field}: {error}") from None


def _named(field: str, load: Callable[..., Data], *arguments: Any) -> Data:
    """Return what `load` returns; what it refuses is told with the name of the field."""
    try:
        return load(*arguments)
    except StorageError:
        raise
    except EnsembleLabError as error:
        raise InvalidConfig(f"{field}: {error}") from None
