"""Methods that have no base model, or can use a few only: registry, files, names, form."""

from collections.abc import Iterator
from typing import Any

import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from ensembles.declarations import HasParameters, integer
from ensembles.errors import InvalidConfig, InvalidParameter
from ensembles.experiments.config import ExperimentConfig, LearnerSpec
from ensembles.experiments.learner_choice import LearnerChoice
from ensembles.experiments.learner_keys import learner_keys
from ensembles.experiments.learner_names import learner_names
from ensembles.methods.bagging.bagging import BaggingClassifier
from ensembles.registry import make_learner, methods, register, unregister
from ensembles.reports.suggested_name import suggested_name
from ensembles.reports.tables import single_models
from storage.results.words import words_of


class GroveClassifier(HasParameters, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A method without a base model."""

    key, name, family, kind = "grove", "Grove", "forests", "method"
    summary, source = "Grows trees of its own.", "Nobody (2000)"
    takes_base = False
    n_estimators: int = integer(default=100, label="Members", help="How many.", low=1)
    depth: int = integer(default=3, label="Depth", help="How deep.", low=1)


class StumpBaggingClassifier(BaggingClassifier):
    """A method that can use two base models."""

    key, name = "stump_bagging", "Stump bagging"
    only_bases = ("decision_stump", "one_rule")


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    for cls in (GroveClassifier, StumpBaggingClassifier):
        register(cls)
    yield
    for cls in (GroveClassifier, StumpBaggingClassifier):
        unregister(cls.key)


def spec(**document: Any) -> LearnerSpec:
    return LearnerSpec.model_validate(document)


def test_the_registry_knows_what_they_can_use() -> None:
    assert methods()["grove"].bases == ()
    assert methods()["stump_bagging"].bases == ("decision_stump", "one_rule")
    assert [methods()[key].chooses_base for key in ("grove", "stump_bagging", "bagging")] == [True, True, False]
    assert make_learner("grove", settings={"depth": 5}).depth == 5
    assert make_learner("stump_bagging", "one_rule").estimator.key == "one_rule"


@pytest.mark.parametrize(
    ("method", "base", "settings", "sentence"),
    [
        ("grove", "naive_bayes", {}, "grove: it has no base model, got 'naive_bayes'"),
        ("grove", None, {"smoothing": 1.0}, "grove: it has no base model, got None"),
        ("stump_bagging", "naive_bayes", {}, "base must be one of decision_stump, one_rule, got 'naive_bayes'"),
        ("bagging", None, {}, "bagging: base must be one of naive_bayes, .*, got none"),
    ],
)
def test_a_base_model_too_many_or_too_few_gets_a_sentence(
    method: str, base: str | None, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidParameter, match=sentence):
        make_learner(method, base, base_settings=settings)


def test_estimators_that_a_method_cannot_use_are_refused() -> None:
    model = StumpBaggingClassifier(make_learner("single", "naive_bayes").estimator)
    with pytest.raises(InvalidParameter, match="key decision_stump or one_rule, got naive_bayes"):
        model.fit([[1.0], [2.0]], [0, 1])


def test_files_leave_out_what_goes_without_saying() -> None:
    grove, stumps = spec(method="grove", depth=5), spec(method="stump_bagging")
    assert grove.model_dump() == {"method": "grove", "depth": 5}
    assert (grove.base, grove.base_entry, stumps.base) == (None, None, "decision_stump")
    assert spec(**grove.model_dump()).canonical == grove.canonical == '{"method":"grove","settings":{"depth":5}}'
    assert spec(**stumps.model_dump()).canonical == stumps.canonical
    document = {"name": "Without", "datasets": ["iris"], "learners": [{"method": "grove", "base": "naive_bayes"}]}
    with pytest.raises(InvalidConfig, match="grove: it has no base model, got 'naive_bayes'"):
        ExperimentConfig.from_dict(document)


def test_names_tell_what_they_have() -> None:
    learners = [
        spec(method="bagging", base="naive_bayes"),
        spec(method="single", base="one_rule"),
        spec(method="grove"),
    ]
    assert learner_names(learners) == ("Bagging of naive Bayes", "Single model: one rule", "Grove")
    sizes = [*learners, spec(method="grove", n_estimators=10)]
    assert learner_names(sizes)[2:] == ("Grove of 100 members", "Grove of 10 members")
    assert learner_keys(learners) == ("bagging/naive_bayes", "single/one_rule", "grove")
    assert spec(method="grove").label == "Grove of 100 members"
    assert suggested_name(learners[::2], ["Iris"]) == "Bagging of naive Bayes, grove on Iris"
    assert suggested_name(learners[2:], ["Iris"]) == "Grove on Iris"
    assert single_models(learners) == (None, 1, None)


def test_experiments_are_found_by_what_they_have() -> None:
    config = ExperimentConfig.from_dict({"name": "Without", "datasets": ["iris"], "learners": [{"method": "grove"}]})
    kinds = {(word["kind"], word["word"]) for word in words_of(config)}
    known = {("dataset", "iris"), ("method", "grove"), ("protocol", "cross_validation")}
    assert kinds == known | {("task", "cross_validation, 5 folds")}


@pytest.mark.parametrize(
    ("methods", "bases", "expected"),
    [
        (("grove", "bagging"), ("naive_bayes", "one_rule"), ["grove", "bagging/naive_bayes", "bagging/one_rule"]),
        (("grove",), (), ["grove"]),
        (("stump_bagging",), (), ["stump_bagging/decision_stump"]),
        (("stump_bagging",), ("naive_bayes", "one_rule"), ["stump_bagging/one_rule"]),
        (("stump_bagging", "bagging"), ("naive_bayes",), ["stump_bagging/decision_stump", "bagging/naive_bayes"]),
    ],
)
def test_the_form_makes_the_same_learners_again(
    methods: tuple[str, ...], bases: tuple[str, ...], expected: list[str]
) -> None:
    learners = LearnerChoice(methods, bases, settings={"grove": {"depth": 4}}).learners()
    assert sorted(learner_keys(learners)) == sorted(expected)
    again = LearnerChoice.of(learners)
    assert again is not None
    assert [one.canonical for one in again.learners()] == [one.canonical for one in learners]
    assert again.left_out() == {}
