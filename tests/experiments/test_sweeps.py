"""Lists of values in experiment files, and the choices of the form that stand for them."""

import pytest

from ensembles.errors import InvalidConfig
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.learner_choice import LearnerChoice


def read(*learners):
    return ExperimentConfig.from_dict({"name": "Sweep", "datasets": ["iris"], "learners": list(learners)})


def test_a_list_of_values_stands_for_a_learner_each():
    config = read(
        {"method": "online_bagging", "base": "naive_bayes", "n_estimators": [10, 50]},
        {"method": "single", "base": "naive_bayes"},
    )
    assert config.labels() == ("Online bagging of 10 members", "Online bagging of 50 members", "Single model")
    assert ExperimentConfig.from_yaml(config.to_yaml()) == config


def test_lists_are_combined_the_last_one_changing_first():
    config = read(
        {
            "method": ["bagging", "adaboost"],
            "base": ["one_rule", {"key": "perceptron", "averaged": [True, False]}],
            "encode": {"numeric": ["keep", "scale"]},
        }
    )
    seen = [(x.method, x.base, x.base_settings.get("averaged"), x.encode["numeric"]) for x in config.learners]
    bases = [("one_rule", None), ("perceptron", True), ("perceptron", False)]
    assert set(seen) == {(m, *b, e) for m in ("bagging", "adaboost") for b in bases for e in ("keep", "scale")}
    assert len(seen) == 12
    assert seen[:2] == [("bagging", "one_rule", None, "keep"), ("bagging", "one_rule", None, "scale")]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], r"n_estimators must be a value or a list of values, got an empty list"),
        ([10, 0], r"learners\[1\]: bagging: n_estimators must be an integer in \[1, 10000\], got 0"),
        ([10, 10], r"learners\[1\] is the same as learners\[0\]"),
        ([[10, 20]], r"n_estimators must be an integer in \[1, 10000\], got \[10, 20\]"),
        (list(range(1, 1002)), r"learners: must be at most 1,000, lists of values stand for more"),
    ],
)
def test_lists_that_stand_for_no_learners_are_refused(values, said):
    with pytest.raises(InvalidConfig, match=said):
        read({"method": "bagging", "base": "naive_bayes", "n_estimators": values})


def test_lists_that_stand_for_billions_are_refused_at_once():
    encode = {name: list(range(1000)) for name in ("numeric", "nominal", "bins")}
    with pytest.raises(InvalidConfig, match="must be at most 1,000"):
        read(*[{"method": "bagging", "base": "naive_bayes", "encode": encode}] * 1000)


def test_the_form_shows_what_it_makes_of_several_values():
    choice = LearnerChoice(
        ("single", "bagging", "primed_online_boosting"),
        ("naive_bayes", "perceptron"),
        (10, 50),
        {"primed_online_boosting": {"prime_fraction": (0.1, 0.3)}},
        {"perceptron": {"averaged": (False, True)}},
    )
    learners = choice.learners()
    assert len(learners) == 3 + 2 * 3 + 2 * 2 * 3
    found = LearnerChoice.of(learners[::-1])
    assert found is not None
    assert {one.canonical for one in found.learners()} == {one.canonical for one in learners}
    assert found.members == (10, 50)
    assert LearnerChoice.of(learners[:-1]) is None
