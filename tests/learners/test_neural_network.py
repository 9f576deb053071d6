import math

import numpy as np
import pandas as pd
import pytest
from sklearn.neural_network import MLPClassifier

from ensembles import (
    NeuralNetworkClassifier,
)
from ensembles.draws import stream
from ensembles.errors import InvalidParameter
from ensembles.exact import quantise
from ensembles.learners.core.inputs import bias_input, count_inputs
from ensembles.learners.neural import neural_network
from ensembles.learners.neural.network import HIDDEN, sigmoid
from tests.examples import as_lists, random_examples
from tests.learners.inputs import moments_of
from tests.learners.naive_network import NaiveNetwork, written_out

FIRST = {
    "hidden": 0, "learning_rate": 0.2, "momentum": 0.5, "epochs": 10, "loss": "squared", "decay": 0.0, "averaged": False
}  # fmt: skip # its defaults once


def network(**settings):
    return NeuralNetworkClassifier(**FIRST | settings)


def weights_of(model, which=""):
    """Return the weights into and out of the hidden units and the bias, without the units that only fill up."""
    members, width = model._members, hidden_units(model)
    lower, upper = getattr(members, which + "lower")[0], getattr(members, which + "upper")[0]
    return lower[:, :width], upper[:, : width + 1]


def hidden_units(model):
    return int(model._members.settings[HIDDEN])


def twin_of(model, **settings):
    return NaiveNetwork(*weights_of(model, "first_"), **settings)


def kinds_of(X):
    return [name.startswith("n") for name in X.columns]


