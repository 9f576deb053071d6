"""A model of an experiment as the file by which it is taken home."""

from collections.abc import Sequence
from datetime import UTC, datetime

from ensembles.errors import InvalidInput, NotFound
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.learner_keys import learner_keys
from ensembles.experiments.whole import train_whole, whole_experiment, whole_plan
from ensembles.reports.model_card import Origin, model_file_name, model_package
from ensembles.wording import listed
from storage import ExperimentRecord, ModelRecord, Storage

__all__ = ["export_model", "file_name_of", "find_place", "pack_model"]


def find_place(config: ExperimentConfig, dataset: str | None, learner: str | None) -> tuple[int, int]:
    """Return the positions of a data set and a learner by their names, as results show them, or keys; None: the only one.

    Raises
    ------
    InvalidInput
        No such name, or several to choose from.
    """
    labels = [reference.label for reference in config.datasets]
    keys = [reference.key for reference in config.datasets]
    return _place("dataset", dataset, labels, keys), _place(
        "learner", learner, config.labels(), learner_keys(config.learners)
    )


def pack_model(
    storage: Storage, experiment: ExperimentRecord, model: ModelRecord, content: bytes, *, link: str | None = None
) -> bytes:
    """Return the ZIP file of a model that is ready, with the measures of its learner as they are now.

    Parameters
    ----------
    model, content : ModelRecord, bytes
        As `Storage.load_model` returns them.
    link : str, optional
        Address of the experiment's page.
    """
    results = storage.load_results(experiment.id, with_curves=False)
    trained = model.ended or datetime.now(UTC)
    origin = Origin.of(results, model.dataset, model.learner, experiment.name, trained, link=link)
    return model_package(content, model.facts or {}, origin)


def export_model(storage: Storage, experiment: ExperimentRecord, dataset: int, learner: int) -> bytes:
    """Return the ZIP file of a model: of the one that is stored, or else of one that is trained now, in this process.

    Raises
    ------
    EnsembleLabError
        The learner cannot be trained on these examples.
    """
    try:
        return pack_model(storage, experiment, *storage.load_model(experiment.id, dataset, learner))
    except NotFound:
        config, found = whole_experiment(experiment.config, dataset, learner, storage.open_dataset)
    trained = train_whole(config, whole_plan(0, 0), found)
    now = datetime.now(UTC)
    record = ModelRecord(dataset, learner, "ready", now, now, facts=trained.facts)
    return pack_model(storage, experiment, record, trained.to_bytes())


def file_name_of(experiment: ExperimentRecord, dataset: int, learner: int) -> str:
    """Return the name of the file."""
    config = experiment.config
    return model_file_name(config.learners[learner].label, config.datasets[dataset].label)


def _place(what: str, name: str | None, known: Sequence[str], keys: Sequence[str | None]) -> int:
    if name is None and len(known) == 1:
        return 0
    found = [position for position, pair in enumerate(zip(known, keys, strict=True)) if name in pair]
    if name is None or len(found) != 1:
        raise InvalidInput(f"{what} must be one of {listed(known)}, got {'none' if name is None else repr(name)}")
    return found[0]
