"""Encoders know the training examples and nothing else."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from ensembles import NaiveBayesClassifier
from ensembles.data import MISSING, UNSEEN, Attribute, Dataset, Table, load_dataset
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.learner_names import learner_names
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trial_data import Trial
from ensembles.experiments.trials import plan_trials
from ensembles.learners.core.attribute_encoder import AttributeEncoder
from tests.learners.test_discretise import naive_cuts

NUMERIC = ("keep", "scale", "equal_width", "equal_frequency", "entropy")


def mixed(n=60, seed=1, shift=0.0):
    """Return a table with a number, a number with holes and a nominal attribute with holes, and two classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    x, z = rng.normal(labels * 2.0 + shift, 1.0), rng.normal(size=n)
    z[rng.random(n) < 0.2] = np.nan
    codes = rng.integers(MISSING, 2, n).astype(np.int32)
    attributes = (Attribute("x", "numeric"), Attribute("c", "nominal", ("a", "b", "rare")), Attribute("z", "numeric"))
    return Table.from_columns(attributes, (x, codes, z)), labels


def same(first, second):
    return (
        first.schema == second.schema
        and np.array_equal(first.codes, second.codes)
        and np.array_equal(first.numbers, second.numbers, equal_nan=True)
    )


def test_scaling_is_that_of_scikit_learn():
    table, _ = mixed()
    encoded = AttributeEncoder(numeric="scale").fit(table).transform(table)
    expected = StandardScaler().fit(table.numbers).transform(table.numbers)
    assert encoded.numbers == pytest.approx(expected, nan_ok=True)
    assert np.array_equal(encoded.codes, table.codes)


@pytest.mark.parametrize(("numeric", "strategy"), [("equal_width", "uniform"), ("equal_frequency", "quantile")])
def test_intervals_are_those_of_scikit_learn(numeric, strategy):
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(200, 2))
    peer = KBinsDiscretizer(7, encode="ordinal", strategy=strategy, quantile_method="linear").fit(numbers)
    new = rng.normal(size=(300, 2)) * 2
    assert np.array_equal(AttributeEncoder(numeric, bins=7).fit(numbers).transform(new).codes, peer.transform(new))


def test_entropy_cuts_where_the_plain_search_cuts():
    iris = load_dataset("iris")
    table = AttributeEncoder("entropy").fit(iris.X, iris.y).transform(iris.X)
    for j in range(4):
        edges = naive_cuts(iris.table.numbers[:, j], iris.labels, np.ones(150))
        assert np.array_equal(table.codes[:, j], np.searchsorted(edges, iris.table.numbers[:, j], side="right"))
    noise = AttributeEncoder("entropy").fit(np.arange(40.0)[:, None] % 7, np.arange(40) % 2)
    assert noise.transform(np.zeros((1, 1))).schema.attributes[0].categories == ("any",)


def test_one_hot_has_the_values_of_training_and_nothing_for_others():
    table = Table.from_columns([Attribute("c", "nominal", ("a", "b", "d"))], [np.array([0, 2, 0, 2], dtype=np.int32)])
    encoder = AttributeEncoder(nominal="one_hot").fit(table)
    asked = Table(table.schema, np.array([[0], [1], [2], [MISSING], [UNSEEN]], dtype=np.int32), np.empty((5, 0)))
    encoded = encoder.transform(asked)
    assert [attribute.name for attribute in encoded.schema.attributes] == ["c = a", "c = d"]
    assert encoded.numbers.tolist() == [[1, 0], [0, 0], [0, 1], [0, 0], [0, 0]]
    with_holes = AttributeEncoder(nominal="one_hot").fit(asked)
    assert with_holes.transform(asked).numbers[3].tolist() == [1, 0, 0, 0]
    assert with_holes.transform(asked).schema.attributes[0].name == "c missing"


@pytest.mark.parametrize("numeric", NUMERIC[1:])
def test_what_is_missing_stays_missing(numeric):
    table, labels = mixed()
    encoded = AttributeEncoder(numeric).fit(table, labels).transform(table)
    holes = np.isnan(table.column(2))
    column = encoded.column(2)
    assert np.array_equal(np.isnan(column) if numeric == "scale" else column == MISSING, holes)


@pytest.mark.parametrize("numeric", NUMERIC)
@pytest.mark.parametrize(
    "values", [[np.nan] * 4, [3.0] * 4, [1e150, -1e150, 1e150, -1e150], [0.0, 5e-324, 0.0, 5e-324]]
)
def test_columns_that_say_little_are_encoded_too(numeric, values):
    encoder = AttributeEncoder(numeric, nominal="one_hot").fit(np.array(values)[:, None], [0, 1, 0, 1])
    encoded = encoder.transform(np.array([[0.0], [np.nan], [-1e150], [1e150]]))
    assert len(encoded) == 4
    assert not np.isinf(encoded.numbers).any()


