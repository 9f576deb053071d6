"""Input decimation: attributes are chosen by correlations in plain Python, and members learn nothing else."""

import math

import numpy as np
import pandas as pd
import pytest

from ensembles import DecisionStumpClassifier, InputDecimationClassifier, NaiveBayesClassifier
from ensembles.data.encoding import encode_frame
from ensembles.learners.core.learner import TrainingBatch
from ensembles.methods.subspaces.input_decimation import correlations
from tests.examples import random_examples


def pearson(x, z, weights):
    """Return the absolute correlation of two lists, 0 where one of them does not vary."""
    total = sum(weights)
    mean_x = sum(w * a for a, w in zip(x, weights, strict=True)) / total
    mean_z = sum(w * b for b, w in zip(z, weights, strict=True)) / total
    triples = list(zip(x, z, weights, strict=True))
    xx, zz = sum(w * (a - mean_x) ** 2 for a, _, w in triples), sum(w * (b - mean_z) ** 2 for _, b, w in triples)
    xz = sum(w * (a - mean_x) * (b - mean_z) for a, b, w in triples)
    return 0.0 if min(xx, zz) < 1e-20 * total else abs(xz) / math.sqrt(xx * zz)


def strength(X, y, weights, label):
    """Return how closely each column goes with a class: of a nominal one, that of its closest value."""
    found = []
    for name in X:
        known = [i for i in range(len(y)) if weights[i] > 0 and not pd.isna(X[name].iloc[i])]
        is_class, share = [float(y[i] == label) for i in known], [weights[i] for i in known]
        column = [X[name].iloc[i] for i in known]
        if isinstance(X[name].dtype, pd.CategoricalDtype):
            found.append(max((pearson([float(v == c) for v in column], is_class, share) for c in {*column}), default=0))
        else:
            found.append(pearson(column, is_class, share) if column else 0.0)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_correlations_are_those_of_plain_python(seed):
    X, y, weights = random_examples(seed, n=40, nominal=3, numeric=3, missing=0.3)
    X["flat"], X["none"], X["no_value"] = 2.0, np.nan, pd.Categorical([None] * 40, ["a", "b"])
    seen = np.flatnonzero(weights)
    found = correlations(TrainingBatch(encode_frame(X).take(seen), y[seen], weights[seen]), 3)
    expected = np.array([strength(X, y, weights, label) for label in range(3)]).T
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("base", [NaiveBayesClassifier, DecisionStumpClassifier])
def test_a_member_a_class_learns_by_the_attributes_that_go_with_it(base):
    X, y, weights = random_examples(8, n=60, nominal=4, numeric=3)
    model = InputDecimationClassifier(base(), max_features=0.25).fit(X, y, weights)
    told = 0.0
    for label, seen in enumerate(model.estimators_features_):
        order = np.argsort(-np.array(strength(X, y, weights, label)))
        assert seen.tolist() == sorted(order[:2])
        said = base().fit(X.iloc[:, seen], y, weights).predict_proba(X.iloc[:, seen])
        assert (model.estimators_[label].predict_proba(X) == said).all()
        told += said
    assert model.n_members_ == 3
    assert len({*map(tuple, model.estimators_features_)}) > 1
    assert (model.predict_proba(X) == told / told.sum(axis=1, keepdims=True)).all()


def test_classes_of_most_weight_have_members_where_these_are_few():
    X = pd.DataFrame({"a": [1.0, 1, 0, 0, 0, 0], "b": [0.0, 0, 1, 0, 0, 0], "c": [0.0, 0, 0, 1, 1, 1]})
    model = InputDecimationClassifier(n_estimators=2, max_features=0.3).fit(X, [0, 0, 1, 2, 2, 2])
    assert [seen.tolist() for seen in model.estimators_features_] == [[0], [2]]


def test_tied_attributes_are_seen_from_the_first_on_and_huge_numbers_count():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50)
    noise = rng.normal(size=50)
    X = np.column_stack([noise, y, 1e150 * (1 - 2 * y), y])
    model = InputDecimationClassifier(max_features=0.5).fit(X, y)
    assert [seen.tolist() for seen in model.estimators_features_] == [[1, 2], [1, 2]]


def test_without_anything_that_varies_the_first_attributes_are_seen():
    model = InputDecimationClassifier(max_features=0.5).fit(np.zeros((4, 3)), list("abab"))
    assert [seen.tolist() for seen in model.estimators_features_] == [[0, 1], [0, 1]]
    assert model.predict(np.zeros((1, 3))).tolist() == ["a"]
