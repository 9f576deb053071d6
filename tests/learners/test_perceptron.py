import math

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Perceptron as TheirPerceptron

from ensembles import PerceptronClassifier
from ensembles.errors import InvalidParameter
from ensembles.exact import quantise
from ensembles.learners.core.keeping import unlocked
from tests.examples import as_lists, random_examples
from tests.learners.inputs import inputs_of, moments_of


class NaivePerceptron:
    """One weight vector a class, as a dictionary; averages are taken over a list of all vectors there ever were."""

    def __init__(self, kinds, n_classes, averaged):
        self.kinds, self.n_classes, self.averaged = kinds, n_classes, averaged
        self.weights = [{} for _ in range(n_classes)]
        self.seen, self.history, self.updates = [], [], 0

    def grow(self, n_classes):
        self.weights += [{} for _ in range(n_classes - self.n_classes)]
        self.history = [(w, vectors + [{}] * (n_classes - len(vectors))) for w, vectors in self.history]
        self.n_classes = n_classes

    def inputs(self, values):
        return inputs_of(values, self.kinds, moments_of(self.seen, len(self.kinds)))

    def learn(self, values, label, weight):
        self.seen.append((values, weight))
        x = self.inputs(values)
        scores = [total(w, x) for w in self.weights]
        rival = max((c for c in range(self.n_classes) if c != label), key=lambda c: scores[c], default=None)
        if rival is not None and scores[label] <= scores[rival]:
            self.updates += 1
            for c, step in ((label, weight), (rival, -weight)):
                self.weights[c] = {
                    k: self.weights[c].get(k, 0.0) + step * x.get(k, 0.0) for k in {*self.weights[c], *x}
                }
        self.history.append((weight, list(self.weights)))

    def vectors(self):
        if not self.averaged:
            return self.weights
        mass = sum(w for w, _ in self.history)
        averages = []
        for c in range(self.n_classes):
            average = {}
            for w, vectors in self.history:
                for k, v in vectors[c].items():
                    average[k] = average.get(k, 0.0) + w * v / mass
            averages.append(average)
        return averages

    def probabilities(self, values):
        vectors, x = self.vectors(), self.inputs(values)
        scores = [total(w, x) for w in vectors]
        longest = max(1.0, *(math.sqrt(sum(v * v for v in w.values())) for w in vectors))
        if self.n_classes == 2:
            margin = min(max(scores[1] / longest, -1.0), 1.0)
            return [(1 - margin) / 2, (1 + margin) / 2]
        raised = [math.exp(s / longest) for s in scores]
        return [r / sum(raised) for r in raised]


def total(weights, x):
    return sum(v * weights.get(k, 0.0) for k, v in x.items())


@pytest.mark.parametrize("averaged", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_probabilities_equal_the_oracle(seed, n_classes, averaged):
    X, y, weights = random_examples(seed, n=35, nominal=2 + seed % 2, numeric=seed, n_classes=n_classes)
    y[:n_classes] = np.arange(n_classes)
    model = PerceptronClassifier(averaged=averaged).partial_fit(X, y, np.arange(n_classes), weights)
    oracle = NaivePerceptron([c.startswith("n") for c in X.columns], n_classes, averaged)
    examples = as_lists(X, y, quantise(weights))
    for values, label, weight in examples:
        if weight > 0:
            oracle.learn(values, label, weight)
    expected = [oracle.probabilities(values) for values, _, _ in examples]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-7, atol=1e-9)


def test_two_classes_keep_one_vector_the_opposite_of_the_other():
    X, y, _ = random_examples(1, n=50, n_classes=2)
    model = PerceptronClassifier().fit(X, y)
    oracle = NaivePerceptron([True, True, False, False], 2, False)
    for values, label, weight in as_lists(X, y, np.ones(50)):
        oracle.learn(values, label, weight)
    assert model._members.weights.shape[1] == 1
    assert oracle.weights[0] == {k: -v for k, v in oracle.weights[1].items()}


def test_what_is_right_is_not_touched():
    X, y, _ = random_examples(2, n=60, nominal=2, numeric=0, missing=0.0)
    model = PerceptronClassifier().fit(X, y)
    before = model._members.weights.copy()
    right = np.flatnonzero(np.sort(model.predict_proba(X))[:, -1] - np.sort(model.predict_proba(X))[:, -2] > 1e-9)
    right = right[model.predict(X.iloc[right]) == y[right]]
    assert len(right) > 10
    model.partial_fit(X.iloc[right], y[right])
    assert (model._members.weights == before).all()


