"""Combining by principal components: against regression and correspondence analysis written out, and laws."""

import math

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression

from ensembles import (
    NaiveBayesClassifier,
    PrincipalComponentsCombiningClassifier,
    SklearnDecisionTreeClassifier,
)
from ensembles.methods.combining.out_of_fold import ToldExamples
from ensembles.methods.combining.pcr import Pcr, component_weights
from ensembles.methods.combining.scann import Scann, analyse
from ensembles.methods.core.grid import folds_of
from tests.examples import random_examples

MODELS = [NaiveBayesClassifier(), SklearnDecisionTreeClassifier(random_state=3, max_depth=2)]
KINDS = {"pcr": Pcr, "scann": Scann}


def told_by_chance(seed, n=60, n_models=3, n_classes=3, *, hard=False):
    """Return examples with what models told of them, more often right than not."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    told = rng.dirichlet(np.ones(n_classes), (n, n_models))
    told += (
        0.7
        * (rng.random((n, n_models, 1)) < [[[0.9], [0.6], [0.7], [0.5]][:n_models]])
        * np.eye(n_classes)[labels][:, None]
    )
    told /= told.sum(axis=2, keepdims=True)
    if hard:
        told = np.eye(n_classes)[told.argmax(axis=2)]
    return ToldExamples(told, labels, np.ones(n))


def power_iteration(matrix, n_steps=4000):
    """Return the eigenvectors of a symmetric matrix without negative eigenvalues, largest first, by the plainest way."""
    matrix, size, found = [row[:] for row in matrix], len(matrix), []
    for _ in range(size):
        vector = [1.0 + 0.1 * j for j in range(size)]
        for _ in range(n_steps):
            turned = [sum(row[j] * vector[j] for j in range(size)) for row in matrix]
            length = math.sqrt(sum(one * one for one in turned))
            if length < 1e-14:
                break
            vector = [one / length for one in turned]
        if length < 1e-12:
            break
        found.append((length, vector))
        for i in range(size):
            for j in range(size):
                matrix[i][j] -= length * vector[i] * vector[j]
    return found


def naive_weights(columns, target, n_components):
    """Return the weights of models in the regression on their first principal components."""
    n, size = len(columns), len(columns[0])
    means, mean = [sum(row[j] for row in columns) / n for j in range(size)], sum(target) / n
    centred = [[row[j] - means[j] for j in range(size)] for row in columns]
    covariance = [[sum(row[i] * row[j] for row in centred) / n for j in range(size)] for i in range(size)]
    weights = [0.0] * size
    for _, direction in power_iteration(covariance)[:n_components]:
        component = [sum(direction[j] * row[j] for j in range(size)) for row in centred]
        slope = sum(component[i] * (target[i] - mean) for i in range(n)) / sum(one * one for one in component)
        weights = [weights[j] + slope * direction[j] for j in range(size)]
    return weights


def naive_places(predicted, labels, asked, n_classes, n_dimensions):
    """Return squared distances of examples to classes by correspondence analysis; predicted, asked: classes by model."""
    n, n_models = len(labels), len(predicted[0])
    blocks = [[*row, label] for row, label in zip(predicted, labels, strict=True)]
    columns = [(m, c) for m in range(n_models + 1) for c in range(n_classes) if any(row[m] == c for row in blocks)]
    total = n * (n_models + 1)
    table = [[(row[m] == c) / total for m, c in columns] for row in blocks]
    masses = [sum(row[j] for row in table) for j in range(len(columns))]
    residuals = [[(row[j] - masses[j] / n) / math.sqrt(masses[j] / n) for j in range(len(columns))] for row in table]
    product = [[sum(row[i] * row[j] for row in residuals) for j in range(len(columns))] for i in range(len(columns))]
    distances = [[0.0] * n_classes for _ in asked]
    for squared, direction in power_iteration(product)[:n_dimensions]:
        standard = {column: direction[j] / math.sqrt(masses[j]) for j, column in enumerate(columns)}
        for i, row in enumerate(asked):
            place = sum(standard.get((m, c), 0.0) for m, c in enumerate(row)) / n_models
            for c in range(n_classes):
                distances[i][c] += (place - math.sqrt(squared) * standard[n_models, c]) ** 2
    return distances


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_weights_are_those_of_regression_on_principal_components(n_components):
    examples = told_by_chance(1)
    combined = Pcr.learned(examples, (), n_components)
    for c in range(3):
        is_class = [float(label == c) for label in examples.labels]
        expected = naive_weights(examples.told[:, :, c].tolist(), is_class, n_components)
        np.testing.assert_allclose(combined.weights[c], expected, rtol=1e-6, atol=1e-9)


def test_all_components_together_are_least_squares():
    rng = np.random.default_rng(2)
    columns, target = rng.normal(size=(40, 4)), rng.normal(size=40)
    weights = component_weights(columns - columns.mean(axis=0), target - target.mean(), np.full(40, 1 / 40))
    np.testing.assert_allclose(weights[-1], LinearRegression().fit(columns, target).coef_, rtol=1e-9)
    assert weights.shape == (5, 4)


@pytest.mark.parametrize("seed", range(6))
def test_as_many_components_as_scikit_learn_errs_least_with(seed):
    examples = told_by_chance(seed, n=40, n_models=4)
    folds = folds_of(examples.labels, 4, seed)
    combined = Pcr.learned(examples, folds, 0)
    for c in range(3):
        columns, is_class = examples.told[:, :, c], examples.labels == c
        errors = np.zeros(4)
        for fit, test in folds:
            for number in range(1, 5):
                pca = PCA(number).fit(columns[fit])
                line = LinearRegression().fit(pca.transform(columns[fit]), is_class[fit])
                errors[number - 1] += ((line.predict(pca.transform(columns[test])) - is_class[test]) ** 2).sum()
        assert combined.n_components[c] == 1 + errors.argmin()


@pytest.mark.parametrize("n_dimensions", [1, 2, 4])
def test_distances_are_those_of_a_correspondence_analysis_written_out(n_dimensions):
    examples = told_by_chance(3, n=30, n_models=2, hard=True)
    combined = Scann.learned(examples, (), n_dimensions)
    asked = np.eye(3)[[[0, 0], [0, 1], [2, 1]]]
    expected = naive_places(
        examples.told.argmax(axis=2).tolist(), examples.labels.tolist(), [[0, 0], [0, 1], [2, 1]], 3, n_dimensions
    )
    shares = np.exp(-0.5 * np.array(expected))
    np.testing.assert_allclose(combined.predict_proba(asked), shares / shares.sum(axis=1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_components", [0, 1, 2, 99])
def test_a_model_that_always_says_the_same_changes_nothing(kind, n_components):
    examples = told_by_chance(4, hard=kind == "scann")
    folds = folds_of(examples.labels, 3, 0)
    constant = np.tile([[[0.0, 1.0, 0.0]]], (60, 1, 1))
    more = examples._replace(told=np.concatenate([constant, examples.told], axis=1))
    expected = KINDS[kind].learned(examples, folds, n_components)
    combined = KINDS[kind].learned(more, folds, n_components)
    np.testing.assert_allclose(
        combined.predict_proba(more.told), expected.predict_proba(examples.told), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("n_components", [0, 1, 2])
def test_twins_of_a_model_are_one_model(n_components):
    examples = told_by_chance(5, n_models=1)
    folds = folds_of(examples.labels, 3, 0)
    twins = examples._replace(told=np.repeat(examples.told, 3, axis=1))
    one, three = (Pcr.learned(some, folds, n_components) for some in (examples, twins))
    np.testing.assert_allclose(three.predict_proba(twins.told), one.predict_proba(examples.told), rtol=1e-9)
    np.testing.assert_allclose(three.weights, np.repeat(one.weights / 3, 3, axis=1), rtol=1e-9)
    assert three.n_components.tolist() == [1, 1, 1]


def test_of_models_that_always_agree_scann_predicts_what_they_do():
    labels = np.tile([0, 0, 1, 1, 2, 2, 2], 6)
    said = np.where(np.arange(42) % 7 == 1, 2, labels)
    for n_models in (1, 3):
        told = np.repeat(np.eye(3)[said][:, None], n_models, axis=1)
        combined = Scann.learned(ToldExamples(told, labels, np.ones(42)), folds_of(labels, 3, 0), 0)
        assert (combined.predict_proba(told).argmax(axis=1) == said).all()


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_copies_and_signs_of_vectors_do_not_matter(kind, monkeypatch):
    examples = told_by_chance(6, hard=kind == "scann")
    times = np.random.default_rng(0).integers(1, 4, 60)
    copies = ToldExamples(*(np.repeat(array, times, axis=0) for array in examples))
    expected = KINDS[kind].learned(copies, (), 2).predict_proba(examples.told)
    eigh, svd = np.linalg.eigh, np.linalg.svd

    def turned(matrix, **settings):
        left, sizes, right = svd(matrix, **settings)
        return -left, sizes, -right

    monkeypatch.setattr(np.linalg, "eigh", lambda matrix: (eigh(matrix)[0], -eigh(matrix)[1]))
    monkeypatch.setattr(np.linalg, "svd", turned)
    weighted = examples._replace(weights=times.astype(float))
    np.testing.assert_allclose(
        KINDS[kind].learned(weighted, (), 2).predict_proba(examples.told), expected, rtol=1e-9, atol=1e-12
    )


def test_the_number_of_dimensions_is_that_with_fewest_errors_on_folds_left_out():
    examples = told_by_chance(7, n_models=4, hard=True)
    folds = folds_of(examples.labels, 3, 0)
    right = np.zeros(analyse(examples).classes.shape[1])
    for number in range(1, len(right) + 1):
        for fit, test in folds:
            shares = Scann.learned(examples.take(fit), (), number).predict_proba(examples.told[test])
            right[number - 1] += (shares.argmax(axis=1) == examples.labels[test]).sum()
    assert Scann.learned(examples, folds, 0).n_components.tolist() == [1 + right.argmax()]
    assert right.max() > right[0], "it is a choice"


@pytest.mark.parametrize("variant", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_models_tell_of_examples_that_they_did_not_learn(variant, n_classes):
    X, y, _ = random_examples(42, n=60, n_classes=n_classes)
    ours = PrincipalComponentsCombiningClassifier(estimators=MODELS, variant=variant, folds=3, random_state=7).fit(X, y)
    folds, told, now = folds_of(y, 3, 7), np.zeros((60, 2, n_classes)), np.zeros((60, 2, n_classes))
    for m, model in enumerate(MODELS):
        for fit, test in folds:
            told[test, m] = said(model.fit(X.iloc[fit], y[fit]), X.iloc[test], variant, n_classes)
        now[:, m] = said(model.fit(X, y), X, variant, n_classes)
    combined = KINDS[variant].learned(ToldExamples(told, y, np.ones(60)), folds, 0)
    np.testing.assert_allclose(ours.predict_proba(X), combined.predict_proba(now), rtol=1e-12)
    assert ours.n_components_.tolist() == combined.n_components.tolist()
    assert ours.n_members_ == 2
    if variant == "pcr":
        assert ours.model_weights_.shape == (n_classes, 2)
    else:
        assert not hasattr(ours, "model_weights_")


def said(model, X, variant, n_classes):
    """Return what a model tells a variant."""
    return model.predict_proba(X) if variant == "pcr" else np.eye(n_classes)[model.predict(X)]


def test_examples_of_one_class_are_not_combined():
    model = PrincipalComponentsCombiningClassifier(estimators=MODELS).fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[3.0]]).tolist() == ["a"]
    with pytest.raises(AttributeError, match="all examples were of one class, and nothing is combined"):
        model.n_components_  # noqa: B018