def probabilities(oracle, rows):
    outputs = np.array([oracle.outputs(x)[1] for x in rows])
    return outputs / outputs.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("settings", "oracle_settings"),
    [
        ({}, {}),
        ({"updates_per_example": 3, "learning_rate": 0.7}, {"learning_rate": 0.7}),
        ({"loss": "cross_entropy"}, {"entropy": True}),
        ({"online_momentum": 0.6}, {"momentum": 0.6}),
        ({"feed": "scale", "weight_cap": 2.5}, {}),
        ({"normalise": "none"}, {}),
    ],
    ids=["plain", "three updates", "cross entropy", "momentum", "scale", "numbers as they are"],
)
@pytest.mark.parametrize("seed", range(3))
def test_online_training_equals_the_oracle(seed, settings, oracle_settings):
    X, y, weights = random_examples(seed, n=40, nominal=2, numeric=seed, n_classes=3)
    model = network(**settings, random_state=seed)
    model.partial_fit(X, y, [0, 1, 2], weights)
    oracle, seen, kinds = twin_of(model, **oracle_settings), [], kinds_of(X)
    examples, raw = as_lists(X, y, quantise(weights)), settings.get("normalise") == "none"
    for values, label, weight in examples:
        if settings.get("feed") == "scale":
            parts = [min(weight, 2.5)] if weight else []
        else:
            parts = [1.0] * int(weight) + ([weight % 1] if weight % 1 else [])
        for part in parts:
            seen.append((values, part))
            x = written_out(values, kinds, moments_of(seen, len(kinds)), raw)
            for _ in range(settings.get("updates_per_example", 1)):
                oracle.step(x, label, part)
    lower, upper = weights_of(model)
    np.testing.assert_allclose(upper, oracle.upper, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(lower, oracle.lower, rtol=1e-8, atol=1e-10)
    rows = [written_out(values, kinds, moments_of(seen, len(kinds)), raw) for values, _, _ in examples]
    np.testing.assert_allclose(model.predict_proba(X), probabilities(oracle, rows), rtol=1e-8)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"momentum": 0.9, "epochs": 3},
        {"epochs": 1, "updates_per_example": 4},
        {"decay": 0.4},
        {"averaged": True, "epochs": 5},
        {"averaged": True, "epochs": 1, "decay": 0.4},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_batch_training_equals_the_oracle(seed, settings):
    X, y, weights = random_examples(seed, n=40, nominal=2, numeric=seed, n_classes=3)
    y[:3], weights[:3] = [0, 1, 2], 1.0
    model = network(**settings, random_state=seed).fit(X, y, weights)
    oracle, kinds = twin_of(model, momentum=settings.get("momentum", 0.5)), kinds_of(X)
    examples = [e for e in as_lists(X, y, quantise(weights)) if e[2] > 0]
    moments = moments_of([(values, weight) for values, _, weight in examples], len(kinds))
    shown = [(i, 1.0) for i, (_, _, weight) in enumerate(examples) for _ in range(int(weight))]
    shown += [(i, weight % 1) for i, (_, _, weight) in enumerate(examples) if weight % 1]
    orders, n_epochs, kept = stream(seed, "training_orders", 0), settings.get("epochs", 10), []
    for _ in range(n_epochs):
        for j in orders.permutation(len(shown)):
            values, label, _ = examples[shown[j][0]]
            for _ in range(settings.get("updates_per_example", 1)):
                oracle.step(written_out(values, kinds, moments), label, shown[j][1])
        oracle.lower *= math.exp(-0.2 * settings.get("decay", 0.0))
        oracle.upper *= math.exp(-0.2 * settings.get("decay", 0.0))
        kept.append((oracle.lower.copy(), oracle.upper.copy()))
    if settings.get("averaged"):
        later = kept[n_epochs // 2 :]
        oracle.lower, oracle.upper = (np.mean(layers, axis=0) for layers in zip(*later, strict=True))
    np.testing.assert_allclose(weights_of(model)[0], oracle.lower, rtol=1e-7, atol=1e-9)
    rows = [written_out(values, kinds, moments) for values, _, _ in as_lists(X, y, weights)]
    np.testing.assert_allclose(model.predict_proba(X), probabilities(oracle, rows), rtol=1e-7)


@pytest.mark.parametrize("hidden", [1, 7, 8, 15])
@pytest.mark.parametrize("momentum", [0.0, 0.5])
def test_units_that_fill_up_stay_out_of_it(momentum, hidden):
    X, y, _ = random_examples(3, n=30, n_classes=3)
    model = network(hidden=hidden, momentum=momentum, random_state=1).fit(X, y)
    members = model._members
    assert members.lower.shape[2] == members.upper.shape[2] == (16 if hidden > 7 else 8)
    assert (members.lower[0, :, hidden:] == 0).all()
    assert (members.upper[0, :, hidden + 1 :] == 0).all()
    assert (members.upper[0, :, : hidden + 1] != 0).all()


def test_the_sigmoid_is_that_of_the_library():
    a = np.concatenate([np.linspace(-36, 36, 2001), [-np.inf, -1e150, -1e-300, 0.0, 1e-300, 1e150, np.inf]])
    exact = 1 / (1 + np.exp(-np.clip(a, -35, 35)))
    np.testing.assert_allclose([sigmoid(float(value)) for value in a], exact, rtol=1e-13, atol=0)


def test_training_does_not_depend_on_the_blocks_examples_are_brought_in(monkeypatch):
    X, y, weights = random_examples(3, n=30)
    whole = network(epochs=2, random_state=1).fit(X, y, weights)
    monkeypatch.setattr(neural_network, "BLOCK", 7)
    blocks = network(epochs=2, random_state=1).fit(X, y, weights)
    assert (whole._members.lower == blocks._members.lower).all()


@pytest.mark.parametrize("loss", ["squared", "cross_entropy"])
def test_a_step_goes_down_the_gradient(loss):
    X, y, _ = random_examples(3, n=30, missing=0.0)
    model = network(loss=loss, random_state=1, epochs=2).fit(X, y)
    settled = NaiveNetwork(*weights_of(model), entropy=loss == "cross_entropy")
    before = [weights.copy() for weights in weights_of(model)]
    model.partial_fit(X.iloc[[4]], y[[4]])
    steps = [(old - new) / 0.2 for old, new in zip(before, weights_of(model), strict=True)]
    seen = [(values, 1.0) for values, _, _ in as_lists(X, y, np.ones(30))]
    seen.append(seen[4])
    x = written_out(seen[4][0], kinds_of(X), moments_of(seen, 4))
    for weights, step in ((settled.lower, steps[0]), (settled.upper, steps[1])):
        for place in np.ndindex(weights.shape):
            held, losses = weights[place], []
            for nudge in (1e-5, -1e-5):
                weights[place] = held + nudge
                losses.append(settled.loss(x, y[4]))
            weights[place] = held
            assert step[place] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-6)


def test_ten_updates_are_ten_single_ones():
    X, y, _ = random_examples(4, n=20, numeric=0)  # no numbers: copies would move their mean
    ten = network(updates_per_example=10, random_state=2).partial_fit(X, y)
    one = network(random_state=2).partial_fit(X.loc[np.repeat(np.arange(20), 10)], np.repeat(y, 10))
    np.testing.assert_allclose(ten.predict_proba(X), one.predict_proba(X), rtol=1e-12)


def test_weight_two_is_two_copies():
    X, y, _ = random_examples(5, n=20)
    weighted = network(random_state=2).partial_fit(X, y, sample_weight=np.full(20, 2.0))
    copies = network(random_state=2).partial_fit(X.loc[np.repeat(np.arange(20), 2)], np.repeat(y, 2))
    assert (weighted.predict_proba(X) == copies.predict_proba(X)).all()