@pytest.mark.compiled  # long, and sees nothing new without the compiler
def test_separable_data_takes_no_more_mistakes_than_novikoff_allows():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (250, 5))
    direction = rng.normal(size=6)
    direction /= np.linalg.norm(direction)
    margins = np.column_stack([X, np.ones(250)]) @ direction
    X, y = X[abs(margins) > 0.1], (margins > 0)[abs(margins) > 0.1]
    model, mistakes = PerceptronClassifier(normalise="none"), 0
    for _ in range(30):
        so_far = mistakes
        for i in range(len(X)):
            before = model._members.weights.copy() if mistakes else 0.0
            model.partial_fit(X[[i]], y[[i]], classes=[False, True])
            mistakes += int((model._members.weights != before).any())
        if mistakes == so_far:
            break
    assert mistakes <= (1 + 5) / 0.1**2
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("n_classes", [2, 4])
def test_numbers_as_they_are_give_the_same_steps_as_scikit_learn(n_classes):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 6)), rng.integers(0, n_classes, 200)
    ours = PerceptronClassifier(normalise="none").fit(X, y)
    if n_classes == 2:  # theirs is one against the rest, the same for two classes only
        theirs = TheirPerceptron(shuffle=False).partial_fit(X, y, classes=[0, 1])
        np.testing.assert_allclose(ours._members.weights[0, 0, :6], theirs.coef_[0], rtol=1e-9)
        np.testing.assert_allclose(ours._members.weights[0, 0, 6], theirs.intercept_[0], rtol=1e-9)
    np.testing.assert_allclose(ours._members.weights[0].sum(axis=0) if n_classes > 2 else 0.0, 0.0, atol=1e-9)


def test_a_range_of_minus_one_to_one():
    X, y = np.array([[0.0, 5.0], [10.0, 5.0], [5.0, np.nan]]), [0, 1, 0]
    model = PerceptronClassifier(normalise="range").fit(X, y)
    a, b, bias, without_a, without_b = np.zeros((5,))
    for x, missing, sign in (((0.0, 0.0), 0.0, -1), ((1.0, 0.0), 0.0, 1), ((0.0, 0.0), 1.0, -1)):
        if sign * (a * x[0] + b * x[1] + bias + without_b * missing) <= 0:
            a, b, bias, without_b = a + sign * x[0], b + sign * x[1], bias + sign, without_b + sign * missing
    np.testing.assert_allclose(model._members.weights[0, 0], [a, b, bias, without_a, without_b])


def test_examples_of_length_one():
    X = pd.DataFrame({"colour": ["red", "blue"], "size": [3.0, math.sqrt(3)]})
    model = PerceptronClassifier(normalise="unit").fit(X, [1, 0])
    red = np.array([0, 1, 0, 3, 0, 0]) / math.sqrt(10)  # blue, red, missing, size, (bias), missing
    blue = np.array([1, 0, 0, math.sqrt(3), 0, 0]) / 2
    expected = red - blue + np.array([0, 0, 0, 0, 1 - 1, 0])
    np.testing.assert_allclose(model._members.weights[0, 0], expected)


def test_a_weight_is_the_length_of_the_step():
    model = PerceptronClassifier(normalise="none").fit([[2.0]], [1])
    model = PerceptronClassifier(normalise="none").partial_fit([[2.0]], [1], [0, 1], [3.5])
    assert model._members.weights[0, 0].tolist() == [7.0, 3.5, 0.0]


@pytest.mark.parametrize("averaged", [False, True])
def test_new_classes_and_values_may_come_later(averaged):
    X, y, weights = random_examples(5, n=60, n_classes=4)
    X["n0"] = X["n0"].astype(object)
    order = np.argsort(y, kind="stable")
    X, y, weights = X.iloc[order], y[order], np.maximum(quantise(weights[order]), 0.5)
    model, oracle = PerceptronClassifier(averaged=averaged), NaivePerceptron([True, True, False, False], 0, averaged)
    examples = as_lists(X, y, weights)
    for i, (values, label, weight) in enumerate(examples):
        model.partial_fit(X.iloc[[i]].infer_objects(), y[[i]], sample_weight=weights[[i]])
        oracle.grow(label + 1)
        oracle.learn(values, label, weight)
    expected = [oracle.probabilities(values) for values, _, _ in examples]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-7, atol=1e-9)


def test_growing_keeps_the_predictions():
    X, y, _ = random_examples(6, n=60, n_classes=2, missing=0.0)
    model = PerceptronClassifier().fit(X, y)
    before, one = model.predict(X), model._members.weights[0, 0].copy()
    model.partial_fit(X.iloc[:1].assign(n0="e"), [2], sample_weight=[2.0**-20])
    both = np.delete(model._members.weights[0, :2], 4, axis=1)  # without the input of the new value
    np.testing.assert_allclose(both, [-one, one], atol=1e-5)
    assert (model.predict(X) == before).mean() > 0.95


def test_enormous_numbers_stay_finite():
    X = np.array([[1e150, -1e150], [-1e150, 1e150], [1e-150, 0.0], [0.0, np.nan]])
    for normalise in ("standard", "range", "unit", "none"):
        model = PerceptronClassifier(normalise=normalise)
        with np.errstate(over="ignore"):
            for _ in range(5):
                model.partial_fit(X, [0, 1, 0, 1])
            assert np.isfinite(model.predict_proba(X)).all()


def test_unknown_scaling_gets_a_sentence():
    with pytest.raises(InvalidParameter, match=r"perceptron: normalise must be one of .*, got 'more'"):
        PerceptronClassifier(normalise="more").fit([[1.0], [2.0]], [0, 1])


def test_members_side_by_side_stay_so_when_they_come_from_a_memory_map():
    X, y, _ = random_examples(0, n=20, nominal=3, numeric=0)
    model = PerceptronClassifier()
    members = model.init_members(3, model._validated_examples(X, y, None, None).table.schema, 2, batch=False)
    assert unlocked([members])[0].weights is members.weights
    members.weights.setflags(write=False)
    [copied] = unlocked([members])
    assert copied.weights.flags.fnc
    assert all(array.flags.writeable for array in copied)
