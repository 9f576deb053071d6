"""Experiment files: read, written back, and refused in words that name the field."""

import pickle

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


LEARNER = {"method": "single", "base": "naive_bayes"}

REFUSED = {
    "unknown field": ({"sed": 1}, r"^experiment: unknown field 'sed'; there are name, seed, datasets, .*curves$"),
    "name missing": ({"name": None}, r"^name: must be text, got None$"),
    "name empty": ({"name": " "}, r"^name: must have 1 to 200 characters, got 0$"),
    "name long": ({"name": "x" * 201}, r"^name: must have 1 to 200 characters, got 201$"),
    "seed text": ({"seed": "one"}, r"^seed: must be an integer in \[0, 4294967295\], got 'one'$"),
    "seed negative": ({"seed": -1}, r"^seed: must be an integer in \[0, 4294967295\], got -1$"),
    "seed truth": ({"seed": True}, r"^seed: .* got True$"),
    "no data sets": ({"datasets": []}, r"^datasets: must have 1 to 1,000 entries, got 0$"),
    "data sets not a list": ({"datasets": "iris"}, r"^datasets: must be a list, got 'iris'$"),
    "unknown key": (
        {"datasets": ["irs"]},
        r"^datasets\[0\]: no data set of the catalogue is called 'irs'; there are iris",
    ),
    "unknown setting": (
        {"datasets": ["iris", {"key": "led24", "size": 3}]},
        r"^datasets\[1\]: led24: unknown setting 'size'; there are rows, seed, noise, swapped, .*$",
    ),
    "setting out of range": (
        {"datasets": [{"key": "led24", "rows": 0}]},
        r"^datasets\[0\]: led24: rows must be an integer in \[100, 2000000\], got 0$",
    ),
    "two kinds": (
        {"datasets": [{"file": "a.csv", "sha256": "ab" * 32}]},
        r"^datasets\[0\]: give one of key, file, sha256, got file and sha256$",
    ),
    "no kind": ({"datasets": [{"target": "y"}]}, r"^datasets\[0\]: give one of key, file, sha256, got none of them$"),
    "target without file": (
        {"datasets": [{"sha256": "ab" * 32, "target": "y"}]},
        r"^datasets\[0\]: target goes with file only; it cannot go with sha256$",
    ),
    "unknown field of a data set": (
        {"datasets": [{"file": "a", "sep": ","}]},
        r"^datasets\[0\]: unknown field 'sep'; ",
    ),
    "bad hash": ({"datasets": [{"sha256": "xyz"}]}, r"^datasets\[0\]\.sha256: "),
    "nominal of the catalogue": (
        {"datasets": [{"key": "iris", "nominal": "b"}]},
        r"^datasets\[0\]: iris: nominal must be a list of columns, got 'b'$",
    ),
    "nominal": (
        {"datasets": [{"file": "a", "nominal": "b"}]},
        r"^datasets\[0\]\.nominal: must be all or a list of attri",
    ),
    "ignore": ({"datasets": [{"file": "a", "ignore": [1]}]}, r"^datasets\[0\]\.ignore\[0\]: must be text, got 1$"),
    "same data set": ({"datasets": ["iris", "wine", "iris"]}, r"datasets\[2\] is the same as datasets\[0\]"),
    "settings as a list": (
        {"datasets": [{"key": "led24", "settings": [1]}]},
        r"^datasets\[0\]: settings must be fields with values, got \[1\]$",
    ),
    "name without hash": ({"datasets": [{"file": "a", "name": "b"}]}, r"^datasets\[0\]: name goes with sha256 only; "),
    "no learners": ({"learners": []}, r"^learners: must have 1 to 1,000 entries, got 0$"),
    "learner as text": ({"learners": ["single"]}, r"^learners\[0\]: must be fields with values, got 'single'$"),
    "no base": ({"learners": [LEARNER, {"method": "single"}]}, r"^learners\[1\]\.base: is missing$"),
    "base without key": (
        {"learners": [{**LEARNER, "base": {"a": 1}}]},
        r"^learners\[0\]: base must have a key, one of ",
    ),
    "settings of a learner as text": (
        {"learners": [{**LEARNER, "settings": "x"}]},
        r"^learners\[0\]: settings must be fields with values, got 'x'$",
    ),
    "unknown method": (
        {"learners": [LEARNER, {**LEARNER, "method": "stacking"}]},
        r"^learners\[1\]: method must be one of single, bagging, .*, got 'stacking'$",
    ),
    "unknown base": (
        {"learners": [{**LEARNER, "base": "svm"}]},
        r"^learners\[0\]: base model must be one of naive_bayes",
    ),
    "unknown setting of a method": (
        {"learners": [{**LEARNER, "members": 3}]},
        r"^learners\[0\]: single: unknown setting 'members'",
    ),
    "setting of a method out of range": (
        {"learners": [{"method": "bagging", "base": "naive_bayes", "n_estimators": 0}]},
        r"^learners\[0\]: bagging: n_estimators must be an integer in \[1, 10000\], got 0$",
    ),
    "same learner": (
        {
            "learners": [{"method": "bagging", "base": "naive_bayes", "n_estimators": n} for n in (100, 7)]
            + [{"method": "bagging", "base": "naive_bayes"}]
        },
        r"learners\[2\] is the same as learners\[0\]",
    ),
    "protocol as text": ({"protocol": "holdout"}, r"^protocol: must be fields with values, got 'holdout'$"),
    "protocol without kind": (
        {"protocol": {"folds": 5}},
        r"^protocol: kind is missing; it must be one of cross_validation, holdout, given_split, prequential, bias_variance$",
    ),
    "unknown protocol": ({"protocol": {"kind": "loo"}}, r"^protocol: kind must be one of .*, got 'loo'$"),
    "batch learner on a stream": (
        {"protocol": {"kind": "prequential"}, "learners": [{"method": "bagging", "base": "naive_bayes"}]},
        r"^experiment: protocol: prequential needs learners that learn online, example by example; "
        r"Bagging \(learners\[0\]\) sees all examples at once$",
    ),
    "batch base model on a stream": (
        {"protocol": {"kind": "prequential"}, "learners": [{"method": "single", "base": "pruned_tree"}]},
        r"Single model \(learners\[0\]\) sees all examples at once$",
    ),
    "measure of streams": (
        {"measures": ["kappa_temporal"]},
        r"measures\[0\]: kappa_temporal does not go with the protocol cross_validation; there are accuracy, error, ",
    ),
    "curve of streams": (
        {"curves": ["prequential_error"]},
        r"curves\[0\]: prequential_error does not go with the protocol cross_validation; there are learning_curve",
    ),
    "curve of a test set on a stream": (
        {"protocol": {"kind": "prequential"}, "curves": ["learning_curve"]},
        r"curves\[0\]: learning_curve does not go with the protocol prequential; there are prequential_error, member_err",
    ),
    "curve of bias and variance": (
        {"protocol": {"kind": "bias_variance"}, "curves": ["learning_curve"]},
        r"curves\[0\]: learning_curve does not go with the protocol bias_variance; there are none$",
    ),
    "one training set": (
        {"protocol": {"kind": "bias_variance", "training_sets": 1}},
        r"^protocol\.training_sets: must be an integer in \[2, 1000\], got 1$",
    ),
    "no final part": (
        {"protocol": {"kind": "prequential", "final_fraction": 0}},
        r"^protocol\.final_fraction: must be a number in \(0, 1\], got 0$",
    ),
    "unknown field of a protocol": (
        {"protocol": {"kind": "cross_validation", "fold": 5}},
        r"^protocol: unknown field 'fold'; there are kind, repeats, folds, orders, stratified$",
    ),
    "folds": (
        {"protocol": {"kind": "cross_validation", "folds": 1}},
        r"^protocol\.folds: must be an integer in \[2, 1000000\], got 1$",
    ),
    "stratified": (
        {"protocol": {"kind": "holdout", "stratified": "yes"}},
        r"^protocol\.stratified: must be true or false, got 'yes'$",
    ),
    "train size": (
        {"protocol": {"kind": "holdout", "train_size": 1.0}},
        r"^protocol\.train_size: must be a whole number of examples from 1 or a fraction above 0 and below 1, got 1\.0$",
    ),
    "train size as truth": (
        {"protocol": {"kind": "holdout", "train_size": True}},
        r"^protocol\.train_size: must be .*, got True$",
    ),
    "no test set": ({"protocol": {"kind": "given_split"}}, r"^protocol: give either test_file or test_sha256$"),
    "test set for two": (
        {"datasets": ["iris", "wine"], "protocol": {"kind": "given_split", "test_file": "a.csv"}},
        r"protocol: a given test set goes with one data set, got 2$",
    ),
    "unknown measure": (
        {"measures": ["accuracy", "f1"]},
        r"^measures\[1\]: must be one of accuracy, error, balanced_accuracy, .*, got 'f1'$",
    ),
    "measure twice": ({"measures": ["mse", "mse"]}, r"measures\[1\] is the same as measures\[0\]"),
    "unknown curve": (
        {"curves": ["roc"]},
        r"^curves\[0\]: must be one of learning_curve, member_errors, .*, got 'roc'$",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_with_the_name_of_the_field(case: str) -> None:
    change, sentence = REFUSED[case]
    with pytest.raises(InvalidConfig, match=sentence):
        ExperimentConfig.from_dict({**SHORT, **change})


def test_every_problem_has_its_own_line() -> None:
    document = {**SHORT, "seed": -1, "measures": ["f1"], "learners": [{"method": "bagging", "base": "x"}]}
    with pytest.raises(InvalidConfig) as caught:
        ExperimentConfig.from_dict(document)
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["seed", "learners[0]", "measures[0]"]


@pytest.mark.parametrize("document", ["just text", "", "[1, 2]", "3"])
def test_a_document_without_fields_is_refused(document: str) -> None:
    with pytest.raises(InvalidConfig, match=r"^experiment: must have the fields name, seed, datasets, .*, got "):
        ExperimentConfig.from_yaml(document)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidConfig, match=r"^datasets: is missing$"):
        ExperimentConfig.from_dict({"name": "x", "learners": [LEARNER]})


def test_a_long_value_is_cut_in_the_sentence() -> None:
    with pytest.raises(InvalidConfig) as caught:
        ExperimentConfig.from_dict({**SHORT, "seed": "9" * 5000})
    assert len(str(caught.value)) < 200


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
