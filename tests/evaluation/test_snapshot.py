"""Snapshots of every learner that learns online: what is read back goes on as what was written."""

import numpy as np
import pytest

from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidData
from ensembles.evaluation.snapshot import read_snapshot, write_snapshot
from ensembles.evaluation.stream_pass import StreamPass
from ensembles.evaluation.timing import Stopwatch
from ensembles.registry import make_learner, methods
from tests.examples import random_examples
from tests.pairs import first_base
from tests.test_laws import ONLINE

PAIRS = [(m, b) for m, b in ONLINE if m == "single" or b == first_base(m)]
N, CUT = 120, 80
FRAME, Y, _ = random_examples(4, n=N, n_classes=2)
X = encode_frame(FRAME)


def part_of(way, stop):
    told = []
    while way.position < stop:
        part = slice(way.position, min(way.position + way.next_size, stop))
        told.append(way.take(X.take(part), Y[part]))
    return [np.concatenate(each) for each in zip(*told, strict=True)]


def way_of(learner):
    return StreamPass(learner, 2, probabilities=True, stopwatch=Stopwatch(), pause=lambda: None)


@pytest.mark.parametrize(("method", "base"), PAIRS)
def test_what_is_read_back_goes_on_to_the_same_digits(method, base):
    few = {"n_estimators": 3} if "n_estimators" in methods()[method].cls().get_params() else {}
    learner = make_learner(method, base, settings=few, random_state=3)
    way = way_of(learner)
    way.learn_head(X, Y)
    part_of(way, CUT)
    again = read_snapshot(write_snapshot({"learner": learner}))["learner"]
    expected = part_of(way, N)
    later = way_of(again)
    later.go_on_from(CUT, None, [])
    told = part_of(later, N)
    assert (told[0] == expected[0]).all()
    assert (told[1] == expected[1]).all()
    assert (again.predict_proba(X) == learner.predict_proba(X)).all()


class Foreign:
    """Of no package that learners come from."""


def test_objects_of_other_packages_are_neither_made_nor_read():
    snapshot = write_snapshot({"learner": Foreign()})
    with pytest.raises(InvalidData, match=r"which may hold objects of ensembles, numpy, .* got tests\.evaluation"):
        read_snapshot(snapshot)
    assert isinstance(read_snapshot(snapshot, {"tests"})["learner"], Foreign)


def test_what_cannot_be_written_is_said():
    with pytest.raises(InvalidData, match="its state cannot be kept in a snapshot: "):
        write_snapshot({"learner": (number for number in range(3))})
