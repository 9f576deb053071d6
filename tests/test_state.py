"""Laws of what has been learned: no parameter changed afterwards, no interrupt and no read-only array harms it."""

import copy
import pickle
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ensembles import SklearnClassifier
from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.parameters import Choice, Flag, SeveralOf
from ensembles.registry import base_models, find_learner, methods
from tests.examples import random_examples, random_table
from tests.pairs import first_base, has_members
from tests.test_laws import ONLINE, PAIRS, learner

STAYS = r"^\S+: \w+ must stay as it was at the first examples, .*, until fit begins anew, got \S"
ASKED = ("predict", "predict_proba", "member_classes", "staged_predict", "errors_on")
TOLD = ("member_sizes_", "member_errors_", "member_weights_", "weight_history_", "n_members_", "classes_")
BASES = [key for key, entry in base_models().items()]


def others(parameter, value):
    """Return valid values of a parameter besides `value`: a smaller and a larger number, or all other choices."""
    if isinstance(parameter, Choice):
        return [choice for choice in parameter.choices if choice != value]
    if isinstance(parameter, Flag):
        return [not value]
    if isinstance(parameter, SeveralOf):
        return ["naive_bayes+decision_stump"]
    near = [value - 1, value + 1, 60] if isinstance(value, int) else [value / 2, value * 2, value + 0.25]
    allowed = []
    for other in near:
        with suppress(InvalidParameter):
            parameter.check("", other)
            allowed.append(other)
    return [other for other in allowed if other != value]


def changes_of(model):
    """Yield every change of one parameter of the learner or of its base model: the name and a valid other value."""
    for parameter in type(model).parameters:
        for value in others(parameter, getattr(model, parameter.name)):
            yield parameter.name, value
    if "estimator" in model.get_params(deep=False):
        for key in ("hoeffding_tree", "pruned_tree", "naive_bayes", "sklearn:decision_tree"):
            if find_learner(key).cls is not type(model.estimator):
                yield "estimator", find_learner(key).cls()
        yield "estimator", 3
        if model.estimator is not None:
            for name, value in changes_of(model.estimator):
                yield f"estimator__{name}", value
    if "categorical_features" in model.get_params(deep=False):
        yield "categorical_features", ["m0"]


def answers_of(model, X, y):
    """Return everything that a learner says, by name."""
    said = {}
    for name in ASKED:
        if hasattr(model, name):
            told = getattr(model, name)(X, y) if name == "errors_on" else getattr(model, name)(X)
            said[name] = told if isinstance(told, np.ndarray) else list(told)
    return said | {name: copy.deepcopy(getattr(model, name)) for name in TOLD if hasattr(model, name)}


def assert_same(before, after, why=""):
    assert before.keys() == after.keys(), why
    for name in before:
        np.testing.assert_equal(after[name], before[name], err_msg=f"{name} {why}")


def goes_on(model, X, y):
    """Learn more if the learner learns online; return the sentence if it refuses."""
    try:
        model.partial_fit(X, y)
    except InvalidParameter as error:
        return str(error)
    return None


@pytest.mark.compiled  # some fifty changes each
@pytest.mark.parametrize(("method", "base"), PAIRS)
def test_no_parameter_changed_after_fit_changes_what_was_learned(method, base):
    X, y, _ = random_table(21, n_classes=2)
    model = learner(method, base).fit(X, y)
    assert_parameters_do_no_harm(model, X, y, online=(method, base) in ONLINE)


@pytest.mark.compiled  # some fifty changes each
@pytest.mark.parametrize("base", BASES)
def test_no_parameter_changed_after_fit_changes_what_a_base_model_alone_has_learned(base):
    X, y, _ = random_table(21)
    model = find_learner(base).cls().fit(X, y)
    assert_parameters_do_no_harm(model, X, y, online=base_models()[base].online)


def assert_parameters_do_no_harm(model, X, y, *, online):
    before = answers_of(model, X, y)
    state = pickle.dumps(model)
    for name, value in changes_of(model):
        changed = pickle.loads(state).set_params(**{name: value})
        assert_same(before, answers_of(changed, X, y), f"{name}={value}")
        if not online:
            continue
        refused = goes_on(changed, X, y)
        if refused is None:
            told = answers_of(changed, X, y)
            assert len(told["predict"]) == len(X)
            assert told["n_members_"] <= max(getattr(model, "n_estimators", 1), len(told.get("member_errors_", [0])))
        else:
            assert name.split("__")[0] in refused
            assert "must" in refused
            assert_same(before, answers_of(changed, X, y), f"{name}={value}, refused")


