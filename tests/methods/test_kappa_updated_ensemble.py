"""Kappa updated ensemble against plain Python."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from ensembles import KappaUpdatedEnsembleClassifier, NaiveBayesClassifier
from ensembles.draws import stream, streams, uniforms
from tests import naive
from tests.examples import random_examples, rows_of
from tests.methods.test_adwin import changing_stream


class Member:
    """A member, its attributes, and what it told of the examples of a chunk."""

    def __init__(self, seed, m, before):
        rng = stream(seed, "random_patches", m, before, 0)
        size = 1 + int(rng.integers(3))
        self.seen = sorted(rng.permutation(3)[:size].tolist())
        self.model, self.vote, self.pairs, self.wrong = NaiveBayesClassifier(), 1.0, [], []

    def proba(self, row):
        known = hasattr(self.model, "classes_")
        return self.model.predict_proba(row(self.seen))[0] if known else np.full(2, 0.5)

    def learn(self, row, label, times):
        if hasattr(self.model, "classes_"):
            said = self.model.predict(row(self.seen))[0]
            self.pairs.append((said, label))
            self.wrong.append(said != label)
        if times:
            self.model.partial_fit(row(self.seen), [label], classes=[0, 1], sample_weight=[times])

    def end(self):
        self.vote, self.pairs = cohen_kappa_score(*zip(*self.pairs, strict=True)), []


def weights_of(members):
    weights = [max(member.vote, 0.0) for member in members]
    return weights if any(weights) else [1.0] * len(members)


def vote(members, row):
    return sum(w * member.proba(row) for w, member in zip(weights_of(members), members, strict=True))


def test_it_does_what_plain_python_does():
    X, y = changing_stream(3, 170)
    draws, votes, replaced = uniforms(streams(5, "kappa_updated_ensemble", 4), 170), [], 0
    members, candidate, made = [Member(5, m, 0) for m in range(3)], Member(5, 3, 1), 1
    rows = rows_of(X)
    for i, label in enumerate(y.tolist()):
        votes.append(vote(members, rows[i]))
        for m, member in enumerate([*members, candidate]):
            member.learn(rows[i], label, naive.poisson(1.0, draws[i, m]))
        if i % 40 == 39:
            for member in (*members, candidate):
                member.end()
            worst = min(range(3), key=lambda m: members[m].vote)
            if candidate.vote > members[worst].vote:
                members[worst], replaced = candidate, replaced + 1
            made += 1
            candidate = Member(5, 3, made)
    model = KappaUpdatedEnsembleClassifier(NaiveBayesClassifier(), n_estimators=3, chunk_size=40, random_state=5)
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    _, told = model.predict_then_learn(model._encoded(X[1:]), y[1:])
    np.testing.assert_allclose(told, [one / one.sum() for one in votes[1:]], rtol=1e-9)
    assert model.n_replaced_ == replaced > 0
    assert [part.seen.tolist() for part in model._members] == [member.seen for member in members]
    np.testing.assert_allclose(model.member_weights_, weights_of(members))
    np.testing.assert_allclose(model.member_errors_, [np.mean(member.wrong) for member in members])
    last = vote(members, rows[5])
    np.testing.assert_allclose(model.predict_proba(X.iloc[[5]])[0], last / last.sum(), rtol=1e-9)


def test_members_that_are_worse_than_chance_abstain():
    X, y = changing_stream(5, 2000)
    model = KappaUpdatedEnsembleClassifier(NaiveBayesClassifier(), n_estimators=5, chunk_size=100, random_state=1)
    model.fit(X[:1100], y[:1100])
    assert (model.member_weights_ == 0).sum() in range(1, 5)
    model.partial_fit(X[1100:1800], y[1100:1800])
    assert model.score(X[1800:], y[1800:]) > 0.9
    assert model.n_replaced_ >= 3


def test_a_new_class_within_a_chunk_keeps_what_was_counted():
    X, y, _ = random_examples(4, n=90, n_classes=3)
    model = KappaUpdatedEnsembleClassifier(NaiveBayesClassifier(), n_estimators=4, chunk_size=50, random_state=1)
    late = np.where(y == 0, 1, y)
    model.partial_fit(X[:30], late[:30])
    hits, told = model._tally.hits.copy(), model._tally.told.copy()
    model.partial_fit(X[30:31], [0])
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model._tally.told[:, 1:].sum() + model._tally.told[:, 0].sum()) == told.sum() + 5
    assert (model._tally.hits >= hits).all()
    model.partial_fit(X[31:], y[31:])
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(90))


def test_memory_does_not_grow_with_the_members_that_came():
    X, y, _ = random_examples(4, n=100, decimals=0)
    model = KappaUpdatedEnsembleClassifier(NaiveBayesClassifier(), n_estimators=4, chunk_size=10, random_state=1)
    sizes = [len(pickle.dumps(model.partial_fit(X, y))) for _ in range(12)]
    assert model.n_replaced_ > 5
    assert max(sizes[4:]) <= 1.2 * max(sizes[:4])
