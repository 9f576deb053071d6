"""What is said of settings that were defaults once."""

from ensembles.experiments.config import FORMAT, ExperimentConfig
from ensembles.reports.first_defaults import first_defaults
from ensembles.reports.html_report import report_page
from tests.reports.made_up import make_results, make_trial

DOCUMENT = {
    "name": "Old",
    "datasets": ["iris"],
    "learners": [
        {"method": ["single", "adaboost"], "base": "neural_network"},
        {"method": "adaboost", "base": "decision_tree"},
        {"method": "adaboost", "base": "pruned_tree", "algorithm": "samme"},
    ],
}


def test_each_learner_that_has_them_is_named_once() -> None:
    network, boosting, tree, pruned = first_defaults(ExperimentConfig.from_dict(DOCUMENT).learners)
    assert network == (
        "Neural network has here what was its default before: hidden units 0, learning rate 0.2, momentum in batch 0.5, "
        "passes over the training examples 10, error that training reduces squared error, weight decay in batch 0, "
        "predict by averaged weights off."
    )
    assert boosting == "AdaBoost has here what was its default before: more than two classes M1, as in Oza 2001."
    assert tree.startswith("Decision tree has here what was its default before: questions chosen by Kolmogorov-Smirnov")
    assert pruned == (
        "Pruned decision tree has here what was its default before: questions chosen by gain ratio, least weight of two "
        "branches 2, questions on nominal attributes a branch a value."
    )
    assert first_defaults(ExperimentConfig.from_dict({**DOCUMENT, "format": FORMAT}).learners) == []


def test_those_of_the_second_format_are_named_too() -> None:
    network, pruned = first_defaults(ExperimentConfig.from_dict({**DOCUMENT, "format": 2}).learners)
    assert network == (
        "Neural network has here what was its default before: learning rate 0.1, passes over the training examples 30, "
        "weight decay in batch 0, predict by averaged weights off."
    )
    assert pruned.startswith(
        "Pruned decision tree has here what was its default before: questions chosen by gain ratio"
    )


def test_the_report_says_it() -> None:
    assert "more than two classes M1, as in Oza 2001" in report_page(make_results([make_trial(0, 0, 0.9)]), [])
