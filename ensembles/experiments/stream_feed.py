"""The examples of a trial on a stream, as its learner is given them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ensembles.data.dataset import Dataset
from ensembles.data.source import Batch
from ensembles.errors import InvalidData
from ensembles.evaluation.stream_pass import Blocks
from ensembles.experiments.config import Prequential
from ensembles.experiments.trial_data import Trial, encoder_head
from ensembles.experiments.trials import check_streamed

__all__ = ["Feed", "feed_of"]


@dataclass(frozen=True)
class Feed:
    """The examples that are used.

    Attributes
    ----------
    n : int
        How many.
    unpredicted : int
        How many at the head are not predicted.
    batches : callable
        Gives those from a position on.
    encoder : AttributeEncoder or None
        By which they were encoded.
    """

    n: int
    unpredicted: int
    batches: Callable[[int], Iterator[Batch]]
    encoder: Any = None


def feed_of(trial: Trial, protocol: Prequential) -> Feed:
    """Return the examples of a trial; an encoder is fitted to the head of them."""
    dataset = trial.dataset
    if isinstance(dataset, Dataset):
        examples = trial.examples()
        X, y = examples.X_train, examples.y_train
        n, unpredicted, encoder = len(y), examples.unpredicted, examples.encoder
        return Feed(n, unpredicted, lambda start: iter([(X.take(slice(start, None)), y[start:])]), encoder)
    check_streamed(trial.config, dataset)
    n, encoder = protocol.n_used(dataset.n_examples), trial.spec.make_encoder()
    if encoder is None:
        return Feed(n, 0, dataset.batches)
    head = Blocks(dataset.batches()).take(encoder_head(n))
    if head is None:
        raise InvalidData("the stream has no examples")
    encoder.fit(*head)
    return Feed(n, len(head[1]), lambda start: ((encoder.transform(X), y) for X, y in dataset.batches(start)), encoder)
