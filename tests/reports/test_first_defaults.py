"""What is said of settings that were defaults once."""

from ensembles.experiments.config import ExperimentConfig
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
    network, boosting, tree = first_defaults(ExperimentConfig.from_dict(DOCUMENT).learners)
    assert network == (
        "Neural network has here what was its default before: hidden units 0, learning rate 0.2, momentum in batch 0.5, "
        "passes over the training examples 10, error that training reduces squared error."
    )
    assert boosting == "AdaBoost has here what was its default before: more than two classes M1, as in Oza 2001."
    assert tree.startswith("Decision tree has here what was its default before: questions chosen by Kolmogorov-Smirnov")
    assert first_defaults(ExperimentConfig.from_dict({**DOCUMENT, "format": 2}).learners) == []


def test_the_report_says_it() -> None:
    assert "more than two classes M1, as in Oza 2001" in report_page(make_results([make_trial(0, 0, 0.9)]), [])
