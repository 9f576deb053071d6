"""One member and its successor on a block of examples, until something happens to them."""

from typing import Any, NamedTuple

import numpy as np

from ensembles.jit import kernel
from ensembles.learners.core.protocol import (
    finalize,
    learn_one,
    predict_and_learn,
    predict_proba_one,
    prepare_example,
)
from ensembles.methods.core.drift import RISEN, watch

__all__ = ["DRIFT", "EVENTS", "WARNING", "Follower", "Lesson", "Watching", "follow"]

WARNING, DRIFT = 1, 2  #: events, which may come together
EVENTS = 4  #: kinds of nothing, one, or both


class Lesson(NamedTuple):
    """A block of examples, and what was drawn for each."""

    labels: np.ndarray  # (examples,)
    weights: np.ndarray  # (examples,)
    counts: np.ndarray  # (examples,) how often the member sees it
    drift: np.ndarray  # (examples,) numbers for detectors that sample
    warning: np.ndarray  # (examples,)


class Watching(NamedTuple):
    """Detectors of all members."""

    drift: Any
    warning: Any


class Follower(NamedTuple):
    """A member, by its number, and what it does."""

    m: int
    at: int  # example to go on with
    learns_behind: bool  # whether there is a successor, which learns too
    replacing: bool  # whether it is watched
    background: bool  # whether warnings count
    weighted: bool  # whether its vote counts what its accuracy is
    soft: bool  # whether it votes by its probabilities


@kernel
def follow(members, all_rows, lesson, watching, follower, record, room):
    """Test and teach a member, and teach its successor, from example `at` to the next event or the last example.

    members, all_rows: (member, successor), rows of each; record: (members, 2) examples told right, and tested; room: rows of
    classes to work in, votes for each example, to which are added those that come before learning, if there are rows.
    Return 4 times the example to go on with, plus the events that came before it.
    """
    work, votes, m = room[0], room[1], follower.m
    for i in range(follower.at, lesson.labels.shape[0]):
        label, weight = lesson.labels[i], lesson.counts[i] * lesson.weights[i]
        accuracy = record[m, 0] / record[m, 1] if follower.weighted and record[m, 0] > 0.0 else 1.0
        if votes.shape[0] > 0 and follower.soft:
            predict_proba_one(members[0], 0, all_rows[0], i, work, work[4])
            for c in range(votes.shape[1]):
                votes[i, c] += accuracy * work[4, c]
        prepare_example(members[0], all_rows[0], i)
        predicted = predict_and_learn(members[0], 0, all_rows[0], i, label, weight, False, work)
        if follower.learns_behind and weight > 0.0:
            prepare_example(members[1], all_rows[1], i)
            learn_one(members[1], 0, all_rows[1], i, label, weight)
        if predicted < 0:
            continue
        if votes.shape[0] > 0 and not follower.soft:
            votes[i, predicted] += accuracy
        mistake = int(predicted != label)
        record[m, 0] += 1 - mistake
        record[m, 1] += 1
        events = 0
        if follower.replacing:
            if follower.background and watch(watching.warning, m, mistake, lesson.warning[i]) == RISEN:
                events += WARNING
            if watch(watching.drift, m, mistake, lesson.drift[i]) == RISEN:
                events += DRIFT
        if events > 0:
            finalize(members[0], 0)
            finalize(members[1], 0)
            return EVENTS * (i + 1) + events
    finalize(members[0], 0)
    finalize(members[1], 0)
    return EVENTS * lesson.labels.shape[0]
