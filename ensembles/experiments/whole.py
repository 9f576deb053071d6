"""The model that one would use: a learner of an experiment, trained on all examples of a data set and tested on none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.dataset import Dataset
from ensembles.data.source import Source
from ensembles.data.table import Schema, Table
from ensembles.errors import InvalidData
from ensembles.evaluation.protocols import Purpose, random_stream, shuffle
from ensembles.evaluation.stream_pass import Blocks
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.model import Model
from ensembles.experiments.model_facts import facts_of, mixed
from ensembles.experiments.records import TrialPlan
from ensembles.experiments.resolve import FindStored, check_installed, resolve_datasets
from ensembles.experiments.trial_data import encoder_head
from ensembles.experiments.trials import check_planned, check_streamed, learner_seed

__all__ = ["learning_order", "train_whole", "whole_experiment", "whole_plan"]


def whole_plan(dataset: int, learner: int) -> TrialPlan:
    """Return the plan of a training on all examples: no split, the first order."""
    return TrialPlan(f"{dataset}-{learner}", dataset, learner, 0, 0, 0)


def whole_experiment(
    config: ExperimentConfig, dataset: int, learner: int, find_stored: FindStored
) -> tuple[ExperimentConfig, Dataset | Source]:
    """Return the experiment of one learner and one data set, by their positions in `config`, and the data set.

    Raises
    ------
    InvalidInput
        A library is missing, or the data set cannot be had.
    NotFound
        It was deleted.
    """
    one = config.model_copy(update={"datasets": (config.datasets[dataset],), "learners": (config.learners[learner],)})
    check_installed(one)
    [found] = resolve_datasets(one, find_stored)
    return one, found


def train_whole(
    config: ExperimentConfig, plan: TrialPlan, dataset: Dataset | Source, pause: Callable[[], None] = lambda: None
) -> Model:
    """Train a learner on all examples.

    It is `make_learner(...)` with the seed that `facts` tell, and `fit` of all examples in `learning_order`, with their
    classes by name. Of streams it is one pass, as far as the experiment reads them; all labels come, and at once.

    Parameters
    ----------
    plan : TrialPlan
        See `whole_plan`.
    dataset : Dataset or Source
        `config.datasets[plan.dataset]`.
    pause : callable
        Called now and then; what it raises ends the training.

    Raises
    ------
    EnsembleLabError
        The learner cannot be trained on these examples.
    """
    check_planned("train_whole", config, dataset, plan)
    spec, seed = config.learners[plan.learner], learner_seed(config, dataset, plan)
    learner, encoder = spec.make(seed), spec.make_encoder()
    learner.on_progress = lambda _: pause()
    learner.warns_if_stopped = False
    if isinstance(dataset, Dataset):
        learned, schema, some = _fit(learner, encoder, config, spec, dataset), dataset.table.schema, dataset.table
    else:
        learned, schema, some = _pass_through(learner, encoder, config, dataset, pause)
    learner.on_progress = None
    facts = facts_of(spec, seed, dataset, schema, learned, is_drawn=_draws(config, spec))
    return Model(learner, schema, facts, mixed(some, seed), encoder)


def learning_order(config: ExperimentConfig, dataset: Dataset, spec: LearnerSpec) -> npt.NDArray[np.int64]:
    """Return the positions of the examples in the order in which `train_whole` learns them.

    That is the order of the data set, unless the order of examples changes the model and the protocol draws one: then the
    same is drawn whichever learner it is.
    """
    protocol, rows = config.protocol, np.arange(len(dataset))
    if _draws(config, spec):
        rows = shuffle(rows, random_stream(Purpose.ORDER, config.seed, dataset.sha256, 0, 0, 0))
    return rows[: protocol.n_used(len(dataset))] if isinstance(protocol, Prequential) else rows


def _draws(config: ExperimentConfig, spec: LearnerSpec) -> bool:
    """Return whether the order is drawn."""
    protocol = config.protocol
    return protocol.shuffle if isinstance(protocol, Prequential) else spec.order_matters


def _fit(learner: Any, encoder: Any, config: ExperimentConfig, spec: LearnerSpec, dataset: Dataset) -> int:
    """Train on a data set in memory; return on how many examples."""
    rows = learning_order(config, dataset, spec)
    X, labels = dataset.take(rows)
    if encoder is not None:
        head = encoder_head(len(rows)) if isinstance(config.protocol, Prequential) else len(rows)
        X = encoder.fit(X.take(slice(0, head)), labels[:head]).transform(X)
    learner.fit(X, np.array(dataset.classes, dtype=object)[labels])
    return len(rows)


def _pass_through(
    learner: Any, encoder: Any, config: ExperimentConfig, source: Source, pause: Callable[[], None]
) -> tuple[int, Schema, Table]:
    """Let a learner go through a stream once; return how many examples it has learned, their attributes and some of them."""
    check_streamed(config, source)
    assert isinstance(config.protocol, Prequential)
    n, at = config.protocol.n_used(source.n_examples), 0
    names = np.array(source.classes, dtype=object)
    if encoder is not None:
        if (head := Blocks(source.batches()).take(encoder_head(n))) is None:
            raise InvalidData("the stream has no examples")
        encoder.fit(*head)
    some: Table | None = None
    for X, labels in source.batches():
        pause()
        X, labels = X.take(slice(0, n - at)), labels[: n - at]
        some = X if some is None else some
        known = X if encoder is None else encoder.transform(X)
        learner.partial_fit(known, names[labels], **({"classes": names} if at == 0 else {}))
        at += len(labels)
        if at == n:
            return n, source.schema, some
    raise InvalidData(f"the stream ended after {at:,} of {n:,} examples")
