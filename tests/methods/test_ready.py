"""Ready ensembles of other libraries: handed examples as a careful user of those libraries would."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.preprocessing import OneHotEncoder
from threadpoolctl import threadpool_info, threadpool_limits

from ensembles import SingleClassifier, SklearnDecisionTreeClassifier
from ensembles.data.encoding import encode_array, encode_frame
from ensembles.data.table import MISSING, UNSEEN, Attribute, Table
from ensembles.errors import InvalidConfig, NotInstalled
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.resolve import check_installed
from ensembles.learners.core.learner import TrainingBatch
from ensembles.libraries import find_lack, lack_of
from ensembles.methods.core.grid import best_of, candidates_of, folds_of
from ensembles.methods.core.handover import Handover
from ensembles.registry import methods
from tests.examples import random_examples


def made(key, **settings):
    """Return an untrained learner with few members; skip where its library is not installed."""
    if lack := lack_of(methods()[key].cls):
        pytest.skip(lack)
    return methods()[key].cls(random_state=7, n_estimators=5, **settings)


def _one_tree():
    return SingleClassifier(SklearnDecisionTreeClassifier())


def forest(kind):
    inputs = ColumnTransformer([("n", OneHotEncoder(), ["n0", "n1"]), ("m", "passthrough", ["m0", "m1"])])

    def direct(X, y, weights):
        model = kind(n_estimators=5, random_state=7).fit(inputs.fit_transform(X), y, weights)
        return model.predict_proba(inputs.transform(X))

    return direct


def hist(X, y, weights):
    model = HistGradientBoostingClassifier(max_iter=5, random_state=7, categorical_features="from_dtype")
    with threadpool_limits(1, user_api="openmp"):
        return model.fit(X, y, weights).predict_proba(X)


def xgb(X, y, weights):
    from xgboost import XGBClassifier

    model = XGBClassifier(n_estimators=5, random_state=7, enable_categorical=True, n_jobs=1)
    return model.fit(X, y, sample_weight=weights).predict_proba(X)


def lgbm(X, y, weights):
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(
        n_estimators=5,
        random_state=7,
        n_jobs=1,
        verbose=-1,
        min_data_per_group=20,
        deterministic=True,
        force_row_wise=True,
    )
    return model.fit(X, y, sample_weight=weights).predict_proba(X)


def cat(X, y, weights):
    from catboost import CatBoostClassifier

    texts = X.astype({"n0": object, "n1": object}).fillna({"n0": "?", "n1": "?"})
    model = CatBoostClassifier(
        n_estimators=5,
        random_state=7,
        max_depth=6,
        thread_count=1,
        cat_features=["n0", "n1"],
        logging_level="Silent",
        allow_writing_files=False,
    )
    return model.fit(texts, y, sample_weight=weights).predict_proba(texts)


DIRECTLY = {
    "random_forest": forest(RandomForestClassifier),
    "extra_trees": forest(ExtraTreesClassifier),
    "hist_gradient_boosting": hist,
    "xgboost": xgb,
    "lightgbm": lgbm,
    "catboost": cat,
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("key", DIRECTLY)
def test_predictions_are_those_of_the_library_called_directly(key, weighted):
    model = made(key)
    X, y, _ = random_examples(3, n=300)
    weights = np.random.default_rng(0).integers(1, 4, 300).astype(float) if weighted else None
    told = model.fit(X, y, weights).predict_proba(X)
    expected = DIRECTLY[key](X, y, weights)
    assert (told.argmax(axis=1) == expected.argmax(axis=1)).all()
    np.testing.assert_allclose(told, expected, rtol=2e-7 if expected.dtype == np.float32 else 0)
    assert np.ptp(told, axis=0).max() > 0.1, "it learned something"


def test_nominal_values_become_numbers_or_inputs_and_those_never_seen_are_missing():
    kinds = (
        Attribute("a", "nominal", ("x", "y", "z")),
        Attribute("b", "numeric"),
        Attribute("c", "nominal", ("u", "v")),
    )
    a, c = np.array([0, 2, 2, MISSING], np.int32), np.array([1, 1, 0, 0], np.int32)
    table = Table.from_columns(kinds, [a, np.array([1.5, np.nan, -1e100, 0.0]), c])
    later = Table.from_columns(
        kinds, [np.array([1, UNSEEN], np.int32), np.array([np.nan, 2.0]), np.full(2, MISSING, np.int32)]
    )
    coded = Handover.learned(table, one_hot=False)
    nan = np.nan
    np.testing.assert_array_equal(coded.inputs(table), [[0, 1.5, 1], [1, nan, 1], [1, -3e38, 0], [nan, 0, 0]])
    np.testing.assert_array_equal(coded.inputs(later), [[nan, nan, nan], [nan, 2, nan]])
    spread = Handover.learned(table, one_hot=True)
    np.testing.assert_array_equal(spread.inputs(table)[:, :3], [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(spread.inputs(later), [[0, 0, 1, nan, 0, 0], [0, 0, 1, 2, 0, 0]])
    np.testing.assert_allclose(spread.by_attribute(np.array([1.0, 0, 1, 1, 3, 2])), [0.25, 0.125, 0.625])


def test_of_too_many_values_the_rarest_are_one():
    codes = np.array([0, 1, 1, 2, 3, 3, 3, 4], np.int32)
    table = Table.from_columns([Attribute("a", "nominal", tuple("abcde"))], [codes])
    assert Handover.learned(table, one_hot=False, most_values=3).inputs(table).ravel().tolist() == [
        2,
        0,
        0,
        2,
        1,
        1,
        1,
        2,
    ]


def test_three_hundred_values_are_learned_by_histograms():
    rng = np.random.default_rng(1)
    values = rng.permutation(np.repeat(np.arange(300), 12))
    X = pd.DataFrame({"a": pd.Categorical([f"v{value}" for value in values])})
    model = made("hist_gradient_boosting", min_samples_leaf=1).fit(X, values % 2)
    assert model.score(X, values % 2) > 0.8


@pytest.mark.parametrize("key", DIRECTLY)
def test_a_class_with_one_example_an_attribute_without_values_and_a_table_of_two_rows_are_learned(key):
    X, y, _ = random_examples(4, n=60)
    X = X.assign(m0=np.nan, n0=pd.Categorical([None] * 60, ["a"]))
    rare = np.where(np.arange(60) == 7, "once", np.where(y == 1, "b", "c"))
    model = made(key).fit(X, rare)
    assert model.classes_.tolist() == ["b", "c", "once"]
    assert model.predict_proba(X).shape == (60, 3)
    made(key, tune="grid").fit(X[:2], [0, 1]).predict(X)
    if key == "hist_gradient_boosting":
        made(key, early_stopping="on").fit(X, rare)


@pytest.mark.parametrize("key", DIRECTLY)
def test_what_a_grid_chose_is_said_and_is_what_was_trained(key):
    X, y, weights = random_examples(5, n=60, n_classes=2)
    model = made(key, tune="grid").set_params(n_estimators=2)
    told = []
    model.on_progress = told.append
    model.fit(X, y, weights)
    assert model.best_params_.keys() == model.grid.keys()
    twin = made(key, **model.best_params_).set_params(n_estimators=2).fit(X, y, weights)
    assert (model.predict_proba(X) == twin.predict_proba(X)).all()
    assert told == sorted(told)
    assert len(told) > 3 * 4
    assert told[-1] == 1.0


def test_a_grid_is_tried_by_stratified_folds_and_equal_candidates_give_the_first():
    X, y, _ = random_examples(6, n=50, n_classes=2)
    y[0], y[1:] = 7, np.minimum(y[1:], 1)
    labels = np.unique(y, return_inverse=True)[1]
    folds = folds_of(labels, 3, seed=1)
    assert len(folds) == 2, "the rarest class has one example"
    assert sorted(np.concatenate([test for _, test in folds])) == [*range(50)]
    assert folds_of(np.arange(4), 3, seed=1) == []
    candidates = candidates_of({"a": (1, 2), "b": (3, 4)}, {"a": 2, "b": 9, "c": 0})
    assert candidates == [{"a": 2, "b": 9}, {"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4}]
    examples = TrainingBatch(encode_frame(X), labels, np.where(labels == 2, 100.0, 1.0))

    def by_a(_, candidate):
        return lambda table: np.full(len(table), candidate["a"])

    assert best_of(candidates, examples, folds, by_a) == {"a": 2, "b": 9}, "weights count"
    even = examples._replace(weights=np.ones(50))
    assert best_of(candidates, even, folds, by_a) == ({"a": 1, "b": 3} if (labels == 1).sum() > 1 else None)


@pytest.mark.parametrize("key", DIRECTLY)
def test_stages_end_in_the_whole_and_importances_are_shares(key):
    X, y, _ = random_examples(7, n=200, nominal=1)
    X["m1"] = y + np.random.default_rng(0).normal(size=200) / 10
    model = made(key, min_samples_leaf=2) if key == "hist_gradient_boosting" else made(key)
    stages = [*model.fit(X, y).staged_predict(X)]
    assert len(stages) == model.n_members_ == 5
    assert (stages[-1] == model.predict(X)).all()
    if model.has_importances:
        assert model.feature_importances_.shape == (3,)
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert model.feature_importances_.argmax() == 2
    else:
        assert not hasattr(model, "feature_importances_")


@pytest.mark.parametrize("key", [*DIRECTLY, "stacking", "soft_voting", "principal_components_combining"])
def test_members_are_those_of_the_library(key):
    X, y, _ = random_examples(10, n=60)
    model = (made(key) if key in DIRECTLY else methods()[key].cls(random_state=1)).fit(X, y + 3)
    told = [each.predict(model.library_inputs(X)) for each in model.estimators_]
    if hasattr(model, "member_classes"):
        assert len(told) == model.n_members_ > 1
        assert (np.array(told) == model.member_classes(X)).all()
    else:
        assert (model.classes_[np.ravel(told).astype(int)] == model.predict(X)).all()
    alone = clone(model).fit(X, ["a"] * 60)
    assert len(alone.estimators_) == 1


def test_trees_of_a_forest_can_be_asked_alone():
    X, y, _ = random_examples(8)
    model = made("random_forest").fit(X, y + 3)
    inputs = model._inputs(X)
    assert (model.member_classes(X)[2] == model.estimator_.estimators_[2].predict(inputs)).all()
    assert model.member_sizes_[2].nodes == model.estimator_.estimators_[2].tree_.node_count


def test_early_stopping_is_told():
    X, y, _ = random_examples(9, n=120, n_classes=2)
    X["m0"] = y
    model = made("hist_gradient_boosting", early_stopping="on", learning_rate=1.0).set_params(n_estimators=60).fit(X, y)
    assert 10 <= model.n_members_ < 60
    assert (
        model.stop_reason_
        == f"ten rounds up to round {model.n_members_} had not lowered the loss on what was held back"
    )
    with threadpool_limits(1, user_api="openmp"):
        at_once = copy.deepcopy(model.estimator_).fit(model._inputs(X), y)
    assert (at_once.predict_proba(model._inputs(X)) == model.predict_proba(X)).all(), "in pieces as at once"
    assert made("hist_gradient_boosting").fit(X, y).stop_reason_ is None


def test_threads_are_held_to_one():
    assert made("random_forest").fit([[1.0], [2.0]], [0, 1]).estimator_.n_jobs == 1
    seen = []
    model = made("hist_gradient_boosting")
    model.on_progress = lambda _: seen.extend(
        one["num_threads"] for one in threadpool_info() if one["user_api"] == "openmp"
    )
    X, y, _ = random_examples(9)
    with threadpool_limits(2):
        model.fit(X, y)
    assert {*seen} == {1}


@pytest.mark.parametrize("key", ["xgboost", "lightgbm", "catboost"])
def test_what_is_not_installed_is_said_in_a_sentence(key, monkeypatch):
    monkeypatch.setattr("ensembles.libraries.find_spec", lambda _: None)
    find_lack.cache_clear()
    sentence = (
        f"^{key} needs the library {key}, which is not installed; `make boosting` or .* installs what is missing$"
    )
    with pytest.raises(NotInstalled, match=sentence):
        methods()[key].cls().fit([[1.0], [2.0]], [0, 1])
    document = f"name: x\ndatasets: [iris]\nlearners: [{{method: {key}}}]\nprotocol: {{kind: holdout}}\n"
    config = ExperimentConfig.from_yaml(document)  # what is stored opens
    with pytest.raises(InvalidConfig, match=sentence):
        check_installed(config)
    find_lack.cache_clear()


@pytest.mark.parametrize("make", [methods()["random_forest"].cls, methods()["stacking"].cls, _one_tree])
def test_many_classes_of_few_encoded_examples_are_no_quantity(make):
    """Trials hand over tables that were checked; warnings end a test."""
    rows = np.arange(26)
    assert make().fit(encode_array(rows[:, None].astype(float)), rows % 15).n_features_in_ == 1
