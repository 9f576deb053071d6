"""`AttributeEncoder` beside other transformers of scikit-learn, and what it says where something is missing."""

import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_requires_y_none

from ensembles.errors import InvalidData
from ensembles.learners.core.attribute_encoder import AttributeEncoder
from tests.learners.test_attribute_encoder import people


def test_what_is_advised_where_intervals_are_no_array_makes_numbers_of_them():
    X, y = people()
    cut = AttributeEncoder("entropy", nominal="one_hot")
    with pytest.raises(InvalidData, match=r"the nominal 'x': .*, also of intervals that one before it has cut;"):
        make_pipeline(cut, LogisticRegression()).fit(X, y)
    model = make_pipeline(cut, AttributeEncoder(nominal="one_hot"), LogisticRegression()).fit(X, y)
    assert model[:-1].get_feature_names_out().tolist()[-2:] == ["x = below 3.0", "x = from 3.0"]
    assert model.score(X, y) == 1.0


def test_intervals_by_entropy_need_classes():
    """Without them each attribute was one interval, and all examples were alike."""
    X, _ = people()
    with pytest.raises(
        InvalidData, match=r"^encode: numeric='entropy' requires y to be passed, but the target y is None$"
    ):
        AttributeEncoder("entropy").fit(X)
    with pytest.raises(InvalidData, match="requires y to be passed"):
        AttributeEncoder("entropy").fit_transform(X)
    check_requires_y_none("AttributeEncoder", AttributeEncoder("entropy"))
    assert get_tags(AttributeEncoder("entropy")).target_tags.required
    assert not get_tags(AttributeEncoder("scale")).target_tags.required
    assert AttributeEncoder("equal_width").fit(X).transform(X).shape == X.shape


def test_columns_are_encoded_each_in_its_way_and_put_together():
    X, y = people()
    columns = ColumnTransformer(
        [("x", AttributeEncoder("scale"), ["x"]), ("c", AttributeEncoder(nominal="one_hot"), ["c"])]
    )
    encoded = columns.fit_transform(X, y)
    assert encoded.shape == (60, 4)
    assert (encoded == AttributeEncoder("scale", "one_hot").fit(X[["x", "c"]]).transform(X[["x", "c"]]).numbers).all()
    assert columns.get_feature_names_out().tolist() == ["x__x", "c__c = b", "c__c = g", "c__c = r"]
    assert make_pipeline(columns, LogisticRegression()).fit(X, y).score(X, y) > 0.9
    with pytest.raises(
        InvalidData, match=r"the nominal 'c': .* its set_output\(transform='pandas'\) makes a DataFrame"
    ):
        ColumnTransformer([("x", AttributeEncoder(), ["x"]), ("c", AttributeEncoder(), ["c"])]).fit_transform(X)
