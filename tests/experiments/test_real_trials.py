"""Trials of the real learners: a curve changes no number, and no process computes other ones."""

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from ensembles.data import Attribute, Dataset, Table, load_dataset
from ensembles.evaluation.curves import CURVES
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialResult
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials, split_of
from tests.experiments.conftest import make_dataset
from tests.pairs import INSTALLED, bases_of, first_base, small


# Every base model alone, every method with one base model: each pair has kernels of its own to compile.
def one_of_each(**fields: Any) -> ExperimentConfig:
    learners = [
        {"method": method} | ({"base": base} if base else {}) | small(method, 4)
        for method in INSTALLED
        for base in (bases_of(method) if method == "single" else [first_base(method)])
    ]
    document = {
        "name": "One of each",
        "datasets": [{"sha256": "ab" * 32}],
        "learners": learners,
        "protocol": {"kind": "holdout", "repeats": 1, "train_size": 90, "orders": 2},
        "measures": ["accuracy", "mse", "log_loss"],
    }
    return ExperimentConfig.from_dict({**document, **fields})


def numbers(result: TrialResult) -> TrialResult:
    return replace(
        result, fit_seconds=0.0, predict_seconds=0.0, fit_cpu_seconds=0.0, predict_cpu_seconds=0.0, curves={}
    )


def test_bytes_of_a_model_do_not_depend_on_who_learned_from_the_data_before() -> None:
    # Naive Bayes asks the schema for more than forests do.
    methods = [{"method": "random_forest"}, {"method": "bagging", "base": "naive_bayes"}]
    config = one_of_each(learners=methods, measures=["model_bytes"])
    side, labels = Attribute("side", "nominal", ("left", "right")), np.arange(120) % 2
    dataset = Dataset("Sides", Table.from_columns([side], [labels.astype(np.int32)]), labels, ("no", "yes"))
    plans = plan_trials(config, [dataset])
    first, _, again = (numbers(run_trial(plan, dataset, config)) for plan in [plans[0], plans[-1], plans[0]])
    assert again == first


@pytest.mark.compiled  # long, and sees nothing new without the compiler
def test_a_curve_changes_no_number_of_any_learner() -> None:
    dataset = make_dataset(120)
    plain, curved = one_of_each(), one_of_each(curves=["learning_curve", "member_errors"])
    for plan in plan_trials(plain, [dataset]):
        label = plain.labels()[plan.learner]
        without, with_curve = run_trial(plan, dataset, plain), run_trial(plan, dataset, curved)
        assert without.error is None, label
        assert numbers(without) == numbers(with_curve), label
        curve = with_curve.curves["learning_curve"]
        assert curve.x == (9, 18, 27, 36, 45, 54, 63, 72, 81, 90)
        assert curve.y[-1] == without.measures["accuracy"], label


def test_looking_at_members_changes_no_number_of_a_trial() -> None:
    learners = [
        {"method": method, "base": "naive_bayes", "n_estimators": 4}
        for method in ("bagging", "adaboost", "online_boosting")
    ]
    measures, dataset = (
        ["accuracy", "mse", "auc", "model_bytes", "q_statistic", "disagreement", "mean_kappa"],
        make_dataset(120),
    )
    plain = one_of_each(learners=learners, measures=measures)
    curved = one_of_each(
        learners=learners, measures=measures, curves=[key for key in CURVES if key != "prequential_error"]
    )
    for plan in plan_trials(plain, [dataset]):
        without, with_curves = run_trial(plan, dataset, plain), run_trial(plan, dataset, curved)
        assert without.error is None
        assert all(map(math.isfinite, without.measures.values()))
        assert numbers(without) == numbers(with_curves)
        errors = with_curves.curves["trial_graph_test"].y
        assert errors[-1] == pytest.approx(1 - without.measures["accuracy"])
        assert {"trial_graph_train", "margins_train", "margins_test", "diversity"} <= set(with_curves.curves)
        hard = with_curves.curves.get("hard_examples")
        if plain.learners[plan.learner].method == "bagging":
            assert hard is None
        elif plain.learners[plan.learner].method == "adaboost":
            assert hard is not None
            train, _ = split_of(plain, dataset, plan)
            assert set(hard.x) == set(train.tolist())


def test_every_ensemble_leaves_the_errors_of_its_members() -> None:
    ensembles = ["adaboost", "bagging", "online_bagging", "primed_online_boosting", "voting"]
    learners = [{"method": method, "base": "naive_bayes"} for method in ("single", *ensembles)]
    config, dataset = one_of_each(learners=learners, curves=["member_errors"]), make_dataset(120)
    have = {
        config.learners[plan.learner].method
        for plan in plan_trials(config, [dataset])
        if "member_errors" in run_trial(plan, dataset, config).curves
    }
    assert sorted(have) == ensembles


SCRIPT = """
import json, sys
from dataclasses import asdict
from ensembles.data import load_dataset
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials
config = ExperimentConfig.from_yaml(sys.stdin.read())
dataset = load_dataset("iris")
for plan in reversed(plan_trials(config, [dataset])):
    print(json.dumps(asdict(run_trial(plan, dataset, config))))
"""


@pytest.mark.compiled
def test_another_process_computes_the_same_numbers_bit_for_bit() -> None:
    learners = [
        {"method": "online_bagging", "base": "naive_bayes", "n_estimators": 4},
        {"method": "bagging", "base": "naive_bayes", "n_estimators": 4},
    ]
    config = one_of_each(datasets=["iris"], learners=learners, curves=["learning_curve"])
    dataset = load_dataset("iris")
    here = [asdict(run_trial(plan, dataset, config)) for plan in plan_trials(config, [dataset])]
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=config.to_yaml(),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    there = [json.loads(line) for line in done.stdout.splitlines()][::-1]
    for result in (*here, *there):
        for name in ("fit_seconds", "predict_seconds", "fit_cpu_seconds", "predict_cpu_seconds"):
            del result[name]
    assert there == json.loads(json.dumps(here))


@pytest.mark.parametrize(
    "protocol", [{"kind": "holdout", "repeats": 1}, {"kind": "bias_variance", "repeats": 1, "training_sets": 3}]
)
def test_a_trial_says_why_training_stopped_early(protocol: dict[str, object]) -> None:
    labels = np.arange(60) % 3
    noise = np.random.default_rng(0).integers(0, 2, 60).astype(float)
    dataset = Dataset("Noise", Table.from_columns([Attribute("a", "numeric")], [noise]), labels, ("x", "y", "z"))
    learners = [{"method": method, "base": "decision_stump", "n_estimators": 9} for method in ("adaboost", "bagging")]
    config = one_of_each(learners=learners, protocol=protocol)
    boosted, bagged = (run_trial(plan, dataset, config) for plan in plan_trials(config, [dataset]))
    assert re.fullmatch(r"the error of member 1 was 0\.\d+, not below one half", boosted.stopped)
    assert bagged.stopped is None
