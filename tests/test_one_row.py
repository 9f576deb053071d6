"""One example at a time: the same bits as tables of one row, the same refusals, and River's answers."""

import pickle

import numpy as np
import pandas as pd
import pytest

from ensembles import NaiveBayesClassifier, OnlineBaggingClassifier, PerceptronClassifier
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.registry import base_models, methods
from tests.examples import random_examples
from tests.pairs import first_base
from tests.test_laws import learner

ONLINE = [(key, first_base(key)) for key, entry in methods().items() if entry.online]
ONLINE += [("single", key) for key, entry in base_models().items() if entry.online and key != "naive_bayes"]


def stream(n=24, seed=31):
    """Return examples with values and classes that come late: as a table, as dictionaries, and their classes."""
    X, y, _ = random_examples(seed, n=n, n_classes=3)
    X = X.astype({"n0": object, "n1": object})
    y = np.array(["no", "yes", "perhaps"])[np.where((y == 2) & (np.arange(n) < 10), 0, y)]
    X.loc[0] = ["a", "b", 1.0, 2.0]
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    return X, rows, y


@pytest.mark.parametrize(("method", "base"), ONLINE)
def test_one_by_one_is_as_in_tables_of_one_row(method, base):
    X, rows, y = stream()
    by_rows, by_tables = learner(method, base), learner(method, base)
    declared = np.unique(y) if methods()[method].cls.needs_classes else None
    assert by_rows.predict_one(rows[0]) is None
    assert by_rows.predict_proba_one(rows[0]) == {}
    for i, (row, label) in enumerate(zip(rows, y.tolist(), strict=True)):
        first = declared if i == 0 else None
        by_rows.learn_one(dict(reversed(row.items())) if i else row, label, classes=first)
        by_tables.partial_fit(X.iloc[i : i + 1], y[i : i + 1], classes=first)
    expected = by_tables.predict_proba(X)
    assert (by_rows.predict_proba(X) == expected).all()
    told = [by_rows.predict_proba_one(row) for row in rows[:5]]
    assert [[*each] for each in told] == [by_rows.classes_.tolist()] * 5
    assert ([[*each.values()] for each in told] == expected[:5]).all()
    assert [by_rows.predict_one([*row.values()]) for row in rows[:5]] == by_tables.predict(X[:5]).tolist()


def test_a_first_example_without_attributes_is_refused_and_changes_nothing():
    model = OnlineBaggingClassifier(NaiveBayesClassifier(), n_estimators=3)
    for nothing in ({}, []):
        with pytest.raises(InvalidData, match=r"^X must have at least one attribute, got a table without columns$"):
            model.learn_one(nothing, "yes")
    assert model.learn_one({"a": 1.0}, "yes").predict_one({"a": 1.0}) == "yes"


def test_an_example_with_two_attributes_of_one_name_is_refused_and_changes_nothing():
    model, twice = NaiveBayesClassifier(), pd.Series([1.0, 2.0], index=["a", "a"])
    said = r"^naive_bayes: x must have a name of its own, as text, for each attribute, got "
    for _ in range(2):
        with pytest.raises(InvalidData, match=f"{said}1, '1'$"):
            model.learn_one({1: 1.0, "1": 2.0}, "yes")
        with pytest.raises(InvalidData, match=f"{said}'a', 'a'$"):
            model.learn_one(twice, "yes")
        model.learn_one({"a": 1.0}, "yes")
    with pytest.raises(InvalidData, match=f"{said}'a', 'a'$"):
        model.predict_one(twice)
    assert model.n_features_in_ == 1


def test_learners_in_batch_have_no_names_of_learning_one_by_one():
    for key in ("bagging", "adaboost"):
        assert not hasattr(methods()[key].cls(), "learn_one")
        assert not hasattr(methods()[key].cls(), "predict_one")


