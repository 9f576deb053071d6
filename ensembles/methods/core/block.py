"""What kernels of online methods are given and asked for: a block of the examples, and room for what is written down."""

from typing import NamedTuple

import numpy as np

from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows

__all__ = ["NO_VOTES", "NO_WEIGHTS", "Block", "Trace", "block_of"]

NO_VOTES = np.empty((0, 0))  #: instead of the votes of examples whose classes nobody asks for
NO_WEIGHTS = np.empty((0, 0))  #: instead of the weights of examples that nobody wants to keep


class Block(NamedTuple):
    """A stretch of the examples, in their order: those from `start` to before `stop`."""

    rows: Rows
    labels: np.ndarray  # (examples,) of all examples
    weights: np.ndarray  # (examples,)
    start: int
    stop: int


class Trace(NamedTuple):
    """What is written down while examples are learned; an array without rows is not wanted."""

    weights: np.ndarray  # (examples, members) with which examples came to members
    votes: np.ndarray  # (examples, classes) votes for each example before it was learned, added to what is there


def block_of(rows: Rows, examples: TrainingBatch, start: int, stop: int) -> Block:
    """Return the examples from `start` to before `stop`."""
    return Block(rows, examples.labels, examples.weights, start, stop)
