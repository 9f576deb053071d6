"""What X may be: tables, arrays and lists of all makers by the same rules, and what is refused, each with its sentence."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from ensembles import NaiveBayesClassifier
from ensembles.data import frames
from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidCell, InvalidData
from ensembles.learners.core.attribute_encoder import AttributeEncoder

COLUMNS = {"c": ["r", "g", None, "r"], "x": [1, 2, None, 4], "b": [True, False, True, True]}
KINDS = [("nominal", ("g", "r")), ("numeric", ()), ("nominal", ("False", "True"))]
CLASSES = ["u", "v", "u", "v"]
CELLS = [list(row) for row in zip(*COLUMNS.values(), strict=True)]


def polars():
    return pytest.importorskip("polars").DataFrame


def kinds_of(X, **settings):
    model = NaiveBayesClassifier(**settings).fit(X, CLASSES)
    return [(attribute.kind, attribute.categories) for attribute in model._schema.attributes]


TABLES = {
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas-objects": lambda: pd.DataFrame(COLUMNS, dtype=object),
    "pandas-nullable": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas-arrow": lambda: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: polars()(COLUMNS),
    "arrow": lambda: pa.table(COLUMNS),
    "arrow-batch": lambda: pa.RecordBatch.from_pydict(COLUMNS),
    "arrow-decimals": lambda: pa.table({**COLUMNS, "x": [Decimal(1), None, Decimal("2.5"), Decimal(1)]}),
    "array-of-objects": lambda: np.array(CELLS, dtype=object),
    "lists": lambda: CELLS,
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_the_same_whoever_made_it(kind):
    X = TABLES[kind]()
    assert kinds_of(X) == KINDS
    model = NaiveBayesClassifier().fit(pd.DataFrame(COLUMNS), CLASSES)
    asked = X if hasattr(model.fit(X, CLASSES), "feature_names_in_") else pd.DataFrame(CELLS)
    probabilities = model.predict_proba(asked)
    if kind != "arrow-decimals":  # which has other numbers
        expected = NaiveBayesClassifier().fit(pd.DataFrame(COLUMNS), CLASSES).predict_proba(pd.DataFrame(COLUMNS))
        assert probabilities.tolist() == expected.tolist()


@pytest.mark.parametrize("kind", ["f8", "i8", "bool", "object"])
def test_what_a_masked_array_masks_is_missing(kind):
    cells = np.array([[0, 1], [1, 0], [0, 0], [1, 1]]).astype(kind)
    masked = np.ma.masked_array(cells, mask=[[False, True], [False, False], [True, False], [False, False]])
    plain = np.array([[0, np.nan], [1, 0], [np.nan, 0], [1, 1]])
    model, expected = (NaiveBayesClassifier().fit(X, CLASSES) for X in (masked, plain))
    assert (model.predict_proba(masked) == expected.predict_proba(plain)).all()
    untouched = np.ma.masked_array(cells)
    assert (model.predict_proba(untouched) == expected.predict_proba(cells.astype(float))).all()
    fields = np.ma.masked_array(np.array([(1, "r"), (2, "g")] * 2, dtype=[("n", int), ("c", "U1")]), mask=[(1, 0)] * 4)
    assert kinds_of(fields) == [("numeric", ()), ("nominal", ("g", "r"))]


def test_arrays_of_texts_hold_numbers_that_numpy_made_texts_of():
    assert kinds_of(np.array([["r", 1.5], ["g", 2], ["b", 3], ["r", 1]])) == [
        ("nominal", ("b", "g", "r")),
        ("numeric", ()),
    ]
    assert kinds_of(np.array([[b"r", b"1"]] * 4)) == [("nominal", ("r",)), ("numeric", ())]
    model = NaiveBayesClassifier().fit(np.array([["r", "u"], ["g", "v"]]), [0, 1])
    assert len(model.predict(np.array([["1", "2"]]))) == 1  # texts, as in training
    assert kinds_of(np.array([[None, 1], [None, 2], [None, 3], [None, 4]], dtype=object)) == [("numeric", ())] * 2


def test_categories_of_polars_and_arrow_keep_their_order():
    words = pa.array(["r", "g", "r", "g"]).dictionary_encode()
    assert kinds_of(pa.table({"c": words})) == [("nominal", ("r", "g"))]
    own = polars()
    import polars as pl

    assert kinds_of(own({"c": ["r", "g"] * 2}, schema={"c": pl.Enum(["r", "g", "b"])})) == [
        ("nominal", ("r", "g", "b"))
    ]
    with pytest.raises(
        InvalidData, match=r"^X must be a table, got a query that has not been run: give X\.collect\(\)$"
    ):
        kinds_of(own(COLUMNS).lazy())


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.coo_array, sparse.csc_array])
def test_sparse_is_made_dense(make):
    X = np.array([[0, 1.5], [2, 0], [0, 0], [3, 1]])
    dense, thin = (NaiveBayesClassifier().fit(own, CLASSES) for own in (X, make(X)))
    assert thin.predict_proba(make(X)).tolist() == dense.predict_proba(X).tolist()
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(X))
    assert NaiveBayesClassifier().fit(frame, CLASSES).predict_proba(X).tolist() == dense.predict_proba(X).tolist()


def test_sparse_of_too_many_cells_is_refused_with_a_remedy(monkeypatch):
    monkeypatch.setattr(frames, "MOST_DENSE", 12)
    sentence = r"X is sparse and must have at most 12 cells, .*, got 4 rows of 4: choose attributes \(SelectKBest\), .*"
    with pytest.raises(InvalidData, match=sentence):
        NaiveBayesClassifier().fit(sparse.csr_array((4, 4)), CLASSES)
    model = NaiveBayesClassifier().fit(sparse.csr_array((4, 3)), CLASSES)
    with pytest.raises(InvalidData, match="got 5 rows of 3"):
        model.predict(sparse.csr_array((5, 3)))
    assert len(model.predict(sparse.csr_array((4, 3)))) == 4


MOMENTS = [date(2020, 1, 1), datetime(2020, 1, 1, 12), time(12), timedelta(hours=1)]


@pytest.mark.parametrize("moment", MOMENTS, ids=repr)
@pytest.mark.parametrize("maker", ["pandas", "polars", "arrow"])
def test_dates_are_refused_with_a_remedy_unless_they_are_said_to_be_nominal(maker, moment):
    make = {"pandas": lambda: pd.DataFrame, "polars": polars, "arrow": lambda: pa.table}[maker]()
    X = make({"a": [1, 2, 3, 4], "when": [moment] * 4})
    remedy = (
        "durations: .* seconds" if isinstance(moment, timedelta) else "dates or times: .* days since 1970, or parts"
    )
    with pytest.raises(InvalidData, match=f"^attribute 'when' must not hold {remedy}"):
        NaiveBayesClassifier().fit(X, CLASSES)
    assert kinds_of(X, categorical_features=["when"])[1][0] == "nominal"


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (np.array([["2020-01-01"]] * 4, dtype="M8[D]"), "attribute '0' must not hold dates"),
        (np.array([[3]] * 4, dtype="m8[s]"), "attribute '0' must not hold durations"),
        (pd.DataFrame({"p": pd.period_range("2020", periods=4)}), "attribute 'p' must not hold dates"),
        (pd.DataFrame({"t": pd.date_range("2020", periods=4, tz="UTC")}), "attribute 't' must not hold dates"),
        (pd.DataFrame({"z": [1j, 1, 2, 3]}), "attribute 'z' must hold real numbers, got complex ones"),
        (pd.DataFrame({"h": [10**400, 1, 2, 3]}, dtype=object), "attribute 'h': numeric values must lie in"),
        (pd.DataFrame({"ab": [1, 1e200, 2, 3]}), r"ab: numeric values must lie in .*, got 1e\+200 in row 1"),
        (
            pd.DataFrame({"ab": [1, np.inf, 2, 3], "c": ["r"] * 4}),
            "ab: numeric values must lie in .*, got inf in row 1",
        ),
        (np.array([[1, 2.0], [1, -np.inf], [1, 1], [1, 1]]), "x1: numeric values must lie in .*, got -inf in row 1"),
        (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), "a name of its own for each attribute, got more than one 'a'"),
        (pa.table([[1] * 4] * 2, names=["a", "a"]), "a name of its own for each attribute, got more than one 'a'"),
        (pd.DataFrame(), "^X must have at least one attribute, got a table without columns$"),
        (pd.DataFrame(index=range(4)), "^X must have at least one attribute, got a table without columns$"),
        (pd.Series([1, 2, 3, 4]), r"X must be a table, got a Series: give X.to_frame\(\) for an attribute"),
        ({"a": [1, 2, 3, 4]}, r"^X must be a table, got a dictionary: give pandas.DataFrame\(X\)$"),
        ([{"a": 1}] * 4, r"^X must be a table, got dictionaries: give pandas.DataFrame\(X\)$"),
        (["r", "s", "r", "s"], "^X must be a table, got texts or objects in a row: give .* for an attribute"),
        (np.array(["r", "s", "r", "s"]), "^X must be a table, got texts or objects in a row: give .* for an attribute"),
        ("cars.csv", "^X must be a table, got 'cars.csv'$"),
        (pa.chunked_array([[1, 2, 3, 4]]), "X must be a table of numbers, texts and truth values, got ChunkedArray"),
    ],
    ids=str,
)
def test_what_is_no_value_is_refused_by_the_name_of_its_attribute(X, sentence):
    with pytest.raises(InvalidData, match=sentence):
        NaiveBayesClassifier().fit(X, CLASSES)


def test_a_structured_array_is_a_table():
    cells = np.array([(1.5, "r"), (2.5, "s"), (1.5, "s"), (0.5, "r")], dtype=[("x", float), ("c", "U1")])
    model = NaiveBayesClassifier().fit(cells, CLASSES)
    assert model.feature_names_in_.tolist() == ["x", "c"]
    assert (model.predict(cells) == NaiveBayesClassifier().fit(pd.DataFrame(cells), CLASSES).predict(cells)).all()


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (pd.Series(["a", None, "b", "a"], dtype="string"), "y must have a class for each example, got none in row 1"),
        (("a", "b", "a", None), "y must have a class for each example, got none in row 3"),
        ([0.0, 1.0, np.nan, 1.0], "y must have a class for each example, got none in row 2"),
        (
            np.ma.masked_array([1, 2, 1, 2], mask=[0, 0, 1, 0]),
            "y must have a class for each example, got none in row 2",
        ),
        (np.array([1, "a", 1, "b"], dtype=object), "y must hold classes of one kind, got 1, 'b'"),
    ],
    ids=str,
)
@pytest.mark.parametrize("X", [np.arange(4.0)[:, None], pd.DataFrame({"c": list("rsrs")})], ids=["numbers", "texts"])
def test_what_is_no_class_is_refused_with_its_row_or_its_kind(X, y, sentence):
    with pytest.raises(InvalidData, match=f"^naive_bayes: {sentence}"):
        NaiveBayesClassifier().fit(X, y)
    with pytest.raises(InvalidData, match=f"^AttributeEncoder: {sentence}"):
        AttributeEncoder().fit(X, y)


@pytest.mark.parametrize(
    "numbers", [[1, 2, 1, 2], [True, False, True, False], [np.int8(3), 4, 3, 4], [1.0, 2.0, 1.0, 2.0]]
)
@pytest.mark.parametrize("X", [np.arange(4.0)[:, None], pd.DataFrame({"c": list("rsrs")})], ids=["numbers", "texts"])
def test_numbers_that_are_held_as_objects_are_classes(X, numbers):
    for y in (np.array(numbers, dtype=object), pd.Series(numbers, dtype=object)):
        model = NaiveBayesClassifier().fit(X, y)
        assert model.classes_.tolist() == sorted({*numbers})
        assert model.classes_.dtype == np.array(numbers).dtype
        assert model.score(X, y) == model.score(X, np.array(numbers)) == (model.predict(X) == numbers).mean()


def test_truth_values_beside_numbers_are_no_classes():
    with pytest.raises(ValueError, match="Unknown label type"):
        NaiveBayesClassifier().fit(np.arange(4.0)[:, None], np.array([1, True, 2, False], dtype=object))


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (
            np.ma.masked_array([1, 2, 1, 2], mask=[0, 0, 1, 0]),
            "y must have a class for each example, got none in row 2",
        ),
        (np.array([0.0, 1.0, np.nan, 1.0]), "y must have a class for each example, got none in row 2"),
        (np.array(["a", None, "b", "a"], dtype=object), "y must have a class for each example, got none in row 1"),
        (np.array([1, "a", 1, "b"], dtype=object), "y must hold classes of one kind, got 1, 'b'"),
    ],
    ids=str,
)
def test_what_is_no_class_is_refused_beside_a_table_too(y, sentence):
    table = encode_frame(pd.DataFrame({"c": list("rsrs")}))
    with pytest.raises(InvalidData, match=f"^naive_bayes: {sentence}$"):
        NaiveBayesClassifier().fit(table, y)


def test_classes_of_several_kinds_are_refused():
    with pytest.raises(InvalidData, match=r"^naive_bayes: classes must be of one kind, got 'a', None$"):
        NaiveBayesClassifier().partial_fit([[1.0], [2.0]], ["a", "a"], classes=["a", None])
    with pytest.raises(InvalidData, match=r"^naive_bayes: classes must be of one kind, got 1, 'a'$"):
        NaiveBayesClassifier().partial_fit([[1.0], [2.0]], ["a", "1"], classes=[1, "a"])


@pytest.mark.parametrize(
    ("known", "later"), [([9, 10], ["9", "10"]), (["no", "yes"], [0, 1]), ([2**62, 2**62 + 1], [0.0, 1.0])], ids=str
)
def test_later_classes_are_of_the_kind_of_the_first(known, later):
    """They were made texts, or numbers with fewer digits: classes changed places, or two became one."""
    X = [[1.0], [2.0]]
    model = NaiveBayesClassifier().partial_fit(X, known)
    before = model.predict_proba(X)
    sentence = "^naive_bayes: y must hold classes of the kind of those known, "
    with pytest.raises(InvalidData, match=sentence):
        model.partial_fit(X, later)
    with pytest.raises(InvalidData, match=sentence):
        model.learn_one(X[0], later[0])
    assert model.classes_.tolist() == sorted(known)
    assert (model.predict_proba(X) == before).all()


def test_later_classes_may_be_numbers_of_another_type_and_longer_texts():
    model = NaiveBayesClassifier().partial_fit([[1.0], [2.0]], np.array([3, 1], dtype=np.int8))
    assert model.partial_fit([[1.0], [2.0]], [2.0, 300.0]).classes_.tolist() == [1, 2, 3, 300]
    model = NaiveBayesClassifier().partial_fit([[1.0], [2.0]], ["a", "b"])
    assert model.partial_fit([[1.0]], np.array(["longer"], dtype=object)).classes_.tolist() == ["a", "b", "longer"]


@pytest.mark.parametrize("cells", [[1, None, "x", 2.5], [2.5, 3, True, 4]])
def test_texts_among_numbers_are_refused_unless_they_are_said_to_be_nominal(cells):
    text = next(cell for cell in cells if isinstance(cell, str | bool))
    sentence = (
        f"must hold only texts or only numbers, got {text!r} in row 2 and {cells[0]} in row 0: .*categorical_features$"
    )
    for X in (
        pd.DataFrame({"a": cells}, dtype=object),
        np.array(cells, dtype=object)[:, None],
        [[cell] for cell in cells],
    ):
        name = "a" if isinstance(X, pd.DataFrame) else "0"
        if not isinstance(X, list) or isinstance(
            text, str
        ):  # of truth values among numbers in lists NumPy makes numbers
            with pytest.raises(InvalidData, match=f"^attribute '{name}' {sentence}"):
                NaiveBayesClassifier().fit(X, CLASSES)
        assert kinds_of(X, categorical_features=[0])[0][0] == "nominal"


def test_cells_that_are_tables_themselves_are_refused():
    for cell in ({"a": 1}, [1]):
        with pytest.raises(
            InvalidCell, match=r"attribute 'l': a cell .* must be a string, a truth value or a number, got "
        ):
            NaiveBayesClassifier().fit(pa.table({"l": [cell] * 4}), CLASSES)


def test_what_a_column_was_in_training_it_is_later():
    model = NaiveBayesClassifier().fit(pa.table(COLUMNS), CLASSES)
    assert len(model.predict(pd.DataFrame({"c": [7, "r"], "x": [1, 2], "b": [True, None]}, dtype=object))) == 2
    with pytest.raises(InvalidData, match="attribute 'x' must be numeric as in training, got nominal"):
        model.predict(pa.table({"c": ["r"], "x": ["1"], "b": [True]}))
    with pytest.raises(ValueError, match="unseen at fit time:\n- zz"):
        model.predict(pa.table({"c": ["r"], "x": [1], "zz": [True]}))
    with pytest.raises(InvalidData, match="attribute 'x' must not hold dates"):
        model.learn_one({"c": "r", "x": date(2020, 1, 1), "b": True}, "u")