def test_a_value_never_seen_is_no_value_of_training():
    train, new = (
        pd.DataFrame({"c": ["a", "b"], "x": [0.0, 2.0]}),
        pd.DataFrame({"c": ["new", None], "x": [9.0, np.nan]}),
    )
    encoder = AttributeEncoder("equal_width", nominal="one_hot", bins=2).fit(train)
    encoded = encoder.transform(new)
    assert encoded.numbers.tolist() == [[0, 0], [0, 0]]
    assert encoded.codes[:, 0].tolist() == [1, MISSING]
    kept = AttributeEncoder("scale").fit(train).transform(new)
    assert kept.codes[:, 0].tolist() == [UNSEEN, MISSING]


def test_it_works_in_a_pipeline_of_scikit_learn():
    iris = load_dataset("iris")
    model = make_pipeline(AttributeEncoder("entropy"), NaiveBayesClassifier()).fit(iris.X, iris.y)
    assert model.score(iris.X, iris.y) > 0.93


def test_misuse_gets_a_sentence():
    with pytest.raises(InvalidParameter, match=r"^encode: numeric must be one of 'keep', .*, got 'squared'$"):
        AttributeEncoder("squared").fit(np.zeros((2, 1)))
    with pytest.raises(NotFittedError, match="call fit first"):
        AttributeEncoder().transform(np.zeros((2, 1)))
    with pytest.raises(ValueError, match="X has 2 features, but AttributeEncoder is expecting 1 features"):
        AttributeEncoder().fit(np.zeros((2, 1))).transform(np.zeros((2, 2)))
    with pytest.raises(InvalidData, match="X must have 1 attributes as in training, got 3"):
        AttributeEncoder().fit(np.zeros((2, 1))).transform(mixed()[0])
    with pytest.raises(InvalidParameter, match="encode: output must be 'default', 'pandas' or 'polars', got 'arrow'"):
        AttributeEncoder().set_output(transform="arrow")


@pytest.mark.parametrize("encoder", [AttributeEncoder(), AttributeEncoder("scale", "one_hot")], ids=repr)
def test_it_passes_the_checks_of_scikit_learn(encoder):
    checks = check_estimator(encoder, on_skip=None, on_fail=None)
    assert [check["check_name"] for check in checks if check["status"] == "failed"] == []
    assert len(checks) > 30


