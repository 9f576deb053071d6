"""Results of several experiments as one: every trial once, paired where splits are shared and nowhere else."""

import hashlib
from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ensembles.data import catalogue
from ensembles.errors import InvalidInput
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.dataset_ref import DatasetRef
from ensembles.experiments.joined import join_results
from ensembles.experiments.results import CURVE_COLUMNS, TRIAL_COLUMNS, Results

METHODS = ("single", "bagging", "adaboost", "online_bagging")


def make_config(
    methods=METHODS[:2], datasets=("iris",), seed=1, repeats=2, folds=2, **changes: Any
) -> ExperimentConfig:
    return ExperimentConfig.from_dict(
        {
            "name": "Part",
            "seed": seed,
            "datasets": list(datasets),
            "learners": [{"method": method, "base": "naive_bayes"} for method in methods],
            "protocol": {"kind": "cross_validation", "repeats": repeats, "folds": folds, "orders": 2},
            "curves": ["learning_curve"],
            **changes,
        }
    )


def splitting(config: ExperimentConfig) -> str:
    return f"{config.protocol.split_settings()}{config.seed}"


def accuracy(*of: Any) -> float:
    """Return a number in [0, 1) that depends on everything that a trial depends on."""
    return int(hashlib.sha256(repr(of).encode()).hexdigest()[:8], 16) / 2**32


def run(config: ExperimentConfig, shift: float = 0.0, failing: tuple[int, ...] = ()) -> Results:
    rows, curves = [], []
    repeats, folds = config.protocol.splits
    places = product(range(len(config.datasets)), range(len(config.learners)), range(repeats), range(folds), range(2))
    for dataset, learner, repeat, fold, order in places:
        of = (
            config.datasets[dataset].content,
            config.learners[learner].canonical,
            splitting(config),
            repeat,
            fold,
            order,
        )
        place = {"dataset": dataset, "learner": learner, "repeat": repeat, "fold": fold, "order": order}
        numbers = dict.fromkeys(TRIAL_COLUMNS[5:12], 1.0)
        failed = learner in failing
        rows.append({**place, **numbers, "stopped": None, "error": "it failed" if failed else None})
        rows[-1] |= {measure: np.nan if failed else accuracy(*of) + shift for measure in config.measures}
        curves.append({**place, "curve": "learning_curve", "x": 1.0, "y": accuracy(*of)})
    return Results(
        config,
        tuple(one.label for one in config.datasets),
        config.labels(),
        pd.DataFrame(rows),
        pd.DataFrame(curves, columns=list(CURVE_COLUMNS)),
    )


def values(results: Results) -> dict[tuple[str, str], dict[tuple[Any, ...], float]]:
    """Return the accuracy by data set and learner, then by split: what reports pair learners by."""
    found: dict[tuple[str, str], dict[tuple[Any, ...], float]] = defaultdict(dict)
    for (dataset, learner, repeat, fold), value in results.splits("accuracy").items():
        found[results.config.datasets[dataset].content, results.config.learners[learner].canonical][repeat, fold] = (
            value
        )
    return found


def naive(configs: list[ExperimentConfig]) -> dict[tuple[str, str], dict[tuple[Any, ...], float]]:
    """Return the same in the plainest way: splits are named by what they depend on."""
    trials: dict[Any, dict[Any, list[float]]] = defaultdict(lambda: defaultdict(list))
    for config in configs:
        repeats, folds = config.protocol.splits
        for dataset, learner, repeat, fold in product(config.datasets, config.learners, range(repeats), range(folds)):
            of = dataset.content, learner.canonical, splitting(config), repeat, fold
            split = splitting(config), repeat, fold
            trials[dataset.content, learner.canonical][split] = [accuracy(*of, order) for order in range(2)]
    return {cell: {split: sum(both) / 2 for split, both in splits.items()} for cell, splits in trials.items()}


def differences(found: dict[Any, dict[Any, float]], dataset: str, first: str, second: str) -> list[float]:
    one, other = found.get((dataset, first), {}), found.get((dataset, second), {})
    return sorted(one[split] - other[split] for split in one.keys() & other.keys())


@pytest.mark.parametrize("seed", range(12))
def test_joined_results_are_those_of_the_plainest_join(seed: int) -> None:
    rng = np.random.default_rng(seed)
    configs = [
        make_config(
            rng.choice(METHODS, size=rng.integers(1, 4), replace=False).tolist(),
            rng.choice(["iris", "wine", "digits"], size=rng.integers(1, 3), replace=False).tolist(),
            seed=int(rng.integers(1, 3)),
            repeats=int(rng.integers(1, 4)),
            folds=int(rng.integers(2, 4)),
        )
        for _ in range(rng.integers(1, 5))
    ]
    joined = join_results([(f"Part {number}", run(config)) for number, config in enumerate(configs)]).results
    found, expected = values(joined), naive(configs)
    assert found.keys() == expected.keys()
    for cell, splits in expected.items():
        assert sorted(found[cell].values()) == pytest.approx(sorted(splits.values()))
    learners = {learner for _, learner in expected}
    for dataset, first, second in product(("iris", "wine", "digits"), learners, learners):
        pairs = differences(expected, dataset, first, second)
        assert differences(found, dataset, first, second) == pytest.approx(pairs)
    assert not joined.trials.duplicated(["dataset", "learner", "repeat", "fold", "order"]).any()
    of_curves = joined.curves.groupby(["dataset", "learner", "repeat", "fold"])["y"].mean()
    assert of_curves.to_dict() == pytest.approx(joined.splits("accuracy").to_dict()), "curves go with their trials"


