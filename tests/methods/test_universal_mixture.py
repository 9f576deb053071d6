"""The universal mixture: every expert trained by itself, and mixed by the probabilities it gave to what came."""

import math

import numpy as np
import pytest

from ensembles import DecisionTreeClassifier, NaiveBayesClassifier, UniversalMixtureClassifier
from ensembles.data.encoding import encode_frame
from ensembles.draws import stream
from ensembles.errors import InvalidParameter
from tests.examples import random_examples


def nested(seed, n_members, n_attributes):
    """Return the attributes of each expert."""
    sizes = [math.ceil((k + 1) * n_attributes / min(n_members, n_attributes)) for k in range(n_attributes)]
    sizes = sizes[: min(n_members, n_attributes)]
    orders = [stream(seed, "attribute_orders", k).permutation(n_attributes) for k in range(n_members)]
    return [sorted(orders[m // len(sizes)][: sizes[m % len(sizes)]]) for m in range(n_members)]


def experts_on(base, X, y, weights, subspaces):
    """Return what each expert says of each example before it learns it: (members, examples, classes)."""
    said = []
    for seen in subspaces:
        model, own = base().fit(X.iloc[:3, seen], y[:3]), []
        for i in range(3, len(y)):
            own.append(model.predict_proba(X.iloc[i : i + 1, seen])[0].tolist())
            model.partial_fit(X.iloc[i : i + 1, seen], y[i : i + 1], sample_weight=weights[i : i + 1])
        said.append(own)
    return said


def mixed(said, labels, weights, losses, smoothing):
    """Return what the mixture says of each example, and the losses of the experts in the end."""
    told = []
    for i, label in enumerate(labels):
        likelihoods = [math.exp(min(losses) - loss) for loss in losses]
        shares = [each / sum(likelihoods) for each in likelihoods]
        smooth = [[(1 - smoothing) * p + smoothing / len(own[i]) for p in own[i]] for own in said]
        told.append([sum(a * p[c] for a, p in zip(shares, smooth, strict=True)) for c in range(len(smooth[0]))])
        losses = [loss - weights[i] * math.log(p[label]) for loss, p in zip(losses, smooth, strict=True)]
    return told, losses


def begun(base, n_members, X, y, smoothing=0.001):
    model = UniversalMixtureClassifier(base(), n_estimators=n_members, smoothing=smoothing, random_state=4)
    return model.partial_fit(X.take(slice(0, 3)), y[:3], classes=range(3))


def test_experts_see_nested_attributes_and_then_others():
    X, y, _ = random_examples(1, n=30)
    for n_members in (1, 3, 4, 6):
        model = UniversalMixtureClassifier(n_estimators=n_members, random_state=5).fit(X, y)
        assert [part.seen.tolist() for part in model._members] == nested(5, n_members, 4)
    sizes = [len(part.seen) for part in model._members]
    assert sizes == [1, 2, 3, 4, 1, 2]
    assert {*model._members[0].seen} < {*model._members[1].seen}


@pytest.mark.parametrize("base", [NaiveBayesClassifier, DecisionTreeClassifier])
@pytest.mark.parametrize("smoothing", [0.001, 0.3])
def test_experts_are_mixed_by_the_probabilities_that_they_gave(base, smoothing):
    X, y, _ = random_examples(2, n=24, n_classes=3)
    table, ones = encode_frame(X), np.ones(24)
    y[:3] = 0, 1, 2
    said = experts_on(base, X, y, ones, nested(4, 6, 4))
    model = begun(base, 6, table, y, smoothing)
    first = (model.member_losses_ * 3).tolist()
    expected, losses = mixed(said, y[3:].tolist(), ones, first, smoothing)
    _, told = model.predict_then_learn(table.take(slice(3, 24)), y[3:])
    np.testing.assert_allclose(told, expected, rtol=1e-12)
    np.testing.assert_allclose(model.member_losses_ * 24, losses, rtol=1e-12)
    likelihoods = np.exp(min(losses) - np.array(losses))
    np.testing.assert_allclose(model.member_weights_, likelihoods / likelihoods.sum(), rtol=1e-10)


@pytest.mark.parametrize("smoothing", [1e-12, 0.001])
def test_the_loss_of_the_mixture_is_at_most_that_of_the_best_expert_and_the_logarithm_of_their_number(smoothing):
    X, y, _ = random_examples(3, n=90)
    y[:3] = 0, 1, 2
    model, table = begun(DecisionTreeClassifier, 6, encode_frame(X), y, smoothing), encode_frame(X)
    before = model.online_loss_ * 3
    _, told = model.predict_then_learn(table.take(slice(3, 90)), y[3:])
    loss, losses = model.online_loss_ * 90, model.member_losses_ * 90
    assert loss <= losses.min() + math.log(6) + 1e-9
    # more exactly, the product of what the mixture told is the mean of the products of what experts told
    assert loss == pytest.approx(losses.min() - math.log(np.exp(losses.min() - losses).mean()), rel=1e-12)
    assert loss - before == pytest.approx(-np.log(told[np.arange(87), y[3:]]).sum(), rel=1e-9)


def test_an_expert_that_gave_probability_0_comes_back():
    X, y, _ = random_examples(4, n=60, nominal=3, numeric=0, n_classes=2)
    tree = UniversalMixtureClassifier(DecisionTreeClassifier(), n_estimators=3, random_state=0)
    before = tree.partial_fit(X, y)
    assert np.isfinite(before.member_losses_).all()
    assert before.member_losses_.max() > math.log(1000) / 60  # one told a class with certainty that did not come
    assert (before.predict_proba(X) >= 0.0005).all()


def test_an_example_of_weight_two_counts_twice_in_the_weights():
    X, y, _ = random_examples(5, n=40)
    one, two = (UniversalMixtureClassifier(n_estimators=4, random_state=0).fit(X, y) for _ in range(2))
    before = one.member_losses_ * 40
    one.partial_fit(X[:1], y[:1])
    two.partial_fit(X[:1], y[:1], sample_weight=[2.0])
    np.testing.assert_allclose(2 * (one.member_losses_ * 41 - before), two.member_losses_ * 42 - before, rtol=1e-9)


def test_the_least_smoothing_tells_probabilities_and_less_is_refused():
    X, y, _ = random_examples(6, n=60, nominal=3, numeric=0, n_classes=2)
    model = UniversalMixtureClassifier(DecisionTreeClassifier(), n_estimators=3, smoothing=1e-12, random_state=0)
    shares = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-9)
    assert np.isfinite(model.member_losses_).all()
    with pytest.raises(InvalidParameter, match=r"smoothing must be a number in \[1e-12, 1\], got 5e-324"):
        model.set_params(smoothing=5e-324).fit(X, y)
