"""Bias and variance beside their definitions, spelled out example by example."""

from fractions import Fraction

import numpy as np
import pytest

from ensembles.errors import InvalidInput
from ensembles.evaluation.bias_variance import decompose, decompose_main


def by_hand(true, predicted, n_classes):
    """Return mean bias and variance in fractions, term by term."""
    n_models = len(predicted)
    biases, variances = [], []
    for x, y in enumerate(true):
        p = [Fraction(sum(int(one[x]) == c for one in predicted), n_models) for c in range(n_classes)]
        raw = sum((int(c == y) - p[c]) ** 2 for c in range(n_classes)) / 2
        biases.append(raw - sum(share * (1 - share) for share in p) / (2 * (n_models - 1)))
        variances.append((1 - sum(share**2 for share in p)) / 2 * Fraction(n_models, n_models - 1))
    return float(sum(biases) / len(biases)), float(sum(variances) / len(variances))


def random_answers(seed, n_models=10, n=40, n_classes=4):
    rng = np.random.default_rng(seed)
    return rng.integers(n_classes, size=n), rng.integers(n_classes, size=(n_models, n)), n_classes


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_models", [2, 3, 10])
def test_both_terms_are_what_their_definitions_say(seed, n_models):
    answers = random_answers(seed, n_models)
    found = decompose(*answers)
    assert (found.bias, found.variance) == pytest.approx(by_hand(*answers), abs=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_bias_and_variance_sum_to_the_error(seed):
    true, predicted, n_classes = random_answers(seed)
    found = decompose(true, predicted, n_classes)
    assert found.bias + found.variance == pytest.approx(found.error, abs=1e-12)
    assert found.error == pytest.approx((predicted != true).mean(), abs=1e-12)


def test_the_worked_example():
    found = decompose(np.array([0]), np.array([[0], [0], [1], [2]]), 3)
    assert (found.bias, found.variance, found.error) == pytest.approx((1 / 12, 5 / 12, 0.5), abs=1e-15)


def test_models_that_agree_everywhere_have_no_variance():
    true, predicted, n_classes = random_answers(1)
    alike = np.repeat(predicted[:1], 10, axis=0)
    assert decompose(true, alike, n_classes).variance == 0
    alike[3, 7] = (alike[3, 7] + 1) % n_classes
    assert decompose(true, alike, n_classes).variance > 0


def test_terms_do_not_depend_on_the_number_of_models():
    """The corrections make both terms unbiased: of models drawn at random, few tell on average what many tell."""
    rng = np.random.default_rng(5)
    true, chances = np.zeros(20000, dtype=np.int64), [0.6, 0.3, 0.1]
    few, many = (decompose(true, rng.choice(3, size=(k, 20000), p=chances), 3) for k in (2, 40))
    assert few.bias == pytest.approx(many.bias, abs=0.01)
    assert few.variance == pytest.approx(many.variance, abs=0.01)


def test_one_model_has_no_variance_to_speak_of():
    with pytest.raises(InvalidInput, match="decompose: predicted must be of two models or more, got 1"):
        decompose(np.array([0]), np.array([[0]]), 2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_models", [1, 2, 10])
def test_parts_around_the_main_prediction_are_what_their_definitions_say(seed, n_models):
    true, predicted, n_classes = random_answers(seed, n_models)
    bias = harms = helps = 0
    for x, y in enumerate(true):
        votes = [int(one[x]) for one in predicted]
        main = max(range(n_classes), key=lambda c: (votes.count(c), -c))
        bias += main != y
        harms += sum(vote != y for vote in votes if main == y) / n_models
        helps += sum(vote == y for vote in votes if main != y) / n_models
    found = decompose_main(true, predicted, n_classes)
    assert (found.bias, found.unbiased_variance, found.biased_variance) == pytest.approx(
        (bias / 40, harms / 40, helps / 40)
    )
    assert found.bias + found.unbiased_variance - found.biased_variance == pytest.approx((predicted != true).mean())


@pytest.mark.parametrize("parts", [decompose, decompose_main])
@pytest.mark.parametrize(
    ("true", "predicted", "sentence"),
    [
        ([0], [[0, 1], [1, 1]], r"true must have an example .* got shapes \(1,\) and \(2, 2\)$"),
        ([0, 1], [0, 1], r"true must have an example .* got shapes \(2,\) and \(2,\)$"),
        ([], [[], []], "true must have an example "),
        ([0, -1], [[0, 1], [1, 1]], "classes must be numbered from 0 to 1, got -1, 1$"),
        ([0, 1], [[0, 2], [1, 1]], "classes must be numbered from 0 to 1, got 0, 2$"),
        (["a", "b"], [["a", "b"], ["a", "a"]], "classes must be numbered from 0 to 1, got a, b$"),
    ],
)
def test_what_is_no_table_of_classes_is_not_decomposed(parts, true, predicted, sentence):
    with pytest.raises(InvalidInput, match=f"^{parts.__name__}: {sentence}"):
        parts(true, predicted, 2)
    both = [0, 1], [[0, 1], [1, 1]]
    assert parts(*both, 2) == parts(*map(np.array, both), 2)
