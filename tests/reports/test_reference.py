"""A page of each learner, from its class."""

import pytest

from ensembles.experiments.config import LearnerSpec
from ensembles.experiments.learner_choice import method_rows
from ensembles.experiments.yaml_io import read_yaml
from ensembles.registry import base_models, methods
from ensembles.reports.reference import examples_of, overview_of, reference_of
from tests.examples import iris_like

ENTRIES = [*methods().values(), *base_models().values()]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_every_learner_has_a_page_with_all_its_settings(entry):
    page = reference_of(entry)
    assert page.startswith(f"## {entry.name}\n\n`{entry.key}` · ")
    assert entry.source in page
    for parameter in entry.parameters:
        assert f"* `{parameter.name}` (" in page
        assert parameter.said().replace('"', "`") in page
    for call in ("fit", "predict"):
        assert f"* `{call}(X" in page
    assert "----" not in page


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_the_examples_of_a_page_are_true(entry):
    python, file = (block.split("\n", 1)[1].removesuffix("\n```") for block in examples_of(entry))
    spec = LearnerSpec.model_validate(read_yaml(file))
    assert entry.key in (spec.method, spec.base)
    X, y = iris_like(12)
    scope = {"X": X, "y": y}
    exec(python.rsplit(".fit", 1)[0], scope)  # imports, and the constructor
    assert hasattr(scope[entry.cls.__name__], "fit")


def test_attributes_are_a_list_and_internal_operations_are_left_out():
    page = reference_of(methods()["adwin_bagging"])
    assert "* `n_replaced_` (int): How often a member began anew." in page
    assert "of any base model that learns online" in page
    assert "set_fit_request" not in page
    assert "fit_member" not in reference_of(base_models()["pruned_tree"])


def test_the_overview_tells_of_each_learner_in_its_row():
    text = overview_of("Methods", method_rows())
    assert text.count("\n* **") == len(methods())
    assert text.index("### Bagging, online") < text.index("**Online bagging** (`online_bagging`)")
