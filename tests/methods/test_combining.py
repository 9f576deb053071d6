"""Stacking and soft voting: scikit-learn's, over learners of ours that see nominal and missing values as they are."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from ensembles import (
    NaiveBayesClassifier,
    PrincipalComponentsCombiningClassifier,
    SklearnDecisionTreeClassifier,
    SoftVotingClassifier,
    StackingClassifier,
)
from ensembles.errors import InvalidParameter
from ensembles.experiments.config import LearnerSpec
from ensembles.experiments.learner_names import learner_names
from ensembles.methods.core.grid import folds_of
from tests.examples import random_table

MODELS = [NaiveBayesClassifier(), SklearnDecisionTreeClassifier(random_state=3)]


def test_soft_voting_is_the_mean_of_the_probabilities_of_its_models():
    X, y, weights = random_table(41, n=60)
    ours = SoftVotingClassifier(estimators=MODELS).fit(X, y, np.ceil(weights))
    alone = [model.fit(X, y, np.ceil(weights)) for model in MODELS]
    np.testing.assert_allclose(
        ours.predict_proba(X), np.mean([model.predict_proba(X) for model in alone], axis=0), rtol=1e-12
    )
    assert (ours.member_classes(X) == [model.predict(X) for model in alone]).all()
    assert ours.n_members_ == 2


def test_stacking_learns_of_what_models_say_of_examples_they_did_not_learn():
    X, y, _ = random_table(42, n=60)
    ours = StackingClassifier(estimators=MODELS, folds=3, C=0.5, random_state=7).fit(X, y)
    told = np.empty((60, 6))
    for train, test in folds_of(y, 3, 7):
        for m, model in enumerate(MODELS):
            told[test, 3 * m : 3 * m + 3] = model.fit(X[train], y[train]).predict_proba(X[test])
    final = LogisticRegression(C=0.5, max_iter=1000).fit(told, y)
    now = np.concatenate([model.fit(X, y).predict_proba(X) for model in MODELS], axis=1)
    np.testing.assert_allclose(ours.predict_proba(X), final.predict_proba(now), rtol=1e-6)


@pytest.mark.parametrize("kind", [StackingClassifier, SoftVotingClassifier, PrincipalComponentsCombiningClassifier])
def test_rare_classes_few_examples_and_any_classifier_will_do(kind):
    X, y, _ = random_table(43, n=40, n_classes=2)
    rare = np.where(np.arange(40) == 7, "once", np.where(y == 1, "b", "c"))
    model = kind(estimators=[*MODELS, LinearSVC()], tune="grid", random_state=1).fit(X, rare)
    assert model.predict_proba(X).shape == (40, 3)
    twin = pickle.loads(pickle.dumps(model))
    assert (twin.predict_proba(X) == model.predict_proba(X)).all()
    assert kind(estimators=MODELS).fit(X[:2], [0, 1]).predict(X[:2]).tolist() == [0, 1]
    assert kind(estimators=MODELS).fit(X, ["a"] * 40).predict(X[:2]).tolist() == ["a", "a"]


def test_leaving_a_model_out_is_tried_on_the_grid():
    X, y, _ = random_table(44, n=60, n_classes=2)
    model = SoftVotingClassifier("grid", "naive_bayes+sklearn:decision_tree+sklearn:svm", random_state=1)
    tried = [one["models"] for one in model._candidates({"models": model.models})]
    assert tried[0] == model.models
    assert tried[1:] == [
        "sklearn:decision_tree+sklearn:svm",
        "naive_bayes+sklearn:svm",
        "naive_bayes+sklearn:decision_tree",
    ]
    model.fit(X, y)
    assert model.best_params_["models"] in tried
    assert model.n_members_ == model.best_params_["models"].count("+") + 1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"models": "oak+naive_bayes"},
            r"models must be at least 2 different ones joined by \"\+\" of naive_bayes, .*, got 'oak",
        ),
        ({"models": "naive_bayes"}, "models must be at least 2 different ones .*, got 'naive_bayes'"),
        ({"models": "naive_bayes+naive_bayes"}, "models must be at least 2 different ones .*, got 'naive_bayes"),
        (
            {"estimators": [LinearSVC()]},
            r"estimators must be two at least, learners or classifiers, got \[LinearSVC\(\)\]",
        ),
        ({"estimators": [LinearSVC(), 3]}, "estimators must be learners of this package or .*, got 3"),
    ],
)
def test_what_cannot_be_combined_gets_a_sentence(settings, sentence):
    with pytest.raises(InvalidParameter, match=f"^stacking: {sentence}"):
        StackingClassifier(**settings).fit([[1.0], [2.0]], [0, 1])


def test_files_name_models_by_their_keys_and_people_read_their_names():
    specs = [
        LearnerSpec(method="stacking"),
        LearnerSpec(method="stacking", settings={"models": "naive_bayes+sklearn:svm"}),
    ]
    assert specs[1].make(1).models == "naive_bayes+sklearn:svm"
    assert learner_names(specs)[1] == "Stacking (models naive Bayes, scikit-learn SVM)"
    with pytest.raises(ValueError, match="models must be at least 2 different ones"):
        LearnerSpec(method="stacking", settings={"models": "naive_bayes+oak"})
