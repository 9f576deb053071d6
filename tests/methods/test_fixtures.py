"""Traces worked out by hand from the papers' figures, played by members that answer from a script."""

import numpy as np
import pytest

from ensembles.data.table import Attribute, Schema, Table
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.learner import TrainingBatch
from ensembles.methods.boosting.chain import OnlineBoostingRules, Passing, handed_first, new_chain, new_workspace
from ensembles.methods.boosting.online_boosting import Taught, boost_rows
from ensembles.methods.boosting.rounds import boost
from ensembles.methods.core.block import NO_VOTES, Block, Trace
from tests.methods.scripted import scripted


def test_online_boosting_weights_follow_the_trace():
    members, rows = scripted([[1, 0, 1], [0, 1, 1], [1, 1, 0]])  # who is right on which example
    chain, kept = new_chain(3), np.zeros((3, 3))
    block = Block(rows, np.ones(3, dtype=np.int64), np.ones(3), 0, 3)
    rules, handed = OnlineBoostingRules(pure=True, by_examples=False), handed_first(block.weights, 0)
    passing = Passing(chain, rules, Trace(kept, NO_VOTES), handed, new_workspace(3, 2))
    boost_rows(Taught(members, members), passing, block, np.zeros((3, 3)))
    np.testing.assert_allclose(kept.T, members.seen, atol=1e-6)
    np.testing.assert_allclose(members.seen, [[1, 1, 1], [0.5, 1, 0.75], [0.25, 0.75, 0.48214286]], atol=1e-6)
    np.testing.assert_allclose(chain.right, [2, 1.75, 1], atol=1e-8)
    np.testing.assert_allclose(chain.wrong, [1, 0.5, 0.48214286], atol=1e-8)


def test_adaboost_puts_half_the_weight_on_the_mistakes():
    members, rows = scripted([[0] * 3 + [1] * 7, [1] * 10])
    table = Table(Schema((Attribute("a", "nominal", ("x",)),)), rows.codes, rows.numbers)
    examples = TrainingBatch(table, np.ones(10, dtype=np.int64), np.ones(10))
    _, _, errors, reason, *_ = boost(BaseModel(), members, 3, rows, examples, 2)
    np.testing.assert_allclose(members.seen[0], np.ones(10))
    np.testing.assert_allclose(members.seen[1] / 10, [1 / 6] * 3 + [1 / 14] * 7, atol=1e-6)
    assert members.seen[1][:3].sum() == pytest.approx(5, abs=1e-5)
    np.testing.assert_allclose(errors, [0.3, 0.0])
    assert reason == "member 2 made no mistake on its training set"


def test_adaboost_stops_before_a_member_no_better_than_chance():
    members, rows = scripted([[0] * 3 + [1] * 7, [1] * 3 + [0] * 7, [1] * 10])
    table = Table(Schema((Attribute("a", "nominal", ("x",)),)), rows.codes, rows.numbers)
    examples = TrainingBatch(table, np.ones(10, dtype=np.int64), np.ones(10))
    _, votes, errors, reason, *_ = boost(BaseModel(), members, 3, rows, examples, 2)
    assert len(votes) == len(errors) == 1
    assert reason == "the error of member 2 was 0.5000, not below one half"
