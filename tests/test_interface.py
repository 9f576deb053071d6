"""What scikit-learn's and River's users reach for, on every learner that has it."""

import pathlib
import pickle
import re

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_html_repr

from ensembles import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    NeuralNetworkClassifier,
    OnlineBaggingClassifier,
    RandomForestClassifier,
    SklearnDecisionTreeClassifier,
    SoftVotingClassifier,
)
from ensembles.errors import InvalidParameter
from ensembles.registry import base_models, find_learner, methods
from tests.examples import nominal_toy, random_examples
from tests.pairs import ENSEMBLES, first_base
from tests.test_laws import learner

WITH_STAGES = [key for key in methods() if hasattr(learner(key, first_base(key)), "staged_predict_proba")]


def trained(method, n_classes=3):
    X, y, weights = random_examples(21, n_classes=n_classes)
    return learner(method, first_base(method)).fit(X, y, weights), X


@pytest.mark.parametrize("method", methods())
def test_logarithms_are_those_of_the_probabilities(method):
    model, X = trained(method)
    logarithms, probabilities = model.predict_log_proba(X), model.predict_proba(X)
    np.testing.assert_allclose(np.exp(logarithms), probabilities, rtol=1e-12)
    assert (logarithms <= 0).all()


def test_the_logarithm_of_nothing_is_minus_infinity():
    X, y, _ = random_examples(22, n_classes=2)
    model = base_models()["decision_tree"].cls(prune="none").fit(X, y)
    assert np.isneginf(model.predict_log_proba(X)[model.predict_proba(X) == 0]).any()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", ENSEMBLES)
def test_the_class_of_most_votes_is_predicted(method, n_classes):
    model, X = trained(method, n_classes)
    if not hasattr(model, "decision_function"):
        assert method == "adaboost_olm", "one expert predicts"
        model.set_params(expert="weighted").fit(X, model.predict(X))
    votes = model.decision_function(X)
    assert votes.shape == ((len(X),) if n_classes == 2 else (len(X), n_classes))
    votes = np.column_stack([-votes, votes]) if n_classes == 2 else votes
    clear = np.diff(np.sort(votes, axis=1)[:, -2:])[:, 0] > 1e-9
    assert clear.any()
    assert (model.classes_[votes.argmax(axis=1)] == model.predict(X))[clear].all()


