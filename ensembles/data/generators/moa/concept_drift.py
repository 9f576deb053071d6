"""Which concept each example of a stream is from, as MOA's ConceptDriftStream draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ensembles.data.generators.stream import Floats, Labels, Stream

__all__ = ["concepts_of", "concepts_over"]

_SURE = 40.0  # from here on a probability of 1 / (1 + exp(-x)) is 1 to the last bit


@dataclass
class _Change:
    """From one concept to the next: its random numbers, and how many examples it was asked for."""

    random: Any
    asked: int = 0


def concepts_of(stream: Stream) -> Labels:
    """Return how many changes lie behind each row that is wanted, of shape (n,).

    Each change is a ConceptDriftStream (`-p` position, `-w` width, `-r` seed) whose second stream is the next: a stream
    counts the examples that it is asked for. The change after the k-th concept, from 0, has the seed of the stream plus k.
    """
    from ensembles.data.generators.moa.java_random import draw_doubles, new_random  # see data/openml.py

    rows, changes = np.arange(stream.n), stream.once("changes", dict)
    over = concepts_over(stream)
    found = np.full(stream.n, over, dtype=np.int64)
    for number in range(over, stream.most_changes):
        if not len(rows):
            break
        if number not in changes:
            changes[number] = _Change(new_random(stream.seed + number))
        drawn = np.empty(len(rows))
        draw_doubles(changes[number].random, drawn)
        chosen = drawn <= _probability(stream, changes[number].asked, len(rows))
        changes[number].asked += len(rows)
        rows = rows[chosen]
        found[rows] += 1
    return found


def concepts_over(stream: Stream) -> int:
    """Return how many concepts, from the first, never come again: the changes after them are certain from now on."""
    changes, over = stream.once("changes", dict), stream.carried.get("over", 0)
    while over in changes and _exponent(stream, changes[over].asked, 1)[0] < -_SURE:
        over += 1
        stream.carried["over"] = over
    return int(over)


def _probability(stream: Stream, asked: int, n: int) -> Floats:
    """Return with which probability each of the next `n` examples comes from the second stream."""
    probability: Floats = 1.0 / (1.0 + np.exp(np.minimum(_exponent(stream, asked, n), 700.0)))
    return probability


def _exponent(stream: Stream, asked: int, n: int) -> Floats:
    position = int(stream.position)
    width = max(int(stream.width), 1) if stream.drift == "gradual" else 1
    exponent: Floats = -4.0 * (np.arange(asked + 1, asked + n + 1) - position) / width
    return exponent
