"""Blocked boosting against figure 2.9 in plain Python."""

import numpy as np
import pytest

from ensembles import BlockedBoostingClassifier, DecisionStumpClassifier, NaiveBayesClassifier, SingleClassifier
from ensembles.draws import stream
from ensembles.methods.boosting import blocked_boosting
from tests.examples import random_table


def blocks_of(base, X, y, size, mode, seed):
    """Return the blocks and the error estimates as figure 2.9 makes them."""
    draws = stream(seed, "blocked_boosting", 0).random(len(y))
    members, blocks, estimates, at = [], [], [], 0
    while True:
        block, e, t = [], 0, 0
        while len(block) < size and at < len(y):
            t += 1
            votes = np.zeros(len(set(y)))
            for member in members:
                votes[member.predict(X[[at]])[0]] += 1
            tied = np.flatnonzero(votes == votes.max())
            seen = np.bincount(y[:at], minlength=len(votes))
            vote = tied[np.argmax(seen[tied])]
            if not members:
                block.append(at)
            elif vote != y[at]:
                block.append(at)
                e += 1
            else:
                q = 0.75 * estimates[-1] + 0.25 * e / t
                if q == 1 or draws[at] < q / (1 - q):
                    block.append(at)
            at += 1
        if len(block) < size:
            return blocks, estimates
        first = 0.5 if mode == "ivotes" else 1.0
        estimates.append(0.75 * estimates[-1] + 0.25 * e / t if estimates else first)
        members.append(base().fit(X[block], y[block]))
        blocks.append(block)


@pytest.mark.parametrize("base", [NaiveBayesClassifier, DecisionStumpClassifier])
@pytest.mark.parametrize("mode", ["ivotes", "literal"])
def test_blocks_are_those_of_figure_2_9(base, mode, monkeypatch):
    monkeypatch.setattr(blocked_boosting, "BLOCK", 37)  # blocks that span several windows
    X, y, _ = random_table(1, n=150, n_classes=3, numeric=1, missing=0.3)
    blocks, estimates = blocks_of(base, X, y, 12, mode, 5)
    model = BlockedBoostingClassifier(base(), block_size=12, mode=mode, random_state=5).fit(X, y)
    assert len(blocks) > 4
    np.testing.assert_allclose(model.error_estimates_, estimates, rtol=1e-12)
    votes = np.zeros((150, 3))
    for block in blocks:
        votes[np.arange(150), base().fit(X[block], y[block]).predict(X)] += 1
    np.testing.assert_array_equal(model.predict_proba(X), votes / len(blocks))


def test_the_number_of_members_is_bounded_by_the_stream_and_by_the_cap():
    X, y, _ = random_table(2, n=60)
    assert BlockedBoostingClassifier(block_size=10, random_state=1).fit(X, y).n_members_ <= 6
    capped = BlockedBoostingClassifier(n_estimators=2, block_size=10, mode="literal", random_state=1).fit(X, y)
    assert capped.n_members_ == 2
    assert capped.n_drawn_ == 20  # as printed, the second block is taken as it comes


def test_fewer_examples_than_a_block_train_one_member():
    X, y, _ = random_table(3, n=30)
    model = BlockedBoostingClassifier(block_size=100).fit(X, y)
    assert model.n_members_ == 1
    assert (model.predict(X) == SingleClassifier().fit(X, y).predict(X)).all()
