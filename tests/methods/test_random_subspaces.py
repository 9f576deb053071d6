"""Random subspaces and patches: members are base models trained on the columns and rows drawn for them."""

import math

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from ensembles import DecisionStumpClassifier, NaiveBayesClassifier, RandomSubspacesClassifier, SingleClassifier
from ensembles.data.encoding import encode_frame
from ensembles.draws import stream, streams
from ensembles.errors import InvalidParameter
from tests.examples import random_examples


def drawn(seed, n_members, n_attributes, share):
    """Return the attributes of each member, in plain Python."""
    size = math.ceil(share * n_attributes)
    return [sorted(stream(seed, "attribute_subsets", m).permutation(n_attributes)[:size]) for m in range(n_members)]


def average(members, X, subspaces):
    told = sum(member.predict_proba(X.iloc[:, seen]) for member, seen in zip(members, subspaces, strict=True))
    return told / told.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("base", [NaiveBayesClassifier, DecisionStumpClassifier])
@pytest.mark.parametrize("max_features", [0.4, 0.75])
def test_members_learn_all_examples_by_the_attributes_drawn_for_them(base, max_features):
    X, y, weights = random_examples(1, n=60, nominal=3, numeric=2)
    model = RandomSubspacesClassifier(base(), n_estimators=4, max_features=max_features, random_state=5)
    subspaces = drawn(5, 4, 5, max_features)
    assert len({*map(tuple, subspaces)}) > 1
    members = [base().fit(X.iloc[:, seen], y, weights) for seen in subspaces]
    assert (model.fit(X, y, weights).predict_proba(X) == average(members, X, subspaces)).all()


@pytest.mark.parametrize("bootstrap", [False, True])
def test_members_learn_random_patches(bootstrap):
    X, y, _ = random_examples(2, n=61)
    model = RandomSubspacesClassifier(n_estimators=4, max_samples=0.5, bootstrap=bootstrap, random_state=3)
    members, subspaces, size = [], drawn(3, 4, 4, 0.5), 31
    for rng, seen in zip(streams(3, "random_subspaces", 4), subspaces, strict=True):
        rows = rng.integers(0, 61, size) if bootstrap else rng.permutation(61)[:size]
        assert (len({*rows}) < size) == bootstrap
        counts = np.bincount(rows, minlength=61).astype(float)
        members.append(NaiveBayesClassifier().fit(X.iloc[:, seen], y, counts))
    assert (model.fit(X, y).predict_proba(X) == average(members, X, subspaces)).all()


def test_members_on_all_attributes_and_examples_are_the_single_model():
    X, y, weights = random_examples(3)
    model = RandomSubspacesClassifier(n_estimators=3, max_features=1.0).fit(X, y, weights)
    single = SingleClassifier().fit(X, y, weights)
    np.testing.assert_allclose(model.predict_proba(X), single.predict_proba(X), rtol=1e-15)


def test_a_single_attribute_is_seen_by_all():
    X, y, _ = random_examples(4, nominal=0, numeric=1)
    model = RandomSubspacesClassifier(n_estimators=3, max_features=0.01).fit(X, y)
    assert (model.predict(X) == SingleClassifier().fit(X, y).predict(X)).all()


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_a_stream_is_predicted_and_learned_as_one_example_after_another(vote):
    X, y, _ = random_examples(5, n=50)
    table = encode_frame(X)

    def begun():
        model = RandomSubspacesClassifier(n_estimators=3, vote=vote, random_state=1)
        return model.partial_fit(table.take(slice(0, 3)), y[:3], classes=range(3))

    one_by_one, told = begun(), []
    for i in range(3, 50):
        row = table.take(slice(i, i + 1))
        told.append((one_by_one.predict(row)[0], *one_by_one.predict_proba(row)[0]))
        one_by_one.partial_fit(row, y[i : i + 1])
    at_once = begun()
    classes, probabilities = at_once.predict_then_learn(table.take(slice(3, 50)), y[3:])
    assert (np.column_stack([classes, probabilities]) == np.array(told)).all()
    assert (at_once.predict_proba(table) == one_by_one.predict_proba(table)).all()


@pytest.mark.parametrize("patch", [{"max_samples": 0.5}, {"bootstrap": True}])
def test_patches_are_not_learned_online(patch):
    X, y, _ = random_examples(6)
    model = RandomSubspacesClassifier(n_estimators=3, **patch).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(InvalidParameter, match=r"random_subspaces: max_samples must be 1 and bootstrap false to learn"):
        model.partial_fit(X, y)
    assert (model.predict_proba(X) == before).all()


def test_base_models_that_learn_in_batch_are_learned_in_batch_only():
    model = RandomSubspacesClassifier(SklearnTree(), n_estimators=3)
    assert not hasattr(model, "partial_fit")
    assert hasattr(RandomSubspacesClassifier(), "partial_fit")
