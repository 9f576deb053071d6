"""The plan of an experiment: which trials there are, and which examples each of them sees in which order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ensembles.data.dataset import Dataset
from ensembles.data.names import stem
from ensembles.data.source import Source
from ensembles.errors import InvalidConfig
from ensembles.evaluation.protocols import Purpose, assign_folds, choose_training, random_stream, shuffle
from ensembles.evaluation.stream_record import kept_whole
from ensembles.experiments.config import (
    BiasVariance,
    CrossValidation,
    ExperimentConfig,
    GivenSplit,
    Holdout,
    LearnerSpec,
    Prequential,
    check_config,
)
from ensembles.experiments.dataset_ref import DatasetRef
from ensembles.experiments.records import TrialPlan
from ensembles.experiments.yaml_io import shown
from ensembles.learners.core.learner import Learner

__all__ = [
    "check_given",
    "check_number",
    "check_plan",
    "check_planned",
    "check_streamed",
    "count_trials",
    "is_planned",
    "learner_seed",
    "n_orders",
    "plan_trials",
    "split_of",
]

_MOST_TRIALS = 1_000_000
_KEY_DIGITS = 32
_KEPT_CURVES = {"predictions", "member_errors"}  # of all examples

Rows = npt.NDArray[np.int64]


def count_trials(config: ExperimentConfig) -> int:
    """Return the number of trials of an experiment."""
    check_config("count_trials", config)
    repeats, folds = config.protocol.splits
    return len(config.datasets) * repeats * folds * sum(n_orders(config, learner) for learner in config.learners)


def check_plan(config: ExperimentConfig, datasets: Sequence[Dataset | Source]) -> None:
    """Raise `InvalidConfig` where `plan_trials` would, without planning."""
    check_given("plan_trials", config, datasets)
    check_number(config)
    hashes = [dataset.sha256 for dataset in datasets]
    for position, dataset in enumerate(datasets):
        if (first := hashes.index(dataset.sha256)) < position:
            raise InvalidConfig(
                f"datasets[{position}]: {dataset.name} has the same content as datasets[{first}], "
                f"{datasets[first].name}"
            )
        if isinstance(dataset, Dataset):
            _check_size(config, dataset)
        else:
            check_streamed(config, dataset)


def check_given(owner: str, config: ExperimentConfig, datasets: Sequence[Dataset | Source]) -> None:
    """Raise `InvalidConfig` unless these are an experiment and as many data sets as it has."""
    check_config(owner, config)
    if not isinstance(datasets, list | tuple) or not all(hasattr(dataset, "sha256") for dataset in datasets):
        raise InvalidConfig(f"{owner}: datasets must be a list of those of the experiment, got {shown(datasets)}")
    if len(datasets) != len(config.datasets):
        raise InvalidConfig(f"datasets: {len(config.datasets)} are listed, but {len(datasets)} were given")
    labels = config.dataset_labels()
    for position, (reference, dataset) in enumerate(zip(config.datasets, datasets, strict=True)):
        places = [place for place, other in enumerate(config.datasets) if _looks_like(other, dataset)]
        if places and not _looks_like(reference, dataset):
            raise InvalidConfig(f"datasets[{position}]: must be {labels[position]}, as listed, got {labels[places[0]]}")


def _looks_like(reference: DatasetRef, dataset: Dataset | Source) -> bool:
    """Return whether a data set is the one that is meant, as far as the reference tells."""
    if reference.sha256 is not None:
        return dataset.sha256 == reference.sha256
    if reference.file is not None:
        return dataset.name == stem(Path(reference.file).name)
    n_examples = len(dataset) if isinstance(dataset, Dataset) else dataset.n_examples
    return dataset.name == reference.label and reference.settings.get("rows", n_examples) == n_examples


def check_number(config: ExperimentConfig) -> None:
    """Raise `InvalidConfig` when an experiment has more trials than any may have; they are counted, not planned."""
    if (n := count_trials(config)) > _MOST_TRIALS:
        raise InvalidConfig(f"experiment: at most {_MOST_TRIALS:,} trials are allowed, these would be {n:,}")


def check_streamed(config: ExperimentConfig, source: Source) -> None:
    """Raise `InvalidConfig` where an experiment cannot run on examples that are read in batches."""
    protocol, read = config.protocol, f"{source.name} is read in batches"
    if not isinstance(protocol, Prequential):
        raise InvalidConfig(f"protocol: {read}, on which only prequential runs, got {protocol.kind}")
    if protocol.shuffle:
        raise InvalidConfig(f"protocol.shuffle: must be false, as {read} and comes in its order, got true")
    if source.n_examples is None and not protocol.examples:
        raise InvalidConfig(f"protocol.examples: must be at least 1, as {source.name} has no end, got 0")
    for field, keys in (("measures", kept_whole(config.measures)), ("curves", set(config.curves) & _KEPT_CURVES)):
        if keys:
            raise InvalidConfig(
                f"{field}: {', '.join(sorted(keys))} must be left out: all predictions are needed for it, but {read}"
            )
    primed = [learner.entry.name for learner in config.learners if _is_primed(learner)]
    if primed:
        raise InvalidConfig(f"learners: {', '.join(primed)} needs the head of the whole stream at once, and {read}")


def _is_primed(learner: LearnerSpec) -> bool:
    return getattr(learner.entry.cls, "start_stream", Learner.start_stream) is not Learner.start_stream


def plan_trials(config: ExperimentConfig, datasets: Sequence[Dataset | Source]) -> tuple[TrialPlan, ...]:
    """Return every trial of an experiment.

    Learners alternate within a split and an order, so that neighbours share their examples and a comparison can be read
    long before the end.

    Parameters
    ----------
    datasets : sequence of Dataset or Source
        Those of `config.datasets`, in that order.

    Raises
    ------
    InvalidConfig
        A data set too small for the protocol, two data sets with the same content, or more than 1,000,000 trials.
    """
    check_plan(config, datasets)
    repeats, folds = config.protocol.splits
    orders = [n_orders(config, learner) for learner in config.learners]
    plans = []
    for d, dataset in enumerate(datasets):
        digests = [_key_digest(config, dataset.sha256, learner) for learner in config.learners]
        for repeat in range(repeats):
            for fold in range(folds):
                for order in range(max(orders)):
                    place = _key_end(repeat, fold, order)
                    for position, digest in enumerate(digests):
                        if order < orders[position]:
                            key = _key(digest, place)
                            plans.append(TrialPlan(key, d, position, repeat, fold, order, dataset.sha256))
    return tuple(plans)


def check_planned(owner: str, config: ExperimentConfig, dataset: Dataset | Source, plan: TrialPlan) -> None:
    """Raise `InvalidConfig` for what is no experiment and no plan, and for another data set than the plan's."""
    check_config(owner, config)
    if not isinstance(plan, TrialPlan) or not hasattr(dataset, "sha256"):
        raise InvalidConfig(f"{owner}: must be given a plan and its data set, got {shown(plan)} and {shown(dataset)}")
    if plan.learner >= len(config.learners):
        raise InvalidConfig(f"{owner}: plan.learner must be in [0, {len(config.learners) - 1}], got {plan.learner}")
    if plan.sha256 not in ("", dataset.sha256):
        raise InvalidConfig(f"{owner}: must be given the data set at plan.dataset, {plan.dataset}, got {dataset.name}")


