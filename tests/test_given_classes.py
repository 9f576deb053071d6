"""Classes in the types of other libraries are what they were."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from ensembles import NaiveBayesClassifier
from ensembles.data.encoding import encode_array
from ensembles.errors import InvalidData


@pytest.mark.parametrize(
    ("classes", "dtype", "of_numpy"),
    [
        ([False, True], "boolean", "bool"),
        ([1, 2], "Int64", "int64"),
        ([2**53, 2**53 + 1], "Int64", "int64"),
        ([1, 2], "UInt8", "uint8"),
        ([2**53, 2**53 + 1], "int64[pyarrow]", "int64"),
        ([False, True], "bool[pyarrow]", "bool"),
    ],
    ids=str,
)
@pytest.mark.parametrize("X", [np.arange(4.0)[:, None], pd.DataFrame({"c": list("rsrs")})], ids=["numbers", "texts"])
def test_classes_in_types_of_pandas_with_room_for_missing_ones_stay_what_they_are(X, classes, dtype, of_numpy):
    """They became floating-point numbers: True was 1.0, and 2^53 and 2^53 + 1 one class."""
    y = pd.Series(classes * 2, dtype=dtype)
    for given in (y, y.array):
        model = NaiveBayesClassifier().fit(X, given)
        assert model.classes_.dtype == model.predict(X).dtype == of_numpy
        assert model.classes_.tolist() == classes
        assert model.partial_fit(X, given, classes=y.unique()).classes_.tolist() == classes
    with pytest.warns(DataConversionWarning):
        assert NaiveBayesClassifier().fit(X, y.to_frame()).classes_.tolist() == classes


def test_declared_classes_may_be_a_set():
    for classes in ({"b", "a"}, frozenset(["a", "b"]), {"a": 1, "b": 2}.keys()):
        assert NaiveBayesClassifier().partial_fit([[1.0]], ["b"], classes=classes).classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("classes", [{"a": 1, "b": 2}, "generator"], ids=str)
def test_declared_classes_may_be_whatever_can_be_gone_through(classes):
    given = (name for name in "ab") if classes == "generator" else classes
    assert NaiveBayesClassifier().partial_fit([[1.0]], ["b"], classes=given).classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("classes", "got"), [([], "none"), (np.array([]), "none"), (3, "3"), ("ab", "'ab'"), ((), "none")], ids=str
)
def test_declared_classes_that_are_no_list_of_classes_are_refused(classes, got):
    with pytest.raises(InvalidData, match=f"^naive_bayes: classes must be a list of all classes, got {got}$"):
        NaiveBayesClassifier().partial_fit([[1.0], [2.0]], [0, 1], classes=classes)


def test_truth_values_as_categories_stay_truth_values():
    X, y = np.arange(4.0)[:, None], pd.Series([True, False, True, False], dtype="category")
    for given in (y, y.array):
        model = NaiveBayesClassifier().fit(X, given)
        assert model.classes_.tolist() == [False, True]
        assert model.predict(X).dtype == bool
        assert model.score(X, given) == (model.predict(X) == y.to_numpy(bool)).mean()
        assert NaiveBayesClassifier().partial_fit(X, given, classes=given).classes_.dtype == bool
    with pytest.warns(DataConversionWarning):
        assert NaiveBayesClassifier().fit(X, y.to_frame()).classes_.tolist() == [False, True]


@pytest.mark.parametrize("X", [np.arange(4.0)[:, None], encode_array(np.arange(4.0)[:, None])], ids=["array", "Table"])
def test_intervals_as_classes_are_refused_with_what_to_do(X):
    y = pd.cut(pd.Series([1.0, 2.0, 3.0, 4.0]), 2)
    for given in (y, y.array, y.astype(y.cat.categories.dtype)):
        with pytest.raises(
            InvalidData, match=r"^naive_bayes: y must hold texts, .*, got intervals: y\.astype\(str\) makes"
        ):
            NaiveBayesClassifier().fit(X, given)
    assert len(NaiveBayesClassifier().fit(X, y.astype(str)).classes_) == 2


def test_texts_of_any_length_of_numpy_are_texts():
    texts = np.array([["r", "1.5"], ["s", "2.5"], ["r", "3.5"], ["s", "4.5"]])
    of_any_length = texts.astype(np.dtypes.StringDType())
    model = NaiveBayesClassifier().fit(of_any_length, of_any_length[:, 0])
    expected = NaiveBayesClassifier().fit(texts.astype(object), texts[:, 0])
    assert model.classes_.tolist() == ["r", "s"]
    assert model._schema == expected._schema
    assert (model.predict_proba(of_any_length) == expected.predict_proba(texts.astype(object))).all()
    assert model.score(of_any_length, of_any_length[:, 0]) == 1.0


@pytest.mark.parametrize("shape", [(1, 4), (2, 2)])
def test_classes_that_are_held_as_objects_stand_in_one_column_too(shape):
    y = np.array([0, 1, 0, 1], dtype=object).reshape(shape)
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an array of shape"):
        NaiveBayesClassifier().fit(np.arange(4.0)[:, None], y)
