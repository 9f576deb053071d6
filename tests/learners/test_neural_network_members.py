"""Networks as members of ensembles, and how they grow with new classes and values."""

import numpy as np
from sklearn.base import clone

from ensembles import (
    BaggingClassifier,
    NeuralNetworkClassifier,
    OnlineBaggingClassifier,
    SingleClassifier,
)
from ensembles.draws import streams
from tests.examples import random_examples
from tests.learners.test_neural_network import hidden_units


def test_members_differ_and_do_not_depend_on_their_number():
    X, y, _ = random_examples(8)
    few, many = (
        OnlineBaggingClassifier(NeuralNetworkClassifier(), n_estimators=n, random_state=3).fit(X, y)._members
        for n in (3, 6)
    )
    assert (few.first_lower == many.first_lower[:3]).all()
    assert (few.lower == many.lower[:3]).all()
    assert len({members.tobytes() for members in many.first_lower}) == 6


def test_an_ensemble_hands_its_seed_down_and_leaves_the_prototype_alone():
    X, y, _ = random_examples(9)
    base_model = NeuralNetworkClassifier(epochs=2)
    first = BaggingClassifier(base_model, n_estimators=3, random_state=5).fit(X, y)
    again = BaggingClassifier(clone(base_model), n_estimators=3, random_state=5).fit(X, y)
    other = BaggingClassifier(base_model, n_estimators=3, random_state=6).fit(X, y)
    assert base_model.random_state is None
    assert (first._members.lower == again._members.lower).all()
    assert (first._members.first_lower != other._members.first_lower).any()
    fixed = BaggingClassifier(NeuralNetworkClassifier(epochs=2, random_state=5), n_estimators=3, random_state=6)
    assert (fixed.fit(X, y)._members.first_lower == first._members.first_lower).all()


def test_bagging_trains_each_member_for_all_epochs():
    X, y, _ = random_examples(10, n=40)
    bagged = BaggingClassifier(NeuralNetworkClassifier(random_state=4), n_estimators=1, random_state=3).fit(X, y)
    counts = np.bincount(streams(3, "bagging", 1)[0].integers(0, 40, 40), minlength=40)
    alone = NeuralNetworkClassifier(hidden=hidden_units(bagged), random_state=4).fit(X, y, counts)
    assert (bagged.predict(X) == alone.predict(X)).all()
    np.testing.assert_array_equal(bagged._members.lower[0], alone._members.lower[0])


def test_a_single_network_learns_a_curve_from_prefixes():
    assert not SingleClassifier(NeuralNetworkClassifier()).pieces_equal_whole
    assert SingleClassifier().pieces_equal_whole


def test_one_call_online_equals_many():
    X, y, _ = random_examples(13, n=50)
    whole = NeuralNetworkClassifier(online_momentum=0.5, random_state=1).partial_fit(X, y)
    pieces = NeuralNetworkClassifier(online_momentum=0.5, random_state=1)
    for rows in np.array_split(np.arange(50), [1, 2, 30, 31]):
        pieces.partial_fit(X.iloc[rows], y[rows], classes=np.unique(y))
    assert (whole.predict_proba(X) == pieces.predict_proba(X)).all()


def test_new_classes_and_values_may_come_later():
    X, y, _ = random_examples(11, n=60, n_classes=4, missing=0.0)
    X["n0"] = X["n0"].astype(object)
    order = np.argsort(y, kind="stable")
    for settings in ({}, {"online_momentum": 0.5}):
        online = NeuralNetworkClassifier(**settings, random_state=1)
        for i in order:
            online.partial_fit(X.iloc[[i]].infer_objects(), y[[i]])
        assert online.classes_.tolist() == [0, 1, 2, 3]
        assert online._members.upper.shape[1] == 4
        assert len(np.unique(online._members.first_upper[0], axis=0)) == 4
        assert set(online.predict(X)) <= {0, 1, 2, 3}


def test_growing_keeps_the_outputs():
    X, y, _ = random_examples(12, n=60, n_classes=2)
    model = NeuralNetworkClassifier(random_state=1).fit(X, y)
    before = model.predict_proba(X)
    model.partial_fit(X.iloc[:1].assign(n0="e"), [2], sample_weight=[2.0**-20])
    after = model.predict_proba(X)[:, :2]
    np.testing.assert_allclose(after / after.sum(axis=1, keepdims=True), before, rtol=1e-4)
