"""The model that a trial on a stream ends with, or has come to: what its learner has learned, without learning it again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ensembles.data.dataset import Dataset
from ensembles.data.source import Source
from ensembles.errors import InvalidData
from ensembles.evaluation.snapshot import read_snapshot
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.model import Model
from ensembles.experiments.model_facts import facts_of, mixed
from ensembles.experiments.records import KeptModel, TrialPlan
from ensembles.experiments.stream_feed import feed_of
from ensembles.experiments.trial_data import Trial

__all__ = ["last_model", "model_of_snapshot", "read_state", "stream_model"]


def stream_model(trial: Trial, learner: Any, encoder: Any, position: int, head: int) -> Model:
    """Return what a learner is on its way through a stream, as a model that knows classes by their names.

    Parameters
    ----------
    trial : Trial
    learner : estimator
        Trained on positions of classes.
    encoder : AttributeEncoder or None
        That of its `Feed`.
    position : int
        How many examples it was asked about; labels that have not come it has not learned.
    head : int
        How many it learned in batch before, whose labels were not late.
    """
    dataset, protocol, spec = trial.dataset, trial.config.protocol, trial.spec
    assert isinstance(protocol, Prequential)
    some = dataset.table if isinstance(dataset, Dataset) else next(dataset.batches())[0]
    facts = facts_of(spec, trial.seed, dataset, some.schema, position, is_drawn=protocol.shuffle)
    labels = {"delay": protocol.label_delay, "share": protocol.label_share}
    stream = {"of": protocol.n_used(_length(dataset)), "head": head, **labels}
    return Model(learner, some.schema, facts | {"stream": stream}, mixed(some, trial.seed), encoder, dataset.classes)


def last_model(trial: Trial, learner: Any, encoder: Any, position: int, head: int) -> KeptModel | None:
    """Return the model that a trial ends with, if who looks at it wants it and it can be kept; of the first order only."""
    most = 0.0 if trial.watch is None or trial.plan.order else trial.watch.most_model_bytes()
    if most > 0.0 and hasattr(learner, "classes_"):
        with suppress(InvalidData):  # it cannot be written: the results are whole without it
            model = stream_model(trial, learner, encoder, position, head)
            if len(content := model.to_bytes()) <= most:
                return KeptModel(content, model.facts)
    return None


def model_of_snapshot(
    config: ExperimentConfig,
    dataset: Dataset | Source,
    key: str,
    snapshot: bytes,
    pause: Callable[[], None] = lambda: None,
) -> Model:
    """Return the model that the trial called `key` had come to when a snapshot was taken.

    Parameters
    ----------
    config : ExperimentConfig
        Of one learner and one data set, `dataset`, in which the trial had the first order.

    Raises
    ------
    InvalidData
        As `read_snapshot` does, or it had learned nothing yet.
    """
    trial = Trial(TrialPlan(key, 0, 0, 0, 0, 0), dataset, config, None, pause)
    assert isinstance(config.protocol, Prequential)
    state = read_state(trial, trial.make(), snapshot)
    learner, encoder = state["learner"], feed_of(trial, config.protocol).encoder
    if not hasattr(learner, "classes_"):
        raise InvalidData("it had learned nothing when its snapshot was taken")
    return stream_model(trial, learner, encoder, state["position"], state["head"])


def read_state(trial: Trial, learner: Any, snapshot: bytes) -> dict[str, Any]:
    """Return what a snapshot holds of a trial whose untrained learner is given; raise `InvalidData` as `read_snapshot`."""
    state = read_snapshot(snapshot, {type(learner).__module__.partition(".")[0]})
    if state["trial"] != trial.plan.key:
        raise InvalidData("it cannot go on from its snapshot, which is of another trial")
    return state


def _length(dataset: Any) -> int | None:
    return len(dataset) if isinstance(dataset, Dataset) else dataset.n_examples
