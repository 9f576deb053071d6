"""Values that a schema does not know: missing to whoever learns them, values of their own to whoever predicts."""

import copy

import numpy as np
import pytest

from ensembles.data.table import MISSING, UNSEEN, Table
from ensembles.learners.core.learner import Learner
from tests.examples import random_table
from tests.test_laws import ONLINE, PAIRS, learner


@pytest.fixture(autouse=True)
def known_values_only(monkeypatch):
    """Let training fail before a kernel, which checks no bounds, reads a value that its tables have no place for."""
    for name in ("_validated_examples", "_unchecked_examples"):
        take = getattr(Learner, name)

        def taken(self, *examples, take=take, **settings):
            batch = take(self, *examples, **settings)
            assert batch.table.codes.min(initial=0) >= MISSING
            return batch

        monkeypatch.setattr(Learner, name, taken)


def with_unseen(seed, n=40):
    """Return a table with values that its schema does not know, the same with these missing, and the classes."""
    table, y, _ = random_table(seed, n=n)
    codes = table.codes.copy()
    codes[np.random.default_rng(seed).random(codes.shape) < 0.3] = UNSEEN
    y[:3] = 0, 1, 2
    return Table(table.schema, codes, table.numbers), Table(table.schema, np.maximum(codes, -1), table.numbers), y


def assert_alike(one, other, X):
    assert (one.predict_proba(X) == other.predict_proba(X)).all()
    assert (one.predict(X) == other.predict(X)).all()


@pytest.mark.parametrize(("method", "base"), PAIRS)
def test_fit_learns_them_as_missing(method, base):
    unseen, missing, y = with_unseen(41)
    before = unseen.codes.copy()
    assert_alike(learner(method, base).fit(unseen, y), learner(method, base).fit(missing, y), unseen)
    assert (unseen.codes == before).all()


@pytest.mark.parametrize(("method", "base"), ONLINE)
def test_learners_that_go_on_learn_them_as_missing(method, base):
    unseen, missing, y = with_unseen(42)
    one, other = learner(method, base), learner(method, base)
    for part in (slice(0, 20), slice(20, 21), slice(21, 30)):
        one.partial_fit(unseen[part], y[part], classes=[0, 1, 2])
        other.partial_fit(missing[part], y[part], classes=[0, 1, 2])
    if hasattr(one, "learn_batch"):
        for part in (slice(30, 31), slice(31, 40)):
            one.learn_batch(unseen[part], y[part])
            other.learn_batch(missing[part], y[part])
    assert_alike(one, other, unseen)


@pytest.mark.parametrize(("method", "base"), [one for one in ONLINE if hasattr(learner(*one), "predict_then_learn")])
def test_they_are_predicted_as_they_are_and_then_learned_as_missing(method, base):
    unseen, missing, y = with_unseen(43, n=30)
    model = learner(method, base).partial_fit(missing[:20], y[:20], classes=[0, 1, 2])
    twin = copy.deepcopy(model)
    told, shares = model.predict_then_learn(unseen[20:], y[20:])
    for i in range(20, 30):
        assert told[i - 20] == twin.predict(unseen[i])[0]
        np.testing.assert_allclose(shares[i - 20], twin.predict_proba(unseen[i])[0], rtol=1e-9)
        twin.partial_fit(missing[i], y[[i]])
    assert_alike(model, twin, unseen)


@pytest.mark.parametrize(("method", "base"), ONLINE)
def test_they_are_predicted_as_they_are_while_late_labels_come(method, base):
    unseen, missing, y = with_unseen(44, n=30)
    model = learner(method, base).partial_fit(missing[:20], y[:20], classes=[0, 1, 2])
    if not hasattr(model, "predict_late_then_learn"):
        return
    expected = model.predict(unseen)
    twin = copy.deepcopy(model)
    told, _ = model.predict_late_then_learn(unseen, np.full(10, 30), unseen[20:], y[20:])
    assert (told == expected).all()
    for i in range(20, 30):
        twin.partial_fit(missing[i], y[[i]])
    assert_alike(model, twin, unseen)
