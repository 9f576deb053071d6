"""Leveraging bagging with random output codes, against plain Python."""

import numpy as np
import pytest

from ensembles import LeveragingBaggingClassifier, NaiveBayesClassifier
from ensembles.draws import streams, uniforms
from ensembles.methods.bagging.output_codes import drawn_codes, widened_codes
from tests import naive
from tests.examples import random_table


def test_codes_halve_the_classes():
    for n_classes in (1, 2, 5, 8):
        codes = drawn_codes(3, 50, n_classes)
        ones = codes.sum(axis=1)
        assert set(ones.tolist()) == {n_classes // 2, n_classes - n_classes // 2}
        assert len({tuple(code) for code in codes}) > n_classes / 2
        assert (drawn_codes(3, 9, n_classes) == codes[:9]).all()


def test_classes_that_come_later_keep_the_halves_equal():
    codes = drawn_codes(3, 50, 3)
    wider = widened_codes(codes, 3, np.array([0, 2, 5]), 7)
    assert (wider[:, [0, 2, 5]] == codes).all()
    assert set(wider.sum(axis=1).tolist()) == {3, 4}
    assert (widened_codes(codes, 3, np.arange(3), 3) == codes).all()


def test_members_tell_halves_and_vote_for_all_of_their_classes():
    X, y, _ = random_table(5, n=90, n_classes=5)
    model = LeveragingBaggingClassifier(NaiveBayesClassifier(), n_estimators=4, random_state=7, output_codes=True)
    model.partial_fit(X[:1], y[:1], classes=range(5))
    _, told = model.predict_then_learn(model._encoded(X[1:]), y[1:])
    codes, draws = drawn_codes(7, 4, 5), uniforms(streams(7, "online_bagging", 4), 90)
    members = [NaiveBayesClassifier() for _ in codes]
    for i in range(90):
        votes = np.zeros(5)
        for m, (member, code) in enumerate(zip(members, codes, strict=True)):
            if hasattr(member, "classes_"):
                votes += code == member.predict(X[[i]])[0]
            if k := naive.poisson(6.0, draws[i, m]):
                member.partial_fit(X[[i]], [code[y[i]]], classes=[0, 1], sample_weight=[k])
        if i > 0:
            assert told[i - 1].tolist() == pytest.approx(votes / votes.sum() if votes.sum() else np.full(5, 0.2))
    votes = sum(member.predict(X)[:, None] == code for member, code in zip(members, codes, strict=True))
    np.testing.assert_allclose(model.predict_proba(X), votes / votes.sum(axis=1, keepdims=True))
    assert [one.predict(X).tolist() for one in model.estimators_] == [one.predict(X).tolist() for one in members]
    assert model.n_replaced_ == 0
    assert not hasattr(model, "member_classes")
    assert not hasattr(model, "errors_on")


def test_new_classes_and_two_classes_are_told():
    X, y, _ = random_table(6, n=80, n_classes=4)
    model = LeveragingBaggingClassifier(NaiveBayesClassifier(), n_estimators=30, random_state=1, output_codes=True)
    few = y < 2
    model.partial_fit(X[few], y[few])
    assert (model.member_classes(X).mean(axis=0).round() == y)[few].mean() > 0.8
    assert (model.errors_on(X[few], y[few]).__next__()) < 0.5
    model.partial_fit(X, y).partial_fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model._codes.shape == (30, 4)
    assert model.score(X, y) > np.bincount(y).max() / len(y)
    assert (list(model.staged_predict(X))[-1] == model.predict(X)).all()
