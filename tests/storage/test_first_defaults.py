"""Defaults that are other ones now: what was written and stored before goes on meaning what it meant, and is found."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ensembles.data import load_dataset
from ensembles.errors import InvalidConfig
from ensembles.experiments.config import FORMAT, ExperimentConfig, LearnerSpec
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import learner_seed, plan_trials
from ensembles.registry import base_models, methods
from runner.bundles import import_bundle, write_bundle
from storage import open_storage

# As releases before the change stored it, with the keys that its first three trials and the seeds that their learners had.
STORED = (
    '{"name":"Old","seed":4,"datasets":["iris"],"learners":[{"method":"adaboost","base":"decision_tree","n_estimators":5},'
    '{"method":"single","base":{"key":"neural_network","lr":0.5}},{"method":"adaboost","base":{"key":"neural_network",'
    '"epochs":30},"n_estimators":5}],"protocol":{"kind":"cross_validation","repeats":1,"folds":2,"orders":1,"stratified":'
    'true},"measures":["accuracy"],"curves":[]}'
)
KEYS = ["d916041ada819e97aefb69900557afd7", "e7af4b1328e21d9fd811315e3666ae51", "1ef714589dd734f9a1d162e30cc06906"]
SEEDS = [1843907399, 1408900613, 1553413919]
OF_THE_NETWORK = {"hidden": 0, "momentum": 0.5, "loss": "squared", "decay": 0.0, "averaged": False}
MEANT = [
    {"method": "adaboost", "base": {"key": "decision_tree", "criterion": "ks"}, "n_estimators": 5, "algorithm": "m1"},
    {"method": "single", "base": {"key": "neural_network", "learning_rate": 0.5, "epochs": 10, **OF_THE_NETWORK}},
    {
        "method": "adaboost",
        "base": {"key": "neural_network", "learning_rate": 0.2, "epochs": 30, **OF_THE_NETWORK},
        "n_estimators": 5,
        "algorithm": "m1",
    },
]

# The same of format 2.
SECOND = (
    '{"format":2,"name":"Second","seed":4,"datasets":["iris"],"learners":[{"method":"adaboost","base":"decision_stump",'
    '"n_estimators":5},{"method":"bagging","base":"pruned_tree","n_estimators":5},{"method":"single","base":{"key":'
    '"neural_network","epochs":5}}],"protocol":{"kind":"cross_validation","repeats":1,"folds":2,"orders":1,"stratified":'
    'true},"measures":["accuracy"],"curves":[]}'
)
KEYS_OF_SECOND = [
    "7a2affcaff35496b3cc439fdfd654464", "80adff468a6ee6beb38b5fa5e6d42431", "90f5bb233ed9911359ae3269ac5ef3bc"
]  # fmt: skip
SEEDS_OF_SECOND = [1498221000, 2098461079, 1624609469]
STUMP = {"key": "decision_stump", "criterion": "info_gain", "nominal_split": "multiway"}
TREE = {"key": "pruned_tree", "criterion": "gain_ratio", "min_branch_weight": 2.0, "nominal_split": "multiway"}
NETWORK = {"key": "neural_network", "learning_rate": 0.1, "epochs": 5, "decay": 0.0, "averaged": False}
MEANT_BY_SECOND = [
    {"method": "adaboost", "base": STUMP, "n_estimators": 5},
    {"method": "bagging", "base": TREE, "n_estimators": 5},
    {"method": "single", "base": NETWORK},
]


def old() -> ExperimentConfig:
    return ExperimentConfig.from_dict(json.loads(STORED))


def meant() -> ExperimentConfig:
    return of_today(STORED, MEANT)


def of_today(text: str, learners: list[dict[str, Any]]) -> ExperimentConfig:
    return ExperimentConfig.from_dict({**json.loads(text), "format": FORMAT, "learners": learners})


FORMATS = {"first": (STORED, MEANT, KEYS, SEEDS), "second": (SECOND, MEANT_BY_SECOND, KEYS_OF_SECOND, SEEDS_OF_SECOND)}


def test_a_document_without_a_format_says_what_it_meant() -> None:
    assert old() == meant()
    assert {one.entry.key for one in old().learners} == {"adaboost", "single"}
    assert old().to_dict()["format"] == FORMAT
    assert ExperimentConfig.from_dict(old().to_dict()) == old()
    assert ExperimentConfig.from_yaml(old().to_yaml()) == old()


def test_a_document_of_the_second_format_says_what_it_meant() -> None:
    second = ExperimentConfig.from_dict(json.loads(SECOND))
    assert second == of_today(SECOND, MEANT_BY_SECOND)
    assert ExperimentConfig.from_yaml(second.to_yaml()) == second
    assert json.dumps(second.to_dict(format=2), separators=(",", ":")) == SECOND


def test_a_document_of_today_means_the_defaults_of_today() -> None:
    today = ExperimentConfig.from_dict({**json.loads(STORED), "format": FORMAT})
    assert [one.settings for one in today.learners] == [{"n_estimators": 5}, {}, {"n_estimators": 5}]
    assert {one.canonical for one in today.learners}.isdisjoint(one.canonical for one in old().learners)
    assert ExperimentConfig.from_yaml(today.to_yaml()) == today


@pytest.mark.parametrize("form", FORMATS)
def test_trials_keep_their_keys_and_learners_their_seeds(form: str) -> None:
    text, learners, keys, seeds = FORMATS[form]
    dataset = load_dataset("iris")
    for config in (ExperimentConfig.from_dict(json.loads(text)), of_today(text, learners)):
        plans = [plan for plan in plan_trials(config, [dataset]) if plan.fold == 0]
        assert [plan.key for plan in plans] == keys
        assert [learner_seed(config, dataset, plan) for plan in plans] == seeds


@pytest.mark.parametrize("form", FORMATS)
def test_a_stored_experiment_loads_as_it_was_and_is_found(form: str, tmp_path: Path) -> None:
    text, learners, *_ = FORMATS[form]
    config, meant = ExperimentConfig.from_dict(json.loads(text)), of_today(text, learners)
    file = tmp_path / "old.sqlite"
    with open_storage(f"sqlite:///{file}") as storage:
        record = storage.create_experiment(config)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE experiments SET config = ?", [text])
    with open_storage(f"sqlite:///{file}") as storage:
        found = storage.find_experiment(meant)
        assert found is not None
        assert (found.id, found.config) == (record.id, meant)
        assert storage.find_experiment(ExperimentConfig.from_dict({**json.loads(text), "format": FORMAT})) is None
        plans = plan_trials(found.config, [load_dataset("iris")])
        storage.save_trials(record.id, [(plan, TrialResult(plan.key, error="none")) for plan in plans])
        bundle = write_bundle(storage, record.id)
        again = import_bundle(storage, bundle)
        assert again.config == meant
        assert storage.finished_keys(again.id) == {plan.key for plan in plans}
        newest = storage.find_experiment(config)
        assert newest is not None
        assert newest.id == again.id


def test_learners_of_which_only_the_key_was_stored_are_those_of_the_time() -> None:
    for learner in (*old().learners, *ExperimentConfig.from_dict({**json.loads(STORED), "format": FORMAT}).learners):
        again = LearnerSpec.from_canonical(learner.canonical)
        assert again.canonical == learner.canonical
    assert LearnerSpec.from_canonical(
        '{"base":"naive_bayes","base_settings":{},"method":"adaboost","settings":{}}'
    ).settings == {"algorithm": "m1"}


def test_lists_of_values_have_the_settings_of_each_of_their_learners() -> None:
    learners = [{"method": ["adaboost", "single"], "base": ["decision_tree", "naive_bayes"]}]
    document = {"name": "Some", "datasets": ["iris"], "learners": learners}
    some = ExperimentConfig.from_dict(document).learners
    assert [(one.settings, one.base_settings) for one in some] == [
        ({"algorithm": "m1"}, {"criterion": "ks"}),
        ({"algorithm": "m1"}, {}),
        ({}, {"criterion": "ks"}),
        ({}, {}),
    ]


@pytest.mark.parametrize("wrong", [0, 4, "2", True, None, 1.5])
def test_a_format_that_is_not_known_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidConfig, match=r"^format: must be an integer in \[1, 3\], got "):
        ExperimentConfig.from_dict({**json.loads(STORED), "format": wrong})


@pytest.mark.parametrize("key", [*methods(), *base_models()])
def test_what_keys_leave_out_is_a_value_that_is_allowed(key: str) -> None:
    for parameter in {**methods(), **base_models()}[key].parameters:
        for form in range(1, FORMAT + 1):
            parameter.check(key, parameter.default_in(form))
        assert len(parameter.former_defaults) < FORMAT
        assert parameter.default != (parameter.former_defaults or [None])[-1]