def test_no_example_weighs_more_than_the_cap():
    X, y, _ = random_examples(5, n=20)
    for train in ("fit", "partial_fit"):
        heavy = getattr(network(random_state=2, weight_cap=3), train)(X, y, sample_weight=[8.0] * 20)
        capped = getattr(network(random_state=2), train)(X, y, sample_weight=[3.0] * 20)
        assert (heavy.predict_proba(X) == capped.predict_proba(X)).all()


def test_first_weights_are_uniform_over_the_root_of_the_inputs():
    X, y, _ = random_examples(6, n=60)
    model = network(hidden=50, random_state=9).partial_fit(X, y)
    (lower, upper), schema = weights_of(model, "first_"), model._schema
    assert lower.shape == (count_inputs(schema), 50)
    present = [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, bias_input(schema)]  # 4, 9 and those after the bias: missing
    drawn = lower[present] * np.sqrt(11)
    assert abs(drawn).max() <= 0.5
    assert abs(drawn.mean()) < 0.05
    assert drawn.std() == pytest.approx(1 / np.sqrt(12), abs=0.02)
    assert (np.delete(lower, present, axis=0) == 0).all()
    assert 0.4 < abs(upper * np.sqrt(51)).max() <= 0.5


@pytest.mark.parametrize(("nominal", "numeric", "n_classes", "hidden"), [(3, 0, 3, 8), (0, 1, 2, 4), (40, 0, 2, 64)])
def test_hidden_units_follow_inputs_and_classes(nominal, numeric, n_classes, hidden):
    X, y, _ = random_examples(7, nominal=nominal, numeric=numeric, n_classes=n_classes)
    assert hidden_units(network(epochs=1).fit(X, y)) == hidden


def test_a_value_never_seen_switches_nothing_on():
    X = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "u", "v", "v"] * 10})
    model = network(random_state=1).fit(X, [0, 1, 1, 0] * 10)
    lower, upper = weights_of(model)
    hidden = 1 / (1 + np.exp(-(lower[3] + lower[bias_input(model._schema)])))
    outputs = 1 / (1 + np.exp(-upper @ np.append(hidden, 1.0)))
    asked = pd.DataFrame({"a": ["z"], "b": ["u"]})
    np.testing.assert_allclose(model.predict_proba(asked)[0], outputs / outputs.sum(), rtol=1e-12)


def test_momentum_of_rare_values_dies_out():
    X = pd.DataFrame({"a": pd.Categorical(["r"] + ["x", "y"] * 100, categories=["r", "x", "y"])})
    y = np.array([1] + [0, 1] * 100)
    model = network(online_momentum=0.5, random_state=1).partial_fit(X, y)
    assert (model._members.lower_speed[0, 0] == 0).all()
    assert model._members.liveliness[0].tolist() == [0.0, 0.5, 1.0, 0.0, 1.0]


@pytest.mark.compiled
def test_exclusive_or_and_iris_like_data_are_learned_as_scikit_learn_does():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 2))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    ours = network(hidden=8, epochs=100, random_state=1).fit(X, y)
    assert ours.score(X, y) > 0.95
    X = rng.normal(size=(150, 4)) + 2 * np.repeat(np.eye(3, 4), 50, axis=0)
    y = np.repeat([0, 1, 2], 50)
    theirs = MLPClassifier((4,), activation="logistic", solver="sgd", batch_size=1, max_iter=60, random_state=1,
                           learning_rate_init=0.05, tol=0.0, n_iter_no_change=100)  # fmt: skip
    with pytest.warns(UserWarning, match="Stochastic Optimizer"):
        theirs.fit(X, y)
    ours = network(epochs=60, random_state=1).fit(X, y)
    assert ours.score(X, y) > theirs.score(X, y) - 0.02


def test_the_greatest_numbers_leave_outputs_finite_where_nothing_scales_them():
    X = pd.DataFrame({"a": [1e150, -1e150, np.nan, 0.0] * 5, "b": [1e150, 1e150, 1.0, np.nan] * 5})
    model = network(normalise="none", random_state=1).fit(X, [0, 1, 1, 0] * 5)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("learning_rate", 0.0, r"a number in \(0, 100\]"),
        ("epochs", 0, r"an integer in \[1, 100000\]"),
        ("loss", "most", "one of"),
    ],
)
def test_settings_out_of_range_get_a_sentence(name, value, allowed):
    with pytest.raises(InvalidParameter, match=f"neural_network: {name} must be {allowed}"):
        network(**{name: value}).fit([[1.0], [2.0]], [0, 1])
