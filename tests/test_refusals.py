"""What no learner takes: attributes, classes, base models and settings that are not there, each with its sentence."""

import numpy as np
import pandas as pd
import pytest

from ensembles import DecisionStumpClassifier
from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.registry import base_models, find_learner, make_learner, methods
from tests.examples import random_examples
from tests.test_laws import PAIRS, learner

CHOOSING = [key for key, entry in methods().items() if not entry.chooses_base]
FORBIDDEN = [(method, base) for method in CHOOSING for base in base_models() if base not in methods()[method].bases]
BY_NAME = r"must be attributes of X, 'n0', 'n1', 'm0', by position from 0 to 2 or by name"
NOT_NOMINAL = [
    (["n0", "zz"], f"{BY_NAME}, got 'zz'"),
    ([7], f"{BY_NAME}, got 7"),
    ([-1], f"{BY_NAME}, got -1"),
    ([True, 0], f"{BY_NAME}, got True"),
    ([True, False], "must have a truth value for each of 3 attributes, got 2 values"),
    (["n0", "n0"], "must tell each attribute once, got 'n0' and 'n0'"),
    (np.array([1, 1]), "must tell each attribute once, got 1 and 1"),
    (["n1", 1], "must tell each attribute once, got 'n1' and 1"),
    ("n0", "must be a list of names or positions, got 'n0'"),
    (2, "must be a list of names or positions, got 2"),
]


@pytest.mark.compiled  # refused before any kernel runs
@pytest.mark.parametrize(("method", "base"), PAIRS)
def test_nominal_attributes_that_are_not_there_are_refused(method, base):
    X, y, _ = random_examples(19, numeric=1)
    key = base if method == "single" else method
    for features, sentence in NOT_NOMINAL:
        model = learner(method, base)
        getattr(model, "estimator", model).set_params(categorical_features=features)
        with pytest.raises(InvalidParameter, match=f"^{key}: categorical_features {sentence}$"):
            model.fit(X, y)
        if hasattr(model, "partial_fit"):
            with pytest.raises(InvalidParameter, match=f"^{key}: categorical_features {sentence}$"):
                model.partial_fit(encode_frame(X), y)
        assert not hasattr(model, "classes_")
    getattr(model, "estimator", model).set_params(categorical_features=["n0", "m0"])
    with pytest.raises(InvalidParameter, match=f"^{key}: categorical_features must be nominal in a Table, got 'm0'$"):
        model.fit(encode_frame(X), y)


def test_nominal_attributes_are_named_by_name_by_position_or_by_truth_values():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 1.0], "b": [0.5, 0.1, 0.7, 0.9], "c": [1.0, 1.0, 2.0, 2.0]})
    y, nominal = [0, 1, 0, 1], (0, 2)
    for features in (["a", "c"], [2, 0], ["c", 0], [True, False, True], np.array(["a", "c"]), np.array([1, 0, 1]) > 0):
        model = DecisionStumpClassifier(categorical_features=features).fit(X, y)
        assert model._schema.nominal == nominal
    assert DecisionStumpClassifier(categorical_features=[0, 2]).fit(X.to_numpy(), y)._schema.nominal == nominal
    with pytest.raises(
        InvalidParameter, match=r"attributes of X, which have no names, by position from 0 to 2, got 'a'$"
    ):
        DecisionStumpClassifier(categorical_features=["a"]).fit(X.to_numpy(), y)
    wide = pd.DataFrame(np.zeros((2, 12)), columns=[f"x{j}" for j in range(12)])
    with pytest.raises(InvalidParameter, match=r"'x8', 'x9', \.\.\., by position from 0 to 11 or by name, got 'y'$"):
        DecisionStumpClassifier(categorical_features=["y"]).fit(wide, [0, 1])


def test_what_is_nominal_is_settled_by_the_first_examples():
    X, y = np.array([[1.0], [2.0], [1.0], [2.0]]), [0, 1, 0, 1]
    model = DecisionStumpClassifier(categorical_features=[0]).fit(X, y).set_params(categorical_features=[5])
    assert model.predict([[2.0]]).tolist() == [1]
    with pytest.raises(InvalidParameter, match="categorical_features must stay as it was at the first examples"):
        model.partial_fit(X, y)
    with pytest.raises(InvalidParameter, match="by position from 0 to 0, got 5"):
        model.fit(X, y)


def test_undeclared_classes_get_a_sentence():
    X, y, _ = random_examples(15, n_classes=3)
    with pytest.raises(InvalidData, match="online_boosting: y must be among the declared classes"):
        learner("online_boosting", "naive_bayes").partial_fit(X, y, classes=[0, 1])


def test_a_foreign_base_model_gets_a_sentence():
    entry = methods()["bagging"]
    with pytest.raises(InvalidParameter, match=r"bagging: estimator must be a base model of this package or .*, got 3"):
        entry.cls(estimator=3).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize(("method", "base"), FORBIDDEN)
def test_every_forbidden_pair_gets_a_sentence(method, base):
    with pytest.raises(InvalidParameter, match=f"{method}: base must learn online, so be one of .*, got '{base}'"):
        make_learner(method, base)
    model = methods()[method].cls(estimator=find_learner(base).cls())
    with pytest.raises(InvalidParameter, match=f"{method}: estimator must learn online, .*, got {base}, which sees"):
        model.fit([[1.0], [2.0]], [0, 1])


def test_pairs_are_forbidden_where_an_online_method_meets_a_batch_base_model():
    online = [key for key in CHOOSING if methods()[key].cls.needs_online_base]
    batch = [key for key, entry in base_models().items() if not entry.online]
    assert [(method, base) for method in online for base in batch] == FORBIDDEN
    assert len(online) >= 12
    assert len(batch) >= 10


def test_unknown_settings_and_bases_get_a_sentence():
    with pytest.raises(InvalidParameter, match="adaboost: unknown setting 'speed'; there are n_estimators"):
        make_learner("adaboost", "naive_bayes", settings={"speed": 3})
    with pytest.raises(InvalidParameter, match=r"base model must be one of naive_bayes, decision_stump, .*got 'oak'"):
        make_learner("adaboost", "oak")


@pytest.mark.parametrize(
    ("classes", "weight", "sentence"),
    [
        (12, 1.0, r": y must have a class for each of 20 examples, got 12$"),
        (1, 1.0, r": y must have a class for each of 20 examples, got 1$"),
        (20, -1.0, r"^sample_weight must be finite and not negative, got -1$"),
        (20, 0.0, r"^sample_weight: at least one weight must be positive, got only zeros$"),
    ],
)
@pytest.mark.parametrize("method", ["bagging", "output_codes"])
def test_members_are_not_tested_on_what_is_no_example(method, classes, weight, sentence):
    X, y, _ = random_examples(16, n=20)
    model = make_learner(method, "naive_bayes", settings={"n_estimators": 2}, random_state=1).fit(X, y)
    with pytest.raises(ValueError, match=sentence):
        list(model.errors_on(X, y[:classes], np.full(classes, weight)))


@pytest.mark.parametrize("method", ["bagging", "output_codes"])
def test_members_are_not_tested_on_classes_of_another_kind(method):
    X, y, _ = random_examples(16, n=20)
    model = make_learner(method, "naive_bayes", settings={"n_estimators": 2}, random_state=1).fit(X, y)
    sentence = rf"^{method}: y must hold classes of the kind of those known, 0, 1, 2, got '0', '1', '2'$"
    with pytest.raises(InvalidData, match=sentence):
        list(model.errors_on(X, y.astype(str)))
