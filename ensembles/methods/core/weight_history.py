"""What is written down while members are weighed: their mistakes, the ensemble's, and how their weights went."""

from typing import NamedTuple

import numpy as np

from ensembles.jit import inner

__all__ = ["Record", "new_record", "note"]

_POINTS = 500
_MOST_KEPT = 2**20  # numbers in the history


class Record(NamedTuple):
    """Mistakes, and the history of weights at some of the examples weighed, evenly spaced."""

    wrong: np.ndarray  # (m,) weight of the examples that the member got wrong
    own: np.ndarray  # (2,) weight of all examples, and of those that the ensemble got wrong before it saw their class
    history: np.ndarray  # (points, m) member weights
    times: np.ndarray  # (points,) examples weighed by then
    cursor: np.ndarray  # (3,) points used, examples from one point to the next, examples weighed


def new_record(n_members: int) -> Record:
    """Return a record of nothing yet, with room for up to 500 points of the history."""
    points = max(2, min(_POINTS, _MOST_KEPT // n_members))
    return Record(
        wrong=np.zeros(n_members),
        own=np.zeros(2),
        history=np.zeros((points, n_members)),
        times=np.zeros(points, dtype=np.int64),
        cursor=np.array([0, 1, 0], dtype=np.int64),
    )


@inner
def note(record, weights, chosen, label, weight):
    """Write down how the ensemble did, and the member weights if it is time; if full, every second point goes."""
    history, times, cursor = record.history, record.times, record.cursor
    record.own[0] += weight
    if chosen != label:
        record.own[1] += weight
    cursor[2] += 1
    if cursor[2] % cursor[1] != 0:
        return
    if cursor[0] == times.shape[0]:
        kept = 0
        for p in range(1, cursor[0], 2):
            times[kept] = times[p]
            for m in range(history.shape[1]):
                history[kept, m] = history[p, m]
            kept += 1
        cursor[0] = kept
        cursor[1] *= 2
        if cursor[2] % cursor[1] != 0:
            return
    times[cursor[0]] = cursor[2]
    for m in range(history.shape[1]):
        history[cursor[0], m] = weights[m]
    cursor[0] += 1
