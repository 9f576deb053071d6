"""The names of stored data sets in experiments: people read them, never a hash."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

from ensembles.experiments.config import ExperimentConfig, GivenSplit
from storage.access import Actor
from storage.models import DatasetRow
from storage.people.reach import HeldDataset, select_datasets

__all__ = ["dataset_names", "stored_datasets", "with_names"]


def stored_datasets(config: ExperimentConfig) -> list[str]:
    """Return the content hashes of the stored data sets that an experiment names, sorted."""
    found = {reference.sha256 for reference in config.datasets}
    if isinstance(config.protocol, GivenSplit):
        found.add(config.protocol.test_sha256)
    return sorted(sha256 for sha256 in found if sha256 is not None)


def dataset_names(session: Session, actor: Actor, config: ExperimentConfig) -> dict[str, str]:
    """Return what the actor calls the stored data sets of an experiment, by content hash."""
    query = select_datasets(actor).where(DatasetRow.sha256.in_(stored_datasets(config)))
    found = [HeldDataset(*row) for row in session.execute(query)]
    return {held.row.sha256: held.name for held in found}


def with_names(config: ExperimentConfig, names: Mapping[str, str]) -> ExperimentConfig:
    """Return an experiment in which the data sets that have no name there have theirs; no number depends on it."""
    datasets = []
    for reference in config.datasets:
        name = names.get(reference.sha256 or "")
        nameless = reference.name is None and name is not None
        datasets.append(reference.model_copy(update={"name": name}) if nameless else reference)
    return config.model_copy(update={"datasets": tuple(datasets)})
