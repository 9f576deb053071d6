"""Trials as lines of bundles: what was never left by a trial is refused."""

import json

import pytest

from ensembles.errors import InvalidInput
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.right_or_wrong import RIGHT_ON_STRETCHES
from ensembles.experiments.records import KeptModel, TrialPlan, TrialResult
from ensembles.experiments.trial_lines import trial_from_line, trial_to_line

PLAN = TrialPlan("a" * 32, 0, 0, 0, 0, 0)


def line_of(x=(0.0, 10.0, 20.0), y=(9.0, 10.0, 0.0), **more):
    return trial_to_line(PLAN, TrialResult(PLAN.key, curves={RIGHT_ON_STRETCHES: Curve(x, y)}, **more))


def test_stretches_come_back_and_a_model_stays_at_home():
    plan, result = trial_from_line("trials", line_of(model=KeptModel(b"content", {})))
    assert plan == PLAN
    assert result.curves == {RIGHT_ON_STRETCHES: Curve((0.0, 10.0, 20.0), (9.0, 10.0, 0.0))}
    assert result.model is None


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ((0.0, 10.0), (11.0, 0.0)),
        ((0.0, 10.0), (-1.0, 0.0)),
        ((10.0, 0.0), (1.0, 0.0)),
        ((0.0,), (0.0,)),
        (tuple(map(float, range(4098))), (0.0,) * 4098),
    ],
)
def test_stretches_hold_no_more_than_they_are_long_and_are_few(x, y):
    with pytest.raises(InvalidInput, match="must have at most 4,096 stretches, and count in them"):
        trial_from_line("trials", line_of(x, y))


def test_a_model_of_somebody_is_refused():
    line = json.loads(line_of())
    line["result"]["model"] = {"content": "UEs=", "facts": {}}
    with pytest.raises(InvalidInput, match="it must leave no model, as only a runner may keep what it made itself"):
        trial_from_line("trials", json.dumps(line).encode())


def test_a_trial_counts_the_examples_of_the_longest_stream_and_no_more():
    most = 10**12
    _, result = trial_from_line("trials", line_of(n_train=most, n_test=most, confusion=((most, 0), (0, 0))))
    assert (result.n_train, result.n_test, result.confusion) == (most, most, ((most, 0), (0, 0)))
    with pytest.raises(InvalidInput, match=r"n_test must be in \[0, 1,000,000,000,000\]"):
        trial_from_line("trials", line_of(n_test=most + 1))
    with pytest.raises(InvalidInput, match=r"members_used must be in \[0, 2,147,483,647\]"):
        trial_from_line("trials", line_of(members_used=2**31))