def people(n=60):
    x = np.arange(n) % 7 + 0.5
    return pd.DataFrame({"c": list("rgb") * (n // 3), "x": x}, index=np.arange(n) + 100), (x > 3).astype(int)


def test_any_estimator_of_scikit_learn_learns_from_encoded_numbers():
    X, y = people()
    model = make_pipeline(AttributeEncoder("scale", "one_hot"), LogisticRegression())
    assert cross_val_score(model, X, y, cv=3).min() > 0.9
    assert model.fit(X, y)[:-1].get_feature_names_out().tolist() == ["c = b", "c = g", "c = r", "x"]
    with pytest.raises(InvalidData, match="an array only if all its attributes are numeric, got the nominal 'c', 'x'"):
        make_pipeline(AttributeEncoder("equal_width"), LogisticRegression()).fit(X, y)


def test_a_data_frame_has_categories_names_and_the_index():
    X, y = people()
    peer = HistGradientBoostingClassifier(
        categorical_features="from_dtype", max_iter=3, learning_rate=0.9, min_samples_leaf=2
    )
    model = make_pipeline(AttributeEncoder("scale"), peer)
    assert cross_val_score(model.set_output(transform="pandas"), X, y, cv=2).min() > 0.9  # which makes copies of it
    frame = model.fit(X, y)[:-1].transform(X.assign(c=["new", *X["c"][1:]]))
    assert frame.columns.tolist() == ["c", "x"]
    assert frame.index.equals(X.index)
    assert frame["c"].isna().tolist() == [True] + 59 * [False]
    assert frame["c"].astype(str)[1:].tolist() == X["c"][1:].tolist()
    with config_context(transform_output="pandas"):
        assert isinstance(AttributeEncoder().fit_transform(X), pd.DataFrame)
    assert AttributeEncoder().fit(X.to_numpy()).get_feature_names_out(["d", "z"]).tolist() == ["d", "z"]
    with pytest.raises(InvalidData, match="input_features is not equal to feature_names_in_, got 'd', 'z'"):
        AttributeEncoder().fit(X).get_feature_names_out(["d", "z"])
    with pytest.raises(InvalidData, match="input_features should have length equal to number of features, 2, got 1"):
        AttributeEncoder().fit(X).get_feature_names_out(["c"])


def test_a_table_is_taken_by_rows():
    table, _ = mixed()
    assert table.shape == (60, 3)
    assert same(table[3], table.take(np.array([3])))
    assert same(table[np.arange(60) > 50], table[51:])
    assert len([*table]) == 60


ENCODINGS = [
    {"numeric": numeric, "nominal": nominal, "bins": 3} for numeric in NUMERIC for nominal in ("keep", "one_hot")
]


def experiment(encode, protocol, base="naive_bayes", method="single"):
    learner = {"method": method, "base": base, "encode": encode}
    document = {"name": "x", "datasets": [{"sha256": "ab" * 32}], "learners": [learner], "protocol": protocol}
    return ExperimentConfig.from_dict(document)


def trial_of(config, dataset, test=None):
    return Trial(plan_trials(config, [dataset])[0], dataset, config, test, lambda: None)


@pytest.mark.parametrize("encode", ENCODINGS, ids=lambda encode: f"{encode['numeric']}-{encode['nominal']}")
def test_test_examples_change_nothing_of_the_encoded_training_examples(encode):
    """With two test sets that differ in everything, training examples are the same."""
    dataset = Dataset("train", *mixed(), ("no", "yes"))
    first, second = (Dataset("test", *mixed(40, seed, shift), ("no", "yes")) for seed, shift in ((2, 0.0), (3, 50.0)))
    config = experiment(encode, {"kind": "given_split", "test_sha256": "cd" * 32})
    examples = [trial_of(config, dataset, test).examples() for test in (first, second)]
    assert same(examples[0].X_train, examples[1].X_train)
    train = dataset.table.take(examples[0].rows)
    encoder = AttributeEncoder(**encode).fit(train, dataset.labels[examples[0].rows])
    assert same(examples[0].X_train, encoder.transform(train))
    assert same(examples[1].X_test, encoder.transform(second.table))


@pytest.mark.parametrize("numeric", NUMERIC[1:])
def test_an_encoder_of_a_split_is_not_that_of_all_examples(numeric):
    """Fitted to all examples it would say something else: then this test, and the one above, could not fail."""
    table, labels = mixed()
    table.numbers[-6:] += 100.0
    dataset = Dataset("all", table, labels, ("no", "yes"))
    config = experiment({"numeric": numeric, "bins": 3}, {"kind": "holdout", "repeats": 1, "train_size": 30})
    examples = trial_of(config, dataset).examples()
    own, leaking = (AttributeEncoder(numeric, bins=3) for _ in range(2))
    own.fit(table.take(examples.rows), labels[examples.rows])
    leaking.fit(table, labels)
    assert same(examples.X_train, own.transform(table.take(examples.rows)))
    assert not same(examples.X_train, leaking.transform(table.take(examples.rows)))


def test_in_a_stream_the_encoder_sees_the_head_which_is_not_predicted():
    table, labels = mixed(200)
    changed = Table(table.schema, table.codes.copy(), table.numbers.copy())
    changed.numbers[20:] *= 3.0
    config = experiment({"numeric": "scale"}, {"kind": "prequential", "orders": 1, "shuffle": False})
    datasets = [Dataset("s", some, labels, ("no", "yes")) for some in (table, changed)]
    first, second = (trial_of(config, dataset).examples() for dataset in datasets)
    assert first.unpredicted == 20
    assert same(first.X_train.take(slice(0, 20)), second.X_train.take(slice(0, 20)))
    assert first.X_train.numbers[:20].mean(axis=0)[0] == pytest.approx(0, abs=1e-12)
    result = run_trial(plan_trials(config, datasets[:1])[0], datasets[0], config)
    assert (result.n_train, result.n_test) == (200, 180)


@pytest.mark.parametrize("base", ["naive_bayes", "perceptron", "sklearn:logistic_regression"])
def test_learners_of_all_kinds_learn_from_encoded_examples(base):
    dataset = Dataset("train", *mixed(), ("no", "yes"))
    for encode in ({"numeric": "entropy"}, {"numeric": "scale", "nominal": "one_hot"}):
        config = experiment(encode, {"kind": "cross_validation", "repeats": 1, "folds": 2, "orders": 1}, base)
        result = run_trial(plan_trials(config, [dataset])[0], dataset, config)
        assert result.error is None
        assert result.measures["accuracy"] > 0.6


def test_an_encoding_is_part_of_what_a_learner_is():
    config = experiment({"numeric": "entropy", "bins": 10}, {"kind": "holdout", "repeats": 1, "train_size": 30})
    (learner,) = config.learners
    assert ExperimentConfig.from_yaml(config.to_yaml()) == config
    assert learner.with_members(3).encode == learner.encode
    plain = experiment({}, {"kind": "holdout", "repeats": 1, "train_size": 30}).learners[0]
    assert plain.canonical != learner.canonical
    assert "encode" not in plain.canonical
    assert learner_names([plain, learner])[1].startswith("Single model (encoding of numeric attributes by entropy")
    assert (
        experiment({"numeric": "keep"}, {"kind": "holdout", "train_size": 30}).learners[0].canonical == plain.canonical
    )
