"""Error-correcting output codes: what a code must be, and decoding in plain Python."""

import itertools
import math

import numpy as np
import pytest

from ensembles import DecisionStumpClassifier, NaiveBayesClassifier, OutputCodesClassifier, SingleClassifier
from ensembles.draws import stream
from ensembles.methods.combining.code_book import code_book, row_distances
from tests.examples import random_table


def distance(one, other):
    return sum(a != b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("k", range(3, 8))
def test_the_code_of_few_classes_is_exhaustive(k):
    code = code_book(k, 100, stream(0, "output_codes", 0)).tolist()
    printed = [[1] * (2 ** (k - 1) - 1)]  # table 2 of the paper: runs of zeros and ones, half as long from row to row
    for row in range(2, k + 1):
        run = 2 ** (k - row)
        printed.append([j // run % 2 for j in range(2 ** (k - 1) - 1)])
    columns = {tuple(column) for column in zip(*printed, strict=True)}
    ours = {tuple(1 - digit for digit in column) for column in zip(*code, strict=True)}
    assert ours == columns
    assert {distance(*pair) for pair in itertools.combinations(code, 2)} == {2 ** (k - 2)}


@pytest.mark.parametrize(("k", "most"), [(4, 5), (5, 14), (8, 40), (12, 60), (25, 50)])
def test_columns_of_a_chosen_code_differ_and_words_are_far_apart(k, most):
    code = code_book(k, most, stream(3, "output_codes", 0))
    assert code.shape == (k, most)
    columns = code.T.tolist()
    assert all(0 < sum(column) < k for column in columns)
    for one, other in itertools.combinations(columns, 2):
        assert 0 < distance(one, other) < k
    nearest = min(distance(*pair) for pair in itertools.combinations(code.tolist(), 2))
    assert (row_distances(code)[0].tolist()) == [distance(code[0], word) for word in code]
    random = np.random.default_rng(0).integers(0, 2, (200, k, most))
    usual = np.median([min(distance(*pair) for pair in itertools.combinations(one.tolist(), 2)) for one in random[:9]])
    assert nearest > usual > 0


def told_by_plain_python(model, members, X, y):
    """Return classes and probabilities from the distances between what members say and the words."""
    said = np.array([member.predict_proba(X)[:, list(member.classes_).index(1)] for member in members]).T
    if model.decoding == "class":
        said = np.array([member.predict(X) for member in members]).T.astype(float)
    words, k = model.code_book_.tolist(), len(model.code_book_)
    pairs = list(itertools.combinations(words, 2))
    usual = sum(distance(*pair) for pair in pairs) / len(pairs)
    classes, shares = [], []
    for row in said:
        far = [math.fsum(abs(a - b) for a, b in zip(row, word, strict=True)) for word in words]
        nearest = [c for c in range(k) if far[c] <= min(far) + 1e-9]
        classes.append(max(nearest, key=lambda c: (sum(y == c), -c)))
        above = [max(usual - d, 0.0) for d in far]
        shares.append([a / sum(above) if sum(above) else 1 / k for a in above])
    return classes, shares


@pytest.mark.parametrize("base", [NaiveBayesClassifier, DecisionStumpClassifier])
@pytest.mark.parametrize("decoding", ["probability", "class"])
@pytest.mark.parametrize("most", [100, 5])
def test_the_nearest_word_is_predicted(base, decoding, most):
    X, y, _ = random_table(1, n=60, n_classes=4)
    model = OutputCodesClassifier(base(), n_estimators=most, decoding=decoding, random_state=2).fit(X, y)
    assert model.n_members_ == min(most, 7)
    members = [base().fit(X, column[y]) for column in model.code_book_.T]
    classes, shares = told_by_plain_python(model, members, X, y)
    np.testing.assert_allclose(model.predict_proba(X), shares, atol=1e-12)
    assert model.predict(X).tolist() == classes
    wrong = [
        np.mean(member.predict(X) != column[y]) for member, column in zip(members, model.code_book_.T, strict=True)
    ]
    np.testing.assert_allclose(model.member_errors_, wrong)
    assert [(model.estimators_[m].predict(X) == members[m].predict(X)).all() for m in range(5)] == [True] * 5


def test_probabilities_are_those_that_members_sum_up():
    model = OutputCodesClassifier()
    model.code_book_, model.classes_ = code_book(5, 100, None), np.arange(5)
    truth = np.random.default_rng(0).dirichlet(np.ones(5), 20)
    ones = truth @ model.code_book_
    agreement = ones @ model.code_book_.T + (1 - ones) @ (1 - model.code_book_.T)
    np.testing.assert_allclose(model._shared(agreement), truth, atol=1e-12)


def test_two_classes_are_told_apart_by_the_base_model_itself():
    X, y, weights = random_table(3, n_classes=2)
    model = OutputCodesClassifier().fit(X, y, weights)
    single = SingleClassifier().fit(X, y, weights)
    np.testing.assert_allclose(model.predict_proba(X), single.predict_proba(X), rtol=1e-12)
    assert (model.member_classes(X)[0] == single.predict(X)).all()
    assert not hasattr(OutputCodesClassifier().fit(*random_table(3)[:2]), "member_classes")


def test_a_class_that_was_not_there_is_an_error_of_every_member():
    X, y, _ = random_table(4)
    model = OutputCodesClassifier().fit(X, y)
    assert [*model.errors_on(X, np.full(len(y), 9))] == [1.0, 1.0, 1.0]
