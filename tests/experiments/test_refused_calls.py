"""Functions of experiments called from Python with what they cannot use: a sentence each."""

import re

import pytest

from ensembles import load_model
from ensembles.data import load_dataset
from ensembles.errors import InvalidConfig, InvalidData, InvalidInput
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.estimate import estimate_seconds
from ensembles.experiments.resolve import resolve_datasets
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import count_trials, plan_trials
from ensembles.experiments.whole import train_whole, whole_plan
from ensembles.reports.program import notebook, script

FIELDS = {"name": "a", "datasets": ["iris"], "learners": [{"method": "single", "base": "naive_bayes"}]}
CONFIG = ExperimentConfig.from_dict({**FIELDS, "format": 2})
IRIS, WINE = load_dataset("iris"), load_dataset("wine")
PLAN = plan_trials(CONFIG, [IRIS])[0]


@pytest.mark.parametrize("config", [None, FIELDS])
@pytest.mark.parametrize(
    "call",
    [
        script,
        notebook,
        count_trials,
        lambda config: plan_trials(config, [IRIS]),
        lambda config: run_trial(PLAN, IRIS, config),
        lambda config: resolve_datasets(config, None),
    ],
)
def test_what_is_no_experiment_is_refused(call, config):
    sentence = r"^\w+: must be given an ExperimentConfig \(from_dict, from_yaml\), got (None|{'name': 'a', .*)$"
    with pytest.raises(InvalidConfig, match=sentence):
        call(config)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: plan_trials(CONFIG, None),
            "plan_trials: datasets must be a list of those of the experiment, got None",
        ),
        (
            lambda: plan_trials(CONFIG, IRIS),
            "plan_trials: datasets must be a list of those of the experiment, got <Data",
        ),
        (
            lambda: plan_trials(CONFIG, ["iris"]),
            "plan_trials: datasets must be a list of those of the experiment, got ['",
        ),
        (lambda: run_trial(PLAN, WINE, CONFIG), "run_trial: must be given the data set at plan.dataset, 0, got Wine"),
        (lambda: run_trial(PLAN, None, CONFIG), "run_trial: must be given a plan and its data set, got TrialPlan("),
        (lambda: train_whole(CONFIG, whole_plan(0, 7), IRIS), "train_whole: plan.learner must be in [0, 0], got 7"),
        (
            lambda: train_whole(CONFIG, whole_plan(0, 0), None),
            "train_whole: must be given a plan and its data set, got",
        ),
        (
            lambda: estimate_seconds(CONFIG, None),
            "estimate_seconds: datasets must be a list of those of the experiment,",
        ),
        (
            lambda: estimate_seconds(CONFIG, [IRIS], workers=0),
            "estimate_seconds: workers must be an integer >= 1, got 0",
        ),
        (lambda: ExperimentConfig.from_yaml(None), "experiment: must be the text of a file, got None"),
    ],
)
def test_what_cannot_be_used_is_told(call, sentence):
    with pytest.raises(InvalidInput, match=f"^{re.escape(sentence)}"):
        call()


@pytest.mark.parametrize("path", [None, 1, b"model.skops"])
def test_the_path_of_a_model_is_one(path):
    with pytest.raises(InvalidData, match=f"^load_model: path must be that of a file, got {path!r}$"):
        load_model(path)


def test_packages_are_no_text_of_which_any_part_would_be_trusted(tmp_path):
    with pytest.raises(InvalidData, match=r"^load_model: packages must be a list of names, got 'osmosis'$"):
        load_model(tmp_path / "model.skops", packages="osmosis")


def test_what_is_written_in_several_lines_is_told_in_one():
    with pytest.raises(InvalidConfig, match=r"got \[ sepal length \(cm\) sepal width \(cm\) .*…$") as refused:
        plan_trials(CONFIG, [IRIS.to_frame()])
    assert "\n" not in str(refused.value)
