"""Attributes stand where they stood in training: who has names of them is told where they do not."""

import pandas as pd
import pytest

from ensembles import NaiveBayesClassifier
from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidData
from ensembles.learners.core.attribute_encoder import AttributeEncoder

CLASSES = ["u", "v", "u", "v"]


@pytest.mark.filterwarnings("ignore:X has feature names, but")
def test_attributes_of_a_table_in_another_order_are_refused():
    """A table names its attributes, and a model that learned one answered for the wrong columns."""
    X = pd.DataFrame({"a": [1.0, 2.0, 9.0, 8.0], "b": [1.0, 2.0, 1.0, 2.0]})
    turned = X[["b", "a"]]
    of_table, of_frame = NaiveBayesClassifier().fit(encode_frame(X), CLASSES), NaiveBayesClassifier().fit(X, CLASSES)
    said = r"^X must have the attributes in the order of training, 'a', 'b', got 'b', 'a': choose them by name$"
    for model, others in ((of_table, turned), (of_table, encode_frame(turned)), (of_frame, encode_frame(turned))):
        before = model.predict_proba(X)
        for ask in (model.predict, model.predict_proba, lambda table, model=model: model.partial_fit(table, CLASSES)):
            with pytest.raises(InvalidData, match=said):
                ask(others)
        assert (model.predict_proba(turned[["a", "b"]]) == before).all()
    with pytest.raises(InvalidData, match=said):
        AttributeEncoder("scale").fit(encode_frame(X)).transform(turned)
    assert (of_table.predict_proba(X.set_axis(["u", "v"], axis=1)) == of_table.predict_proba(X)).all()