@pytest.mark.parametrize(
    "method", [m for m, entry in methods().items() if entry.online and "naive_bayes" in entry.bases]
)
def test_a_length_or_a_prototype_that_changes_gets_a_sentence(method):
    X, y, _ = random_table(22, n_classes=2)
    model = learner(method, "naive_bayes").fit(X, y)
    twin = copy.deepcopy(model)
    for name, value in [("n_estimators", 60), ("estimator", find_learner("perceptron").cls())]:
        if name in model.get_params():
            was = getattr(model, name)
            with pytest.raises(InvalidParameter, match=STAYS):
                model.set_params(**{name: value}).partial_fit(X, y)
            model.set_params(**{name: was})
    with pytest.raises(InvalidParameter, match=r"estimator__smoothing must stay .*, 'laplace', until .*, got 'none'"):
        model.set_params(estimator__smoothing="none").partial_fit(X, y)
    model.estimator.smoothing = "laplace"
    assert_same(answers_of(twin.partial_fit(X, y), X, y), answers_of(model.partial_fit(X, y), X, y))


@pytest.mark.parametrize(
    "method", [m for m, entry in methods().items() if entry.online and "naive_bayes" in entry.bases]
)
def test_learning_without_checks_goes_on_with_what_was_given_at_first(method):
    X, y, _ = random_table(23, n_classes=2)
    table, labels = X, y.astype(np.int64)
    model = learner(method, "naive_bayes").fit(table, y)
    twin = copy.deepcopy(model)
    model.set_params(**({"n_estimators": 60} if method != "single" else {}), estimator__smoothing="none")
    for one in (model, twin):
        if hasattr(one, "predict_then_learn"):
            one.predict_then_learn(table, labels)
        if hasattr(one, "learn_batch"):
            one.learn_batch(table, labels)
    assert_same(answers_of(twin, table, y), answers_of(model, table, y))


@pytest.mark.parametrize(("method", "base"), PAIRS)
def test_fit_begins_anew_with_the_parameters_of_now(method, base):
    X, y, _ = random_table(24, n_classes=2)
    model, fresh = learner(method, base).fit(X, y), learner(method, base)
    settings = {"n_estimators": 3} if has_members(method) else {}
    own = "estimator__" if base else ("n_estimators", "models")
    changes = ((n, v) for n, v in changes_of(model) if n.startswith(own))
    name, value = next(changes, ("estimator", None))
    for one in (model, fresh):
        one.set_params(**settings | {name: value}).fit(X, y)
    assert model.get_params().keys() == fresh.get_params().keys()
    assert_same(answers_of(fresh, X, y), answers_of(model, X, y))


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), make_pipeline(StandardScaler(), SGDClassifier(random_state=0))]
)
@pytest.mark.parametrize("method", ["single", "bagging", "voting"])
def test_a_foreign_base_model_is_out_of_reach_too(method, estimator):
    X, y, _ = random_table(25, n_classes=2)
    settings = {"n_estimators": 5, "random_state": 1} if method != "single" else {}
    model = methods()[method].cls(SklearnClassifier(estimator, random_state=1), **settings).fit(X, y)
    before = answers_of(model, X, y)
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    last.set_params(max_iter=17, tol=0.5)
    assert_same(before, answers_of(model, X, y))
    if hasattr(model, "partial_fit"):
        with pytest.raises(InvalidParameter, match=r"voting: estimator__estimator\w* must stay .*, got "):
            model.partial_fit(X, y)
    last.set_params(max_iter=1000, tol=1e-3)


