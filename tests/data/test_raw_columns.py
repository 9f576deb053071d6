"""Tables as people hold them, read by the attributes of training."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ensembles.data.raw_columns import labels_of_raw, table_of_raw
from ensembles.data.table import MISSING, UNSEEN, Attribute, Schema, Table
from ensembles.errors import InvalidData

COLOUR = Attribute("colour", "nominal", ("blue", "red"))
GRADE = Attribute("grade", "nominal", ("01", "1", "2", "3.0"))
ADULT = Attribute("adult", "nominal", ("FALSE", "TRUE"))
SIZE = Attribute("size", "numeric")
SCHEMA = Schema((COLOUR, SIZE, GRADE, ADULT))
CSV = """id,size,grade,colour,adult
1,1.5,2,red,true
2,?,3,blue,false
3,,9,green,true
"""


def test_a_csv_file_read_by_pandas_is_what_training_saw():
    table = table_of_raw(pd.read_csv(io.StringIO(CSV)), SCHEMA)
    assert table.schema == SCHEMA
    assert table.codes.tolist() == [[1, 2, 1], [0, 3, 0], [UNSEEN, UNSEEN, 1]]
    np.testing.assert_equal(table.numbers[:, 0], [1.5, np.nan, np.nan])
    as_texts = table_of_raw(pd.read_csv(io.StringIO(CSV), dtype=str), SCHEMA)
    assert as_texts.codes[:, 0].tolist() == [1, 0, UNSEEN]
    np.testing.assert_equal(as_texts.numbers, table.numbers)


@pytest.mark.parametrize("make", [pd.DataFrame, pa.table, dict])
def test_tables_of_several_makers_are_taken(make):
    table = table_of_raw(
        make({"size": [1, 2], "colour": ["red", None], "grade": ["1", " 2"], "adult": ["TRUE", "?"]}), SCHEMA
    )
    assert table.codes.tolist() == [[1, 1, 1], [MISSING, 2, MISSING]]
    assert table_of_raw(table, SCHEMA) is table


def test_a_number_that_two_categories_may_mean_is_neither():
    of = lambda grades: table_of_raw(frame(grade=grades), SCHEMA).codes[:, 1].tolist()  # noqa: E731
    assert of([1, 2, 3]) == [1, 2, 3], "its own text first"
    both = Schema((Attribute("grade", "nominal", ("01", "1.0", "2")),))
    assert table_of_raw(frame(grade=[1, 2]), both).codes[:, 0].tolist() == [UNSEEN, 2]


def frame(**columns):
    rows = len(next(iter(columns.values())))
    return pd.DataFrame({"colour": ["red"] * rows, "size": 1.0, "grade": "1", "adult": "TRUE"} | columns)


def test_new_values_become_categories_where_a_learner_goes_on():
    table = table_of_raw(frame(colour=["amber", "red"]), SCHEMA, widen=True)
    assert table.schema.attributes[0] == Attribute("colour", "nominal", ("amber", "blue", "red"))
    assert table.codes[:, 0].tolist() == [0, 2]
    assert table.schema.attributes[1:] == SCHEMA.attributes[1:]


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (np.ones((2, 4)), "X must be a table with the names of its columns, got ndarray"),
        (frame(size=[1]).drop(columns=["size", "colour"]), r"'grade', 'adult', but lacks 'colour', 'size'$"),
        (frame(size=[1]).iloc[0].to_dict(), "X must have a value of 'colour', 'size', .* for each example, in a list"),
        (frame(size=["1", "big"]), "attribute 'size' must be numeric as in training, got 'big' in row 1"),
        (
            frame(size=[-(10**400)]),
            r"size: numeric values must lie in \[-1e150, 1e150\] or be missing, got -inf in row 0",
        ),
        (frame(size=[True]), "attribute 'size' must be numeric as in training, got True in row 0"),
        (
            frame(size=[1e200]),
            r"size: numeric values must lie in \[-1e150, 1e150\] or be missing, got 1e\+200 in row 0",
        ),
        (
            pd.concat([frame(size=[1]), frame(size=[1])], axis=1),
            "a name of its own for each attribute, got more than one",
        ),
    ],
)
def test_what_is_no_such_table_gets_a_sentence(X, sentence):
    with pytest.raises(InvalidData, match=sentence):
        table_of_raw(X, SCHEMA)


GROUPED = ("over 2.5 to 7", "over 7", "up to 2.5")


@pytest.mark.parametrize(
    ("y", "classes", "names"),
    [
        ([True, False, True], ("true", "false"), ["true", "false", "true"]),
        (pd.Series([1.0, 2.0]), ("1", "2"), ["1", "2"]),
        (np.array([1, 2]), ("1.0", "2.0"), ["1.0", "2.0"]),
        (pd.Categorical([" yes", "new"]), ("no", "yes"), ["yes", "new"]),
        (["NA", "None"], ("NA", "None"), ["NA", "None"]),
        ([], ("no", "yes"), []),
        ([2.5, "2.6", 7, np.float32(7.1)], GROUPED, ["up to 2.5", "over 2.5 to 7", "over 2.5 to 7", "over 7"]),
        (["over 7", 8, "else"], GROUPED, ["over 7", "over 7", "else"]),
        ([3.5], (*GROUPED, "else"), ["3.5"]),
    ],
    ids=str,
)
def test_classes_are_those_that_are_meant(y, classes, names):
    assert labels_of_raw(y, classes).tolist() == names


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, "?", " NA "])
def test_an_example_without_a_class_is_refused(nothing):
    with pytest.raises(InvalidData, match=r"^y must have a class for each example, got none in row 1$"):
        labels_of_raw(["yes", nothing, "no", nothing], ("no", "yes"))


def test_an_empty_table_stays_empty():
    assert isinstance(table := table_of_raw(frame(size=[1.0])[:0], SCHEMA), Table)
    assert len(table) == 0


def test_a_whole_number_is_no_category_that_only_a_float_takes_for_it():
    schema = Schema((Attribute("id", "nominal", ("9007199254740992", "x")),))
    found = table_of_raw({"id": np.array([9007199254740993, 9007199254740992, 10**400], dtype=object)}, schema)
    assert found.codes[:, 0].tolist() == [UNSEEN, 0, UNSEEN]
    as_floats = table_of_raw({"id": [9007199254740992.0, np.nan]}, schema)
    assert as_floats.codes[:, 0].tolist() == [0, MISSING]


@pytest.mark.parametrize("text", ["1_0", "1_000.5", "١٢"])
def test_a_text_that_only_python_takes_for_a_number_is_none(text):
    with pytest.raises(InvalidData, match=f"attribute 'size' must be numeric as in training, got '{text}' in row 0"):
        table_of_raw({"size": [text]}, Schema((SIZE,)))
    coded = Schema((Attribute("code", "nominal", (text, "x")),))
    assert table_of_raw({"code": [float(text), text]}, coded).codes[:, 0].tolist() == [UNSEEN, 0]
