"""Names of the learners of an experiment: no two alike, and everything in them that differs."""

import itertools

import pytest

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.learner_names import learner_names
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.parameters import Choice, Flag, Integer, Real
from ensembles.registry import base_models, methods
from tests.pairs import first_base


def spec(method, base="naive_bayes", **settings):
    return LearnerSpec.model_validate({"method": method, "base": base, **settings})


@pytest.mark.parametrize(
    ("learners", "names"),
    [
        ((spec("single"), spec("bagging")), ("Single model", "Bagging")),
        (
            (spec("single"), spec("adaboost", "decision_stump"), spec("online_bagging")),
            ("Single model: naive Bayes", "AdaBoost of decision stumps", "Online bagging of naive Bayes"),
        ),
        (
            (spec("bagging", n_estimators=1), spec("bagging"), spec("single")),
            ("Bagging of 1 member", "Bagging of 100 members", "Single model"),
        ),
        (
            (spec("bagging", n_estimators=10), spec("adaboost", "decision_stump")),
            ("Bagging of 10 naive Bayes", "AdaBoost of 100 decision stumps"),
        ),
        (
            [spec("primed_online_boosting", prime_fraction=share) for share in (0.1, 0.2, 1)],
            [f"Primed online boosting (primed share {share})" for share in ("0.1", "0.2", "1")],
        ),
        (
            [spec("single", {"key": "neural_network", "updates_per_example": n}) for n in (1, 10, 1000)],
            [f"Single model (steps on each example {n})" for n in ("1", "10", "1,000")],
        ),
        (
            (spec("bagging"), spec("bagging", vote="soft", backfit=True), spec("adaboost")),
            (
                "Bagging (votes one member, one vote, backfitting off)",
                "Bagging (votes average of probabilities, backfitting on)",
                "AdaBoost",
            ),
        ),
        (
            (spec("single"), spec("single", encode={"numeric": "entropy"})),
            ("Single model", "Single model (encoding of numeric attributes by entropy)"),
        ),
    ],
)
def test_what_differs_is_named_and_nothing_else(learners, names):
    assert learner_names(learners) == tuple(names)


def other_values(parameter):
    """Return values of a parameter that differ little, in another one's room for rounding."""
    match parameter:
        case Choice():
            return [value for value in parameter.choices if value != parameter.default]
        case Flag():
            return [not parameter.default]
        case Integer():
            return [value for value in (parameter.low + 3, parameter.low + 4) if value != parameter.default]
        case Real():
            middle = (
                min(parameter.low, 1e6) + 0.1234567 if parameter.high >= parameter.low + 0.2 else parameter.high / 3
            )
            return [middle, middle + 1e-7]
    return []


def variants(entry, make):
    """Return a learner for each value of each setting."""
    for parameter in entry.parameters:
        for value in other_values(parameter):
            try:
                yield make({parameter.name: value})
            except ValueError:
                continue  # settings that do not go together


@pytest.mark.parametrize("key", [*methods(), *base_models()])
def test_learners_that_differ_in_one_setting_have_different_names(key):
    if key in methods():
        base = first_base(key)
        learners = [spec(key, base), *variants(methods()[key], lambda settings: spec(key, base, **settings))]
    else:
        learners = [spec("single", key), *variants(base_models()[key], lambda s: spec("single", {"key": key, **s}))]
    by_content = {learner.canonical: learner for learner in learners}
    names = learner_names([*by_content.values()])
    assert len({" ".join(name.split()).lower() for name in names}) == len(by_content)
    for two in itertools.combinations(by_content.values(), 2):
        first, second = learner_names(two)
        assert first != second


def test_an_experiment_calls_its_learners_so():
    learners = [
        {"method": method, "base": base} for method in ("single", "bagging") for base in ("naive_bayes", "one_rule")
    ]
    config = ExperimentConfig.from_dict({"name": "Mixed", "datasets": ["iris"], "learners": learners})
    assert config.labels() == learner_names(config.learners)
    assert all("naive Bayes" in label or "one rule" in label for label in config.labels())