def test_experiments_that_share_their_splits_are_paired_and_nothing_is_said() -> None:
    joined = join_results([("A", run(make_config(METHODS[:2]))), ("B", run(make_config(METHODS[1:3], repeats=3)))])
    assert joined.notes == ()
    assert joined.results.learners == ("Single model", "Bagging", "AdaBoost")
    assert joined.results.splits("accuracy").unstack("learner").notna().sum().tolist() == [4, 6, 6]
    assert joined.results.config.protocol.splits == (3, 2)


def test_other_seeds_and_folds_are_not_paired_and_it_is_said() -> None:
    joined = join_results([("A", run(make_config(METHODS[:1]))), ("B", run(make_config(METHODS[1:2], seed=2)))])
    assert joined.results.splits("accuracy").unstack("learner").notna().sum(axis=1).max() == 1
    assert joined.notes == (
        "Not paired, as their splits differ: A (2 × 2-fold cross-validation, 2 orders, seed 1); B (2 × 2-fold "
        "cross-validation, 2 orders, seed 2). Learners are paired within each of these only; those that share no split "
        "are compared by their means, on one data set by Welch's test.",
    )
    other = join_results([("A", run(make_config())), ("B", run(make_config(folds=3)))]).notes
    assert other[0].endswith(
        "They train on other numbers of examples, or are tested by other sets: errors differ for that alone."
    )
    apart = [("A", run(make_config(datasets=["iris"]))), ("B", run(make_config(datasets=["wine"], seed=2)))]
    assert join_results(apart).notes == (), "they have no data in common"


def test_one_learner_with_other_numbers_for_the_same_trials_is_told_apart() -> None:
    joined = join_results([("A", run(make_config())), ("B", run(make_config(), shift=0.25)), ("C", run(make_config()))])
    assert joined.results.learners == ("Single model (A, C)", "Single model (B)", "Bagging (A, C)", "Bagging (B)")
    assert joined.notes == (
        "Trials of the same settings have different numbers, so these are told apart: Single model (A, C), Single model "
        "(B), Bagging (A, C) and 1 more.",
    )
    means = joined.results.mean("accuracy").loc[0]
    assert means[1] - means[0] == means[3] - means[2] == pytest.approx(0.25)


def test_what_failed_gives_way_to_what_finished() -> None:
    joined = join_results([("A", run(make_config(), failing=(0, 1))), ("B", run(make_config(METHODS[:1])))]).results
    assert joined.finished["learner"].unique().tolist() == [0]
    assert joined.failed["learner"].unique().tolist() == [1]


def test_one_data_set_of_many() -> None:
    generated = {"key": "waveform40", "rows": 300}
    parts = [
        ("A", run(make_config(datasets=["iris", "wine"]))),
        ("B", run(make_config(datasets=["wine", generated]))),
        ("C", run(make_config(datasets=["digits"]))),
    ]
    joined = join_results(parts, on="wine").results
    assert joined.dataset_names == ("Wine",)
    assert set(joined.trials["dataset"]) == {0}
    assert join_results(parts, on="waveform40").results.config.datasets[0].settings == {"rows": 300}
    with pytest.raises(InvalidInput, match="none of these experiments has this data set"):
        join_results(parts, on="led24")


def test_protocols_of_different_kinds_are_refused() -> None:
    stream = make_config(METHODS[3:], protocol={"kind": "prequential"}, curves=[])
    said = r"must have one kind of protocol to be compared, got Cross-validation \(A\) and Prequential \(A \(2\)\)"
    with pytest.raises(InvalidInput, match=said):
        join_results([("A", run(make_config())), ("A", run(stream))])


def test_seeds_of_a_stream_are_further_orders_of_it() -> None:
    parts = [
        (name, run(make_config(METHODS[3:], seed=seed, protocol={"kind": "prequential", "orders": 2}, curves=[])))
        for seed, name in enumerate("AB")
    ]
    trials = join_results(parts).results.trials
    assert trials[["repeat", "order"]].to_numpy().tolist() == [[0, 0], [0, 1], [0, 2], [0, 3]]


def test_an_experiment_without_a_trial_adds_its_learners() -> None:
    waiting = run(make_config(METHODS[2:3]))
    nothing = Results(waiting.config, waiting.dataset_names, waiting.learner_labels, waiting.trials.iloc[:0])
    joined = join_results([("A", run(make_config())), ("B", nothing)]).results
    assert joined.learners == ("Single model", "Bagging", "AdaBoost")
    assert joined.mean("accuracy").loc[0].isna().tolist() == [False, False, True]
    assert join_results([("B", nothing)]).results.finished.empty


def test_an_upload_of_what_the_catalogue_has_is_the_same_data_set() -> None:
    sha256 = str(catalogue()["iris"].sha256)
    parts = [
        ("Catalogue", run(make_config(METHODS[:1], ["wine", "iris"]))),
        ("Upload", run(make_config(METHODS[1:2], [{"sha256": sha256, "name": "Mine"}]))),
    ]
    for on in ("iris", sha256):
        joined = join_results(parts, on=on)
        assert joined.results.dataset_names == ("Iris",)
        assert joined.results.splits("accuracy").notna().all()
        assert len(joined.results.splits("accuracy")) == 8, "two learners on the same four splits"
        assert joined.notes == ()
    usual, other = catalogue()["led24"].settings[0].default, 170
    refs = [DatasetRef.model_validate({"key": "led24", "rows": rows}) for rows in (usual, other)]
    assert [ref.content for ref in refs] == ["led24", 'led24{"rows":170}']
