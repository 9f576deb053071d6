"""A model of an experiment as the file by which it is taken home."""

from collections.abc import Sequence
from datetime import UTC, datetime

from ensembles.errors import InvalidInput, NotFound
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.learner_keys import learner_keys
from ensembles.experiments.stream_model import model_of_snapshot
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
    keys = [reference.key for reference in config.datasets]
    return _place("dataset", dataset, config.dataset_labels(), keys), _place(
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


def export_model(
    storage: Storage, experiment: ExperimentRecord, dataset: int, learner: int, *, of_trial: bool = False
) -> bytes:
    """Return the ZIP file of a model: of the one that is stored, or else of one that is made now, in this process.

    Parameters
    ----------
    of_trial : bool
        Of what the trial of the first order on a stream has ended with, or come to by its snapshot, not of all examples.

    Raises
    ------
    EnsembleLabError
        The learner cannot be trained on these examples, or its trial has left neither model nor snapshot.
    """
    try:
        return pack_model(storage, experiment, *storage.load_model(experiment.id, dataset, learner, of_trial=of_trial))
    except NotFound:
        config, found = whole_experiment(experiment.config, dataset, learner, storage.open_dataset)
    if of_trial:
        made = model_of_snapshot(config, found, *_snapshot_of(storage, experiment, dataset, learner))
    else:
        made = train_whole(config, whole_plan(0, 0), found)
    now = datetime.now(UTC)
    record = ModelRecord(dataset, learner, "ready", now, now, facts=made.facts, of_trial=of_trial)
    return pack_model(storage, experiment, record, made.to_bytes())


def file_name_of(experiment: ExperimentRecord, dataset: int, learner: int) -> str:
    """Return the name of the file."""
    config = experiment.config
    return model_file_name(config.learners[learner].label, config.datasets[dataset].label)


def _snapshot_of(storage: Storage, experiment: ExperimentRecord, dataset: int, learner: int) -> tuple[str, bytes]:
    """Return key and snapshot of the trial of the first order; raise `NotFound` without one."""
    for stream in storage.list_streams(experiment.id):
        is_it = (stream.dataset, stream.learner, stream.order) == (dataset, learner, 0)
        if is_it and (snapshot := storage.load_snapshot(experiment.id, stream.key)) is not None:
            return stream.key, snapshot
    raise NotFound(f"{experiment.name}: its trial has left no model, and there is no snapshot of it to make one of")


def _place(what: str, name: str | None, known: Sequence[str], keys: Sequence[str | None]) -> int:
    if name is None and len(known) == 1:
        return 0
    found = [position for position, pair in enumerate(zip(known, keys, strict=True)) if name in pair]
    if name is None or len(found) != 1:
        raise InvalidInput(f"{what} must be one of {listed(known)}, got {'none' if name is None else repr(name)}")
    return found[0]