def test_what_may_change_on_the_way_does():
    X, y, _ = random_table(26, n_classes=2)
    model = learner("online_bagging", "naive_bayes").fit(X, y)
    twin = copy.deepcopy(model)
    model.set_params(rate=9.0).partial_fit(X, y)
    assert model._members.totals.sum() > 3 * twin.partial_fit(X, y)._members.totals.sum()
    soft = learner("online_bayesian_bagging", "naive_bayes").fit(X, y).set_params(vote="soft")
    hard = soft.predict_proba(X)
    assert set((hard * 5).round(9).ravel()) <= set(range(6))
    assert not set((soft.partial_fit(X, y).predict_proba(X) * 5).round(9).ravel()) <= set(range(6))


@pytest.mark.parametrize("method", [method for method, entry in methods().items() if entry.online])
def test_classes_declared_again_are_the_same(method):
    X, y, _ = random_table(32)
    model = learner(method, first_base(method)).partial_fit(X, y, classes=[0, 1, 2])
    before = answers_of(model, X, y)
    sentence = r"classes must be those declared at the start, 0, 1, 2, got 0, 1, 2, 5$"
    with pytest.raises(InvalidData, match=sentence):
        model.partial_fit(X, y, classes=[5, 0, 1, 2])
    with pytest.raises(InvalidData, match=r"classes must be those declared at the start, 0, 1, 2, got 'a', 'b'$"):
        model.partial_fit(X, y, classes=["a", "b"])
    assert_same(before, answers_of(model, X, y))
    model.partial_fit(X, y, classes=[2, 0, 1])


def test_messages_print_values_as_people_write_them():
    X, y, _ = random_table(33)
    with pytest.raises(InvalidData, match=r"y must be among the declared classes 0, 1, got 0, 1, 2$"):
        learner("online_boosting", "naive_bayes").partial_fit(X, y, classes=[0, 1])
    model = learner("osboost", "naive_bayes").partial_fit(X, np.where(y > 1, "a", "b"))
    with pytest.raises(InvalidData, match=r"all classes must be declared at the start, 'a', 'b', got 'c'$"):
        model.partial_fit(X, np.full(len(y), "c"))
    with pytest.raises(InvalidParameter, match=r"n_estimators must be an integer in \[1, 10000\], got 0$"):
        learner("online_boosting", "naive_bayes").set_params(n_estimators=np.int64(0)).fit(X, y)
    with pytest.raises(
        InvalidData, match=r"classes must be .*, got 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, \.\.\. \(50 in all\)$"
    ):
        learner("online_boosting", "naive_bayes").fit(X, y).partial_fit(X, y, classes=np.arange(50))


def test_a_table_of_another_width_changes_nothing():
    X, y, _ = random_examples(34)
    table, narrow = encode_frame(X), encode_frame(X.iloc[:, :3])
    model = learner("online_bagging", "naive_bayes").fit(table, y)
    with pytest.raises(InvalidData, match="X must have 4 attributes as in training, got 3"):
        model.partial_fit(narrow, y)
    assert model.n_features_in_ == 4
    model.predict(table)


@pytest.mark.parametrize("method", ["single", "online_bagging"])
def test_a_copy_of_a_learner_learns_alone(method):
    X, y, _ = random_table(36)
    model = learner(method, "naive_bayes").fit(X, y)
    before, twin = answers_of(model, X, y), copy.copy(model)
    assert_same(before | {"member_errors_": None}, answers_of(twin, X, y) | {"member_errors_": None})
    twin.partial_fit(X, y[::-1].copy())
    assert_same(before, answers_of(model, X, y))


@pytest.mark.parametrize("method", ["single", "online_bagging"])
def test_names_of_columns_are_those_of_the_last_fit(method):
    X, y, _ = random_examples(35)
    model = learner(method, "naive_bayes").fit(X, y)
    assert model.feature_names_in_.tolist() == [*X]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[[*X][::-1]])
    model.fit(encode_frame(X.iloc[:, :3]), y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 3


def test_columns_of_numbers_alone_keep_their_names():
    X, y = pd.DataFrame({"width": [1.0, 2.0, 3.0, 4.0], "height": [4, 1, 3, 2]}), [0, 1, 0, 1]
    model = find_learner("naive_bayes").cls().fit(X, y)
    known = model._schema
    assert [attribute.name for attribute in known.attributes] == ["width", "height"]
    with pytest.raises(InvalidData, match="attribute 'height' must be numeric as in training, got nominal"):
        model.predict(X.astype({"height": str}))
    assert model.partial_fit(X, y)._schema is known
