"""Classifiers of scikit-learn as base models: what they are shown, with which weights and seeds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from ensembles import (
    AdaBoostClassifier,
    BaggingClassifier,
    OnlineBaggingClassifier,
    SingleClassifier,
    SklearnClassifier,
    SklearnDecisionTreeClassifier,
    SklearnKNearestNeighborsClassifier,
    SklearnMlpClassifier,
)
from ensembles.draws import draw_counts, stream, streams
from ensembles.errors import InvalidParameter
from ensembles.experiments.config import LearnerSpec
from ensembles.registry import base_models
from tests.examples import random_examples

CURATED = [key for key in base_models() if key.startswith("sklearn:")]
SETTINGS = [(key, parameter) for key in CURATED for parameter in base_models()[key].parameters]


def test_attributes_become_the_inputs_of_a_pipeline():
    X, y, weights = random_examples(1, n=80)
    numbers = make_pipeline(
        StandardScaler(),
        SimpleImputer(strategy="constant", fill_value=0.0, add_indicator=True),
    )
    texts = X.astype({"n0": object, "n1": object}).fillna({"n0": "?", "n1": "?"})
    inputs = ColumnTransformer([("n", numbers, ["m0", "m1"]), ("c", OneHotEncoder(), ["n0", "n1"])])
    expected = LogisticRegression().fit(inputs.fit_transform(texts), y).predict_proba(inputs.transform(texts))
    ours = SklearnClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), expected, atol=1e-4)
    counts = np.ceil(weights).astype(int)
    repeated = np.repeat(np.arange(80), counts)
    copies = SklearnClassifier(LogisticRegression()).fit(X.iloc[repeated], y[repeated])
    weighted = SklearnClassifier(LogisticRegression()).fit(X, y, counts)
    np.testing.assert_allclose(weighted.predict_proba(X), copies.predict_proba(X), atol=1e-4)


def test_bagging_trains_clones_on_its_samples():
    X, y, _ = random_examples(2, n=60, nominal=0, numeric=3, missing=0.0)
    model = BaggingClassifier(GaussianNB(), n_estimators=4, random_state=3).fit(X, y)
    votes = np.zeros((60, 3))
    for rng in streams(3, "bagging", 4):
        counts = np.bincount(rng.integers(0, 60, 60), minlength=60)
        scaler = StandardScaler().fit(X, sample_weight=counts)
        member = GaussianNB().fit(scaler.transform(X)[counts > 0], y[counts > 0], counts[counts > 0])
        votes[np.arange(60), member.predict(scaler.transform(X))] += 1
    np.testing.assert_array_equal(model.predict_proba(X), votes / 4)


def test_soft_votes_average_the_probabilities_of_classifiers_or_their_classes():
    X, y, _ = random_examples(3, n=50)
    for classifier in (GaussianNB(), LinearSVC()):
        single = SingleClassifier(classifier)
        bagging = BaggingClassifier(classifier, n_estimators=3, vote="soft", random_state=1).fit(X, y)
        expected = np.zeros((50, 3))
        for rng in streams(1, "bagging", 3):
            single.fit(X, y, np.bincount(rng.integers(0, 50, 50), minlength=50))
            expected[:, single.classes_] += single.predict_proba(X)
        if isinstance(classifier, GaussianNB):
            np.testing.assert_allclose(bagging.predict_proba(X), expected / 3, rtol=1e-9)
        else:
            assert set(np.unique(np.round(3 * bagging.predict_proba(X), 9))) <= {0.0, 1.0, 2.0, 3.0}


def test_without_weights_an_example_is_shown_as_often_as_it_weighs():
    X, y, _ = random_examples(4, n=40)
    counts = np.random.default_rng(0).integers(0, 4, 40)
    repeated = np.repeat(np.arange(40), counts)
    weighted = SklearnKNearestNeighborsClassifier(random_state=1).fit(X, y, counts)
    copies = SklearnKNearestNeighborsClassifier(random_state=1).fit(X.iloc[repeated], y[repeated])
    np.testing.assert_allclose(weighted.predict_proba(X), copies.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("scale", [0.3, 1000.0], ids=["fractions", "too many copies"])
def test_other_weights_become_a_sample_drawn_in_proportion(scale):
    X, y, _ = random_examples(5, n=40)
    weights = np.floor(np.random.default_rng(1).integers(1, 4, 40) * scale * 1024) / 1024
    weights[0] += 1  # whole numbers without a common divisor count examples, however many
    model = SklearnKNearestNeighborsClassifier(random_state=7).fit(X, y, weights)
    counts = draw_counts(weights, 40, stream(7, "sklearn_samples", 0))
    assert counts.sum() == 40
    expected = SklearnKNearestNeighborsClassifier(random_state=7).fit(X, y, counts)
    assert (model.predict_proba(X) == expected.predict_proba(X)).all()
    other = SklearnKNearestNeighborsClassifier(random_state=8).fit(X, y, weights)
    assert (model.predict_proba(X) != other.predict_proba(X)).any()


def test_draws_are_proportional_and_never_of_weight_zero():
    weights = np.array([0.0, 1.0, 0.0, 3.0, 0.0])
    counts = draw_counts(weights, 40_000, np.random.default_rng(2))
    assert counts[[0, 2, 4]].sum() == 0
    assert counts.sum() == 40_000
    assert abs(counts[3] - 30_000) < 5 * np.sqrt(40_000 * 0.25 * 0.75)


def test_a_member_that_has_learned_nothing_does_not_vote():
    X, y, _ = random_examples(6, n=30)
    model = SklearnDecisionTreeClassifier(random_state=0).fit(X, y)
    blank = model._members._replace(fitted=[None, *model._members.fitted])
    rows = model._rows_to_predict(X)
    assert (model.classes_of(blank, 0, rows, 3) == -1).all()
    assert (model.probabilities_of(blank, 0, rows, 3) == 1 / 3).all()
    assert (model.votes_of(blank, np.ones(1), rows, 3) == 0).all()
    assert model.votes_of(blank, np.ones(2), rows, 3).sum() == 30


def test_a_member_that_saw_one_class_predicts_it():
    X, _, _ = random_examples(7, n=30)
    model = SingleClassifier(LogisticRegression()).fit(X, np.full(30, "only"))
    assert set(model.predict(X)) == {"only"}
    few = np.where(np.arange(30) == 0, 0, 1)
    bagged = BaggingClassifier(LogisticRegression(), n_estimators=12, random_state=0).fit(X, few)
    assert any(member.estimator is None for member in bagged._members.fitted)
    np.testing.assert_allclose(bagged.predict_proba(X).sum(axis=1), 1)


def test_more_neighbors_than_examples_are_not_asked():
    X, y, _ = random_examples(8, n=3, n_classes=2)
    y[:2] = [0, 1]
    assert set(SingleClassifier(KNeighborsClassifier(n_neighbors=9)).fit(X, y).predict(X)) <= {0, 1}


def test_open_seeds_differ_between_members_and_given_ones_stay():
    X, y, _ = random_examples(9, n=60)

    def states(classifier):
        bagging = BaggingClassifier(classifier, n_estimators=3, random_state=5).fit(X, y)
        return [member.estimator.get_params() for member in bagging._members.fitted]

    assert len({member["random_state"] for member in states(ExtraTreeClassifier())}) == 3
    assert {member["random_state"] for member in states(ExtraTreeClassifier(random_state=4))} == {4}
    inside = "extratreeclassifier__random_state"
    assert len({member[inside] for member in states(make_pipeline(PolynomialFeatures(), ExtraTreeClassifier()))}) == 3
    assert states(ExtraTreeClassifier()) == states(ExtraTreeClassifier())


def test_unseen_values_and_outliers_can_be_asked_about():
    X, y, _ = random_examples(10, n=50)
    strange = pd.DataFrame({"n0": ["never"], "n1": [None], "m0": [1e150], "m1": [np.nan]})
    for key in CURATED:
        probabilities = base_models()[key].cls(random_state=1).fit(X, y).predict_proba(strange)
        assert np.isfinite(probabilities).all(), key


def test_trees_tell_their_size():
    X, y, _ = random_examples(11, n=50)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=3, random_state=1).fit(X, y)
    assert model.member_sizes_[0] == (3, 2, 1)
    assert BaggingClassifier(GaussianNB(), n_estimators=2).fit(X, y).member_sizes_ == [None, None]


@pytest.mark.parametrize("estimator", [LinearRegression(), DecisionTreeClassifier, "tree"], ids=str)
def test_what_is_no_classifier_gets_a_sentence(estimator):
    for method in (SingleClassifier, BaggingClassifier):
        with pytest.raises(
            InvalidParameter, match=r"estimator must be a base model .*or a classifier of scikit-learn, got"
        ):
            method(estimator).fit([[1.0], [2.0]], [0, 1])


def test_online_methods_refuse_them():
    with pytest.raises(InvalidParameter, match=r"must learn online, .*, got sklearn:LinearSVC, which sees all"):
        OnlineBaggingClassifier(LinearSVC()).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("estimator", [GaussianNB(), OnlineBaggingClassifier(n_estimators=2)], ids=str)
def test_online_methods_do_not_say_of_what_learns_online_that_it_sees_all_at_once(estimator):
    said = r"must be a base model of this package that learns online, got (GaussianNB|OnlineBagging\w+)\(.*\), whose"
    with pytest.raises(InvalidParameter, match=f"^online_bagging: estimator {said} partial_fit is not used$"):
        OnlineBaggingClassifier(estimator).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize(("key", "parameter"), SETTINGS, ids=lambda value: getattr(value, "name", value))
def test_every_setting_reaches_the_classifier(key, parameter):
    other = next(v for v in (3, 0.25, *getattr(parameter, "choices", ())[::-1]) if parameter._allows(v))
    assert other != parameter.default
    assert base_models()[key].cls(**{parameter.name: other}).template().get_params()[parameter.name] == other


def test_a_network_tells_its_passes_alone_and_as_a_member():
    X, y, _ = random_examples(31)
    assert SklearnMlpClassifier(max_iter=3).fit(X, y).n_iter_ == 3
    assert SklearnMlpClassifier(max_iter=3).fit(X, ["a"] * len(y)).n_iter_ == 0
    bagged = BaggingClassifier(SklearnMlpClassifier(max_iter=4), n_estimators=2).fit(X, y)
    assert [member.n_iter_ for member in bagged.estimators_] == [4, 4]
    assert not hasattr(SklearnMlpClassifier(), "n_iter_")


def test_a_setting_that_does_not_exist_gets_a_sentence():
    with pytest.raises(
        TypeError, match="SklearnDecisionTreeClassifier: no parameter is called depth; there are criterion"
    ):
        SklearnDecisionTreeClassifier(depth=3)


def test_experiment_files_name_them_by_key():
    spec = LearnerSpec(method="bagging", base="sklearn:decision_tree", base_settings={"max_depth": 2})
    assert spec.label == "Bagging of 100 scikit-learn decision trees"
    assert spec.make(1).estimator.max_depth == 2
