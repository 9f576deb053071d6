"""Which concept each example of a stream is from, as MOA's ConceptDriftStream draws it."""

import numpy as np

from ensembles.data.generators.stream import Floats, Labels, Stream

__all__ = ["concepts_of"]


def concepts_of(stream: Stream) -> Labels:
    """Return how many changes lie behind each row, of shape (rows,).

    Each change is a ConceptDriftStream (`-p` position, `-w` width, `-r` seed) whose second stream is the next: a stream
    counts the examples that it is asked for. The change after the k-th concept, from 0, has the seed of the stream plus k.
    """
    from ensembles.data.generators.moa.java_random import draw_doubles, new_random  # see data/openml.py

    found = np.zeros(stream.rows, dtype=np.int64)
    rows = np.arange(stream.rows)
    for change in range(stream.most_changes):
        drawn = np.empty(len(rows))
        draw_doubles(new_random(stream.seed + change), drawn)
        rows = rows[drawn <= _probability(stream, len(rows))]
        found[rows] += 1
    return found


def _probability(stream: Stream, n: int) -> Floats:
    """Return with which probability each of `n` examples comes from the second stream."""
    position = int(stream.drift_at * stream.rows)
    width = max(int(stream.drift_width * stream.rows), 1) if stream.drift == "gradual" else 1
    x = -4.0 * (np.arange(1, n + 1) - position) / width
    probability: Floats = 1.0 / (1.0 + np.exp(np.minimum(x, 700.0)))
    return probability