@pytest.mark.parametrize(
    ("x", "said"),
    [
        ({"a": 1.0}, "naive_bayes: x must have the attributes of the first examples, 'a', 'b', got 'a'"),
        ({"a": 1.0, "c": "u"}, "'a', 'b', got 'a', 'c'"),
        ({}, "'a', 'b', got none$"),
        ([1.0], "naive_bayes: x must have 2 values, as the first examples had, got 1"),
        ("ab", "naive_bayes: x must be a dictionary or a row of values, got 'ab'"),
        ({"a": "text", "b": "u"}, "attribute 'a' must be numeric as in training, got nominal"),
        ({"a": True, "b": "u"}, "attribute 'a' must be numeric as in training, got nominal"),
        ({"a": 1e200, "b": "u"}, "a: numeric values must lie in"),
        ({"a": -np.inf, "b": "u"}, "a: numeric values must lie in"),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_change_nothing(x, said):
    model = NaiveBayesClassifier()
    for value in ("u", "v", "u"):
        model.learn_one({"a": 1.5, "b": value}, value == "u")
    before = model.predict_proba_one({"a": 2, "b": "v"})
    with pytest.raises(InvalidData, match=said):
        model.learn_one(x, True)
    with pytest.raises(InvalidData, match=said):
        model.predict_one(x)
    assert model.predict_proba_one({"a": 2, "b": "v"}) == before


def test_a_value_never_learned_is_unseen_when_predicted_and_missing_ones_are_missing():
    X, rows, y = stream()
    model = NaiveBayesClassifier()
    for row, label in zip(rows, y, strict=True):
        model.learn_one(row, label)
    table = X[:1].assign(n0=["new"], m0=[np.nan])
    for missing in (None, np.nan, pd.NA):
        told = model.predict_proba_one({**rows[0], "n0": "new", "m0": missing})
        assert [*told.values()] == model.predict_proba(table)[0].tolist()


def test_numbers_stand_for_nominal_values_as_in_tables():
    model = NaiveBayesClassifier(categorical_features=[0])
    for value in (1, 2, 1.0, np.int64(2), 1):
        model.learn_one([value, 0.5], int(value))
    assert model._schema.attributes[0].categories == ("1", "2")
    assert model.predict_one(np.array([2.0, 0.5])) == 2
    assert model.predict_one(pd.Series([1.0, 0.5])) == 1


def test_numbers_of_short_types_are_the_same_numbers():  # whose sums overflow, which NumPy warns of
    model = NaiveBayesClassifier()
    for value, label in ((2.0**30, 0), (2.0**31 - 1, 1), (0.0, 0)):
        model.learn_one([value, value], label)
    asked = model.predict_proba_one([2.0**31 - 1, 2.0**31 - 1])
    assert model.predict_proba_one([np.int32(2**31 - 1)] * 2) == asked
    assert model.predict_proba_one([np.float32(2.0**30)] * 2) == model.predict_proba_one([2.0**30] * 2)


def test_changed_parameters_are_noticed_between_two_rows():
    single, bagged = NaiveBayesClassifier(), OnlineBaggingClassifier(NaiveBayesClassifier(), 3, random_state=0)
    for model in (single, bagged):
        for label in (0, 1, 0):
            model.learn_one([1.0, 2.0], label)
    with pytest.raises(InvalidParameter, match="must stay as it was"):
        single.set_params(smoothing="none").learn_one([1.0, 2.0], 1)
    bagged.set_params(rate=3.0).learn_one([1.0, 2.0], 1)
    assert bagged._given.rate == 3.0
    with pytest.raises(InvalidParameter, match="must stay as it was"):
        bagged.set_params(estimator__smoothing="none").learn_one([1.0, 2.0], 1)


def test_weights_and_classes_declared_go_the_way_of_a_table():
    X, y, _ = random_examples(33, nominal=0, missing=0)
    by_rows, by_tables = PerceptronClassifier(), PerceptronClassifier()
    for i, row in enumerate(X.to_numpy()):
        by_rows.learn_one(row, y[i], sample_weight=2.0, classes=[0, 1, 2])
        by_tables.partial_fit(row[None], [y[i]], sample_weight=[2.0], classes=[0, 1, 2])
    assert (by_rows.predict_proba(X.to_numpy()) == by_tables.predict_proba(X.to_numpy())).all()


@pytest.mark.parametrize("method", ["online_bagging", "online_bayesian_bagging", "online_boosting"])
def test_numbers_drawn_ahead_are_used_in_their_order(method):
    X, y, _ = random_examples(34, n=90, nominal=0)
    X = X.to_numpy()
    whole, pieces = learner(method, "naive_bayes").fit(X, y), learner(method, "naive_bayes")
    pieces.partial_fit(X[:5], y[:5], classes=[0, 1, 2])
    for row, label in zip(X[5:75].tolist(), y[5:75].tolist(), strict=True):  # more than are drawn at a time
        pieces.learn_one(row, label)
    twin = pickle.loads(pickle.dumps(pieces))
    for model in (pieces, twin):
        model.partial_fit(X[75:], y[75:])
        assert (model.predict_proba(X) == whole.predict_proba(X)).all()
    assert (pieces.fit(X, y).predict_proba(X) == whole.predict_proba(X)).all()