def split_of(config: ExperimentConfig, dataset: Dataset, plan: TrialPlan) -> tuple[Rows, Rows]:
    """Return which examples a trial trains on and is tested on.

    Returns
    -------
    train_rows, test_rows : ndarray of int
        Positions in `dataset`; the training examples in the order in which they are learned. With a given test set,
        `test_rows` is empty: all of the other data set is for the test. So it is of a stream, which is all `train_rows`.
        For bias and variance, `plan.order` numbers the training sets of a pool.
    """
    used = config.protocol.n_used(len(dataset)) if isinstance(config.protocol, Prequential) else len(dataset)
    if isinstance(config.protocol, Prequential) and not config.protocol.shuffle:
        return np.arange(used), np.empty(0, dtype=np.int64)
    tested = _tested(config, dataset, plan)
    rng = random_stream(Purpose.ORDER, config.seed, dataset.sha256, plan.repeat, plan.fold, plan.order)
    train_rows = shuffle(np.flatnonzero(~tested), rng)[:used]
    if isinstance(config.protocol, BiasVariance):
        train_rows = train_rows[: len(train_rows) // 2]
    return train_rows, np.flatnonzero(tested)


def learner_seed(config: ExperimentConfig, dataset: Dataset | Source, plan: TrialPlan) -> int:
    """Return the seed of the learner's own draws, in [0, 2**31 - 1]."""
    learner = config.learners[plan.learner].canonical
    content = json.dumps([config.seed, dataset.sha256, plan.repeat, plan.fold, plan.order, learner])
    return int.from_bytes(hashlib.sha256(content.encode()).digest()[:4]) >> 1


def n_orders(config: ExperimentConfig, learner: LearnerSpec) -> int:
    """Return in how many orders of the training examples a learner is tried on each split."""
    protocol = config.protocol
    if isinstance(protocol, BiasVariance):
        return 1  # each training set comes in an order of its own
    if isinstance(protocol, Prequential):
        return protocol.orders if protocol.shuffle else 1  # even a lossless learner errs early or late
    return protocol.orders if learner.order_matters else 1


def is_planned(config: ExperimentConfig, plan: TrialPlan) -> bool:
    """Return whether a trial is one of the experiment: by its key where its data set is known, else by its place."""
    if plan.dataset >= len(config.datasets) or plan.learner >= len(config.learners):
        return False
    digest = _key_digest(config, plan.sha256, config.learners[plan.learner])
    return plan.sha256 == "" or _key(digest, _key_end(plan.repeat, plan.fold, plan.order)) == plan.key


def _key_end(repeat: int, fold: int, order: int) -> bytes:
    return f"{repeat},{fold},{order}]".encode()


def _key(digest: hashlib._Hash, place: bytes) -> str:
    digest = digest.copy()
    digest.update(place)
    return digest.hexdigest()[:_KEY_DIGITS]


def _key_digest(config: ExperimentConfig, sha256: str, learner: LearnerSpec) -> hashlib._Hash:
    """Return the digest of everything a key says but repeat, fold and order, which end the same JSON list."""
    content = [
        sha256,
        json.loads(learner.canonical),
        config.protocol.split_settings(),
        config.seed,
        sorted(config.measures),
        sorted(config.curves),
    ]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{text[:-1]},".encode())


def _check_size(config: ExperimentConfig, dataset: Dataset) -> None:
    protocol, n = config.protocol, len(dataset)
    if isinstance(protocol, CrossValidation) and protocol.folds > n:
        raise InvalidConfig(
            f"protocol.folds: must be at most the number of examples, {n} in {dataset.name}, got {protocol.folds}"
        )
    if isinstance(protocol, Holdout) and (n < 2 or protocol.train_size >= n):
        raise InvalidConfig(
            f"protocol.train_size: must be below the number of examples, {n} in {dataset.name}, "
            f"got {protocol.train_size}"
        )
    if isinstance(protocol, BiasVariance) and (n < 3 or protocol.pool == 1 or protocol.pool >= n):
        raise InvalidConfig(
            f"protocol.pool: must be at least 2 examples and below their number, {n} in {dataset.name}, "
            f"got {protocol.pool}"
        )


def _tested(config: ExperimentConfig, dataset: Dataset, plan: TrialPlan) -> npt.NDArray[np.bool_]:
    """Return for each example whether it is for the test."""
    protocol = config.protocol
    if isinstance(protocol, GivenSplit | Prequential):
        return np.zeros(len(dataset), dtype=bool)
    return np.equal(_assigned(_Split(config.seed, protocol, plan.repeat, dataset)), plan.fold)


class _Split:
    """What a split depends on; equal and hashed by content, so that the last one can be kept."""

    def __init__(
        self, seed: int, protocol: CrossValidation | Holdout | BiasVariance, repeat: int, dataset: Dataset
    ) -> None:
        self.seed, self.protocol, self.repeat, self.dataset = seed, protocol, repeat, dataset
        self._identity = (seed, dataset.sha256, json.dumps(protocol.split_settings()), repeat)

    def __hash__(self) -> int:
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Split) and self._identity == other._identity


@lru_cache(maxsize=2)
def _assigned(split: _Split) -> Rows:
    """Return the fold in whose test each example is; -1 for none."""
    protocol, labels = split.protocol, split.dataset.labels
    rng = random_stream(Purpose.SPLIT, split.seed, split.dataset.sha256, split.repeat)
    if isinstance(protocol, CrossValidation):
        return assign_folds(labels, protocol.folds, rng, stratified=protocol.stratified)
    if isinstance(protocol, BiasVariance):
        return np.where(choose_training(labels, protocol.n_pool(len(labels)), rng, stratified=False), -1, 0)
    training = choose_training(labels, protocol.n_train(len(labels)), rng, stratified=protocol.stratified)
    return np.where(training, -1, 0)