@pytest.mark.parametrize("method", WITH_STAGES)
def test_all_members_together_give_the_probabilities_of_the_ensemble(method):
    model, X = trained(method)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == len(list(model.staged_predict(X)))
    for probabilities in stages:
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(stages[-1], model.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", ENSEMBLES)
def test_members_are_base_models_that_predict(method, n_classes):
    model, X = trained(method, n_classes)
    if not hasattr(model, "estimators_"):
        pytest.skip("its members are no base models")
    members = model.estimators_
    assert len(members) == model.n_members_
    assert members[-1] is members[len(members) - 1]
    assert [each.member_sizes_ for each in members] == [[size] for size in model.member_sizes_]
    if hasattr(model, "member_classes") and method not in (
        "online_mbbm",
        "adaboost_olm",
    ):  # whose members vote by their costs
        told = model.member_classes(X)
        assert (np.stack([each.predict(X) for each in members]) == model.classes_[np.maximum(told, 0)]).all()
    for each in members[:2]:
        np.testing.assert_allclose(each.predict_proba(X).sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("method", ["bagging", "online_bagging", "arc_x4", "random_subspaces"])
def test_votes_of_members_that_count_alike_make_the_class(method):
    model, X = trained(method, 2)
    votes = np.mean([each.predict(X) == model.classes_[1] for each in model.estimators_], axis=0)
    assert (model.classes_[(votes > 0.5).astype(int)] == model.predict(X))[votes != 0.5].all()
    assert (votes != 0.5).any()


def test_a_member_learns_with_its_ensemble_only():
    model, X = trained("online_bagging")
    member, before = model.estimators_[1], model.predict_proba(X)
    y = model.predict(X)
    with pytest.raises(InvalidParameter, match="naive_bayes: a member of an ensemble learns with the ensemble only"):
        member.partial_fit(X, y)
    with pytest.raises(InvalidParameter, match="a member of an ensemble"):
        member.learn_one(X.iloc[0].to_dict(), y[0])
    assert (clone(member).fit(X, y).predict_proba(X) == member.fit(X, y).predict_proba(X)).all()
    assert (model.predict_proba(X) == before).all()
    member.partial_fit(X, y)
    assert (
        pickle.loads(pickle.dumps(model.estimators_[2])).predict(X).tolist() == model.estimators_[2].predict(X).tolist()
    )


def test_members_are_read_only_and_there_only_once_trained():
    model, _ = trained("single")
    assert [*model.estimators_] == [model.estimator_]
    with pytest.raises(NotFittedError):
        learner("bagging", "naive_bayes").estimators_  # noqa: B018
    with pytest.raises(TypeError):
        trained("bagging")[0].estimators_[0] = None


SCIKIT_LEARN = {"fit", "partial_fit", "predict", "predict_proba", *dir(ClassifierMixin), *dir(BaseEstimator)}


@pytest.mark.parametrize("key", [*methods(), *base_models()])
def test_what_a_learner_shows_is_of_scikit_learn_or_documented(key):
    model = find_learner(key).cls()
    text = (pathlib.Path(__file__).parent.parent / "docs" / "python.md").read_text(encoding="utf-8")
    shown = {name for name in dir(model) if not name.startswith(("_", "set_")) and hasattr(model, name)}
    assert shown - SCIKIT_LEARN - {*model.get_params()} <= {*re.findall(r"\w+", text)}
    assert {"fit", "predict", "key", *model.get_params()} <= shown


def test_boxes_of_notebooks_link_to_the_page_of_a_learner(monkeypatch):
    model = learner("adwin_bagging", "naive_bayes")
    monkeypatch.delenv("ENSEMBLE_LAB_URL", raising=False)
    assert "?learner=" not in estimator_html_repr(model)
    monkeypatch.setenv("ENSEMBLE_LAB_URL", "https://lab.example/")
    assert 'href="https://lab.example/learners?learner=ADWIN+bagging"' in estimator_html_repr(model)


@pytest.mark.parametrize(
    "learner",
    [
        RandomForestClassifier(n_estimators=3),
        HistGradientBoostingClassifier(n_estimators=3),
        SoftVotingClassifier(),
        SklearnDecisionTreeClassifier(),
    ],
)
def test_no_example_has_no_prediction_whoever_is_asked(learner):
    """Learners of this package say so; scikit-learn's refuse, and named what is inside and how many inputs that has."""
    X, y = nominal_toy(30)
    learner.fit(X, np.array(["no", "yes"])[y])
    assert learner.predict(X[:0]).tolist() == []
    assert learner.predict_proba(X[:0]).shape == (0, 2)
    if hasattr(learner, "member_classes"):
        assert learner.member_classes(X[:0]).shape == (learner.n_members_, 0)
    if hasattr(learner, "staged_predict"):
        assert [one.shape for one in learner.staged_predict(X[:0])] == [(0,)] * learner.n_members_


@pytest.mark.parametrize("seed", [np.random.default_rng(0), "a", 1.5, -1, np.int64(-7)])
def test_what_is_no_seed_for_scikit_learn_is_none_here(seed):
    X, y = nominal_toy(30)
    sentence = r"^random_state must be None, an integer of at least 0 or a RandomState of NumPy, got "
    for make in (RandomForestClassifier, OnlineBaggingClassifier):
        with pytest.raises(InvalidParameter, match=sentence + rf"({type(seed).__name__}|{seed!r}|{seed})"):
            make(n_estimators=3, random_state=seed).fit(X, y)


@pytest.mark.parametrize("make", [BaggingClassifier, OnlineBaggingClassifier, NeuralNetworkClassifier])
def test_numbers_may_be_drawn_from_the_generator_of_numpy_itself(make):
    """As in scikit-learn, where its module stands for it."""
    X, y = nominal_toy(30)
    np.random.seed(3)  # noqa: NPY002 - the generator that is meant
    model = make(random_state=np.random).fit(X, y)
    expected = make(random_state=np.random.RandomState(3)).fit(X, y)
    assert (model.predict_proba(X) == expected.predict_proba(X)).all()
