"""Experiment files: read, written back, and refused in words that name the field."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from ensembles.errors import InvalidConfig
from ensembles.experiments.config import CrossValidation, DatasetRef, ExperimentConfig, GivenSplit, Holdout, LearnerSpec

WHOLE = """
name: Naive Bayes on Synthetic-2
seed: 7
datasets:
  - iris
  - {key: synthetic_2, rows: 2000, seed: 3}
  - {file: car.csv, target: class, nominal: all, ignore: [id]}
  - {file: other.csv, nominal: [a, b], numeric: [c]}
  - {sha256: 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a, name: Mine}
learners:
  - {method: single, base: naive_bayes}
  - {method: online_bagging, base: naive_bayes, n_estimators: 10}
  - {method: primed_online_boosting, base: {key: naive_bayes, smoothing: none}, prime_fraction: 1e-1, prime_cap: 50}
protocol: {kind: cross_validation, repeats: 10, folds: 5, orders: 5, stratified: false}
measures: [accuracy, mse]
curves: [learning_curve, member_errors]
"""

SHORT = {"name": "x", "datasets": ["iris"], "learners": [{"method": "single", "base": "naive_bayes"}]}


def test_a_file_says_what_it_says() -> None:
    config = ExperimentConfig.from_yaml(WHOLE)
    assert config.name == "Naive Bayes on Synthetic-2"
    assert config.seed == 7
    assert config.datasets[0] == DatasetRef(key="iris")
    assert config.datasets[1].settings == {"rows": 2000, "seed": 3}
    assert (config.datasets[2].file, config.datasets[2].nominal, config.datasets[2].ignore) == (
        "car.csv",
        "all",
        ("id",),
    )
    assert (config.datasets[3].nominal, config.datasets[3].numeric) == (("a", "b"), ("c",))
    assert config.datasets[4].name == "Mine"
    assert config.learners[1].settings == {"n_estimators": 10}
    assert config.learners[2].base_settings == {"smoothing": "none"}
    assert config.learners[2].settings == {"prime_fraction": 0.1, "prime_cap": 50}
    assert config.protocol == CrossValidation(repeats=10, folds=5, orders=5, stratified=False)
    assert config.measures == ("accuracy", "mse")
    assert config.curves == ("learning_curve", "member_errors")


@pytest.mark.parametrize(
    "protocol",
    [
        {"kind": "holdout", "repeats": 1000, "train_size": 200},
        {"kind": "holdout", "train_size": 0.5, "stratified": True},
        {"kind": "given_split", "test_file": "census_test.csv", "orders": 3},
        {"kind": "given_split", "test_sha256": "ab" * 32},
        {"kind": "bias_variance", "pool": 100, "training_sets": 5},
        {"kind": "prequential", "orders": 2, "shuffle": False, "final_fraction": 0.5},
    ],
)
def test_yaml_survives_the_round_trip(protocol: dict[str, object]) -> None:
    for config in (ExperimentConfig.from_yaml(WHOLE), ExperimentConfig.from_dict({**SHORT, "protocol": protocol})):
        text = config.to_yaml()
        assert ExperimentConfig.from_yaml(text) == config
        assert ExperimentConfig.from_yaml(text).to_yaml() == text
        assert ExperimentConfig.from_dict(config.to_dict()) == config
        assert ExperimentConfig.model_validate(config.model_dump()) == config


@pytest.mark.parametrize(
    "name", ["1e-3", "no", "- x: {y}", "2024-01-01", "Ünïcode 🎲", "a: b # c", "'quoted\"", "null", "12"]
)
def test_any_name_survives_the_round_trip(name: str) -> None:
    config = ExperimentConfig.from_dict({**SHORT, "name": name})
    assert ExperimentConfig.from_yaml(config.to_yaml()).name == name


def test_a_pickled_config_is_equal() -> None:
    config = ExperimentConfig.from_yaml(WHOLE)
    assert pickle.loads(pickle.dumps(config)) == config


def test_what_is_left_out_has_its_default() -> None:
    config = ExperimentConfig.from_dict(SHORT)
    assert config.seed == 1
    assert config.protocol == CrossValidation(repeats=10, folds=5, orders=5, stratified=True)
    assert config.measures == ("accuracy",)
    assert config.curves == ()


@pytest.mark.parametrize(
    ("reference", "label"),
    [
        ({"key": "led24", "rows": 300}, "LED-24"),
        ({"file": "data/car.csv"}, "data/car.csv"),
        ({"sha256": "ab" * 32, "name": "Mine"}, "Mine"),
        ({"sha256": "ab" * 32}, "data set abababab"),
    ],
)
def test_a_data_set_has_a_label_before_it_is_loaded(reference: dict[str, object], label: str) -> None:
    assert DatasetRef.model_validate(reference).label == label


def test_spaces_around_and_within_a_name_are_tidied() -> None:
    assert ExperimentConfig.from_dict({**SHORT, "name": "  a \n b "}).name == "a b"


@pytest.mark.parametrize("sign", ["\ud800", "\0", "\u202e"])
def test_a_name_is_safe_to_show_and_to_store(sign: str) -> None:
    assert ExperimentConfig.from_dict({**SHORT, "name": f"a{sign}b"}).name == "a\ufffdb"


@pytest.mark.parametrize(
    ("protocol", "sentence"),
    [
        (CrossValidation(), "10 × 5-fold cross-validation, 5 orders"),
        (CrossValidation(stratified=False, orders=1), "10 × 5-fold cross-validation (not stratified), 1 order"),
        (Holdout(repeats=1000, train_size=2000), "1000 × hold-out, 2,000 training examples, 1 order"),
        (Holdout(train_size=0.75, stratified=True), "10 × hold-out, 75 % for training, stratified, 1 order"),
        (GivenSplit(test_file="t.csv"), "given test set, 5 orders"),
    ],
)
def test_a_protocol_says_itself_in_a_sentence(protocol: CrossValidation | Holdout | GivenSplit, sentence: str) -> None:
    assert protocol.sentence == sentence


@pytest.mark.parametrize(("size", "n", "expected"), [(200, 1000, 200), (0.5, 101, 50), (0.001, 10, 1), (0.999, 10, 9)])
def test_a_holdout_leaves_something_on_both_sides(size: float, n: int, expected: int) -> None:
    assert Holdout(train_size=size).n_train(n) == expected


def spec(method: str, base: str = "naive_bayes", **settings: object) -> LearnerSpec:
    return LearnerSpec.model_validate({"method": method, "base": base, **settings})


def test_a_learner_is_called_by_method_members_and_base_model() -> None:
    assert spec("online_bagging").label == "Online bagging of 100 naive Bayes"
    assert spec("adaboost", "decision_stump", n_estimators=1000).label == "AdaBoost of 1,000 decision stumps"
    assert spec("adaboost", "decision_stump", n_estimators=1).label == "AdaBoost of 1 decision stump"
    assert spec("single").label == "Single model: naive Bayes"
    assert spec("bagging", "hoeffding_tree").label == "Bagging of 100 Hoeffding trees"


@pytest.mark.parametrize(
    ("learners", "labels"),
    [
        ((spec("single"), spec("bagging")), ("Single model", "Bagging")),
        (
            (spec("bagging"), spec("bagging", "decision_stump"), spec("single")),
            ("Bagging of naive Bayes", "Bagging of decision stumps", "Single model: naive Bayes"),
        ),
        (
            (spec("primed_online_boosting"), spec("primed_online_boosting", prime_fraction=0.1)),
            ("Primed online boosting (primed share 0.2)", "Primed online boosting (primed share 0.1)"),
        ),
    ],
)
def test_labels_are_as_short_as_they_can_be_and_tell_learners_apart(
    learners: tuple[LearnerSpec, ...], labels: tuple[str, ...]
) -> None:
    config = ExperimentConfig.from_dict({**SHORT, "learners": [learner.model_dump() for learner in learners]})
    assert config.labels() == labels


def test_a_default_written_out_is_the_same_learner() -> None:
    assert spec("bagging").canonical == spec("bagging", n_estimators=100).canonical
    assert spec("bagging").canonical != spec("bagging", n_estimators=99).canonical
    share = "primed_online_boosting"
    assert spec(share, prime_fraction=1).canonical == spec(share, prime_fraction=1.0).canonical


def test_a_learner_is_made_with_its_settings_and_seed() -> None:
    learner = spec("bagging", {"key": "naive_bayes", "smoothing": "none"}, n_estimators=7).make(42)  # type: ignore[arg-type]
    assert (learner.n_estimators, learner.random_state, learner.estimator.smoothing) == (7, 42, "none")


def test_order_matters_for_online_ensembles_and_not_for_batch_ones() -> None:
    methods = ("single", "bagging", "adaboost", "online_bagging", "online_boosting", "primed_online_boosting")
    assert [spec(method).order_matters for method in methods] == [False, False, False, True, True, True]


def test_numbers_of_numpy_and_paths_are_what_a_file_would_say() -> None:
    learners = [{"method": "online_bagging", "base": "naive_bayes", "n_estimators": n} for n in np.array([3, 5])]
    given = {
        "datasets": ({"file": Path("data", "car.csv")},),
        "learners": learners,
        "seed": np.int64(4),
        "name": np.str_("x"),
    }
    protocol = {"kind": "holdout", "repeats": np.int32(2), "train_size": np.float64(0.5), "stratified": np.bool_(True)}
    config = ExperimentConfig.from_dict({**SHORT, **given, "protocol": protocol})
    assert ExperimentConfig.from_yaml(config.to_yaml()) == config
    assert config.datasets[0].file == "data/car.csv"
    assert [type(one.settings["n_estimators"]) for one in config.learners] == [int, int]


def test_what_is_nested_in_itself_or_has_no_name_for_a_field_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    for more, sentence in (({"name": endless}, "nested too deep"), ({("a", "b"): 1}, "unknown field")):
        with pytest.raises(InvalidConfig, match=sentence):
            ExperimentConfig.from_dict({**SHORT, **more})


def test_generated_data_are_called_by_the_settings_in_which_they_differ():
    datasets = [
        {"key": "sea", "rows": 200},
        {"key": "sea", "noise": 0.2},
        "iris",
        *({"file": "a.csv", "target": t} for t in "xy"),
    ]
    learners = [{"method": "single", "base": "naive_bayes"}]
    config = ExperimentConfig.from_dict({"name": "Sizes", "datasets": datasets, "learners": learners})
    sea = ("SEA concepts, rows 200, noise 0.1", "SEA concepts, rows 50,000, noise 0.2")
    assert config.dataset_labels() == (*sea, "Iris", "a.csv", "a.csv (2)")
    one = ExperimentConfig.from_dict({"name": "One", "datasets": datasets[:1], "learners": learners})
    assert one.dataset_labels() == ("SEA concepts",)
