"""Parameters that have other names now: what people wrote and stored by the former names still loads and is found."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from ensembles import BaggingClassifier, HoeffdingTreeClassifier
from ensembles.data import load_dataset
from ensembles.errors import InvalidConfig, InvalidParameter
from ensembles.experiments.config import ExperimentConfig, LearnerSpec
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import learner_seed, plan_trials
from ensembles.registry import base_models, make_learner, methods
from storage import open_storage

# As a release before the renaming stored it, with the keys of its first three trials and the seeds of their learners.
STORED = (
    '{"name":"Old","seed":4,"datasets":["iris"],"learners":[{"method":"bagging","base":{"key":"hoeffding_tree","leaf":'
    '"majority","grace":50,"min_frac":0.05},"n_estimators":5,"sample_size":40},{"method":"voting","base":{"key":'
    '"one_rule","min_split":2.0},"n_estimators":5,"subset":0.75},{"method":"single","base":{"key":"neural_network",'
    '"lr":0.5}}],"protocol":{"kind":"cross_validation","repeats":1,"folds":2,"orders":1,"stratified":true},"measures":'
    '["accuracy"],"curves":[]}'
)
KEYS = ["b2bf62d937f8ae629bbe3e55d1165d7b", "c92aa1af62ba242a933f1d8d44def288", "e7af4b1328e21d9fd811315e3666ae51"]
SEEDS = [247240755, 1843370807, 1408900613]
TODAY = [
    {
        "method": "bagging",
        "base": {
            "key": "hoeffding_tree", "leaf_prediction": "majority", "grace_period": 50, "min_branch_fraction": 0.05,
        },
        "n_estimators": 5,
        "max_samples": 40,
    },
    {
        "method": "voting",
        "base": {"key": "one_rule", "min_branch_weight": 2.0},
        "n_estimators": 5,
        "max_features": 0.75,
    },
    {
        "method": "single",
        "base": {
            "key": "neural_network", "hidden": 0, "learning_rate": 0.5, "momentum": 0.5, "epochs": 10, "loss": "squared",
            "decay": 0.0, "averaged": False,
        },
    },
]  # fmt: skip


def test_a_document_with_former_names_is_the_one_with_those_of_today() -> None:
    old = ExperimentConfig.from_dict(json.loads(STORED))
    assert old == ExperimentConfig.from_dict({**json.loads(STORED), "format": 2, "learners": TODAY})
    assert old.to_dict()["learners"] == TODAY
    assert yaml.safe_load(old.to_yaml())["learners"] == TODAY
    assert ExperimentConfig.from_yaml(yaml.safe_dump(json.loads(STORED))) == old


def test_trials_keep_their_keys_and_learners_their_seeds() -> None:
    config, dataset = ExperimentConfig.from_dict(json.loads(STORED)), load_dataset("iris")
    plans = [plan for plan in plan_trials(config, [dataset]) if plan.fold == 0]
    assert [plan.key for plan in plans] == KEYS
    assert [learner_seed(config, dataset, plan) for plan in plans] == SEEDS


def test_a_stored_experiment_loads_and_is_found_with_its_trials(tmp_path: Path) -> None:
    file = tmp_path / "old.sqlite"
    config, dataset = ExperimentConfig.from_dict(json.loads(STORED)), load_dataset("iris")
    with open_storage(f"sqlite:///{file}") as storage:
        record = storage.create_experiment(config)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE experiments SET config = ?", [STORED])
    with open_storage(f"sqlite:///{file}") as storage:
        found = storage.find_experiment(ExperimentConfig.from_dict({**json.loads(STORED), "learners": TODAY}))
        assert found is not None
        assert (found.id, found.config) == (record.id, config)
        plan = plan_trials(found.config, [dataset])[0]
        storage.save_trials(record.id, [(plan, TrialResult(plan.key, error="none"))])
        assert storage.finished_keys(record.id) == {KEYS[0]}
        assert storage.create_experiment(config).id != record.id
        newest = storage.find_experiment(config)
        assert newest is not None
        assert newest.id != record.id


def test_both_names_at_once_are_refused() -> None:
    with pytest.raises(
        InvalidConfig, match="bagging: max_samples must be given once, got it by its former name as well"
    ):
        ExperimentConfig.from_dict(
            {
                **json.loads(STORED),
                "learners": [{"method": "bagging", "base": "naive_bayes", "sample_size": 3, "max_samples": 4}],
            }
        )


def test_python_takes_the_names_of_today_and_says_so() -> None:
    with pytest.raises(TypeError, match=r"^HoeffdingTreeClassifier: grace is called grace_period now$"):
        HoeffdingTreeClassifier(grace=10)
    with pytest.raises(TypeError, match=r"^BaggingClassifier: sample_size is called max_samples now$"):
        BaggingClassifier(sample_size=10)
    with pytest.raises(InvalidParameter, match=r"^bagging: sample_size is called max_samples now$"):
        make_learner("bagging", "naive_bayes", settings={"sample_size": 10})


@pytest.mark.parametrize("key", [*methods(), *base_models()])
def test_no_former_name_is_that_of_another_parameter(key: str) -> None:
    parameters = {**methods(), **base_models()}[key].parameters
    names = [name for parameter in parameters for name in (parameter.name, parameter.former) if name]
    assert len(names) == len(set(names))


def test_a_setting_that_has_its_default_still_does_not_count() -> None:
    plain = LearnerSpec.model_validate({"method": "bagging", "base": "naive_bayes"})
    same = LearnerSpec.model_validate({"method": "bagging", "base": "naive_bayes", "sample_size": 0})
    assert same.canonical == plain.canonical
