"""Streaming random patches against plain Python: subspaces, copies, successors from a warning on, votes by accuracy."""

import itertools
import math

import numpy as np
import pytest

from ensembles import NaiveBayesClassifier, StreamingRandomPatchesClassifier
from ensembles.draws import stream, streams, uniforms
from ensembles.methods.core.patches import Patches, subspace_size
from tests import naive
from tests.examples import random_examples, rows_of
from tests.methods.naive_adwin import Adwin
from tests.methods.test_adwin import changing_stream

DELTAS = {"delta": 0.002, "warning_delta": 0.05}


class Member:
    """A member, the attributes it looks at and what is known of it."""

    def __init__(self, seed, m, before, size, taken=()):
        drawn = (
            stream(seed, "random_patches", m, before, attempt).permutation(4)[:size] for attempt in itertools.count()
        )
        self.seen = next(seen for seen in map(sorted, drawn) if seen not in taken)
        self.model, self.right, self.tested = NaiveBayesClassifier(), 0, 0

    def said(self, row):
        return self.model.predict_proba(row(self.seen))[0] if hasattr(self.model, "classes_") else None

    def learn(self, row, label, times):
        if times:
            self.model.partial_fit(row(self.seen), [label], classes=[0, 1], sample_weight=[times])


class Place:
    """A member with its detectors and its successor, in plain Python."""

    def __init__(self, seed, m, size, training, taken):
        self.seed, self.m, self.size, self.training = seed, m, size, training
        self.member, self.successor, self.had, self.said = Member(seed, m, 0, size, taken), None, 1, None
        self.drift, self.warning, self.replaced, self.warnings = Adwin(0.002), Adwin(0.05), 0, 0

    def vote(self, row):
        self.said = said = self.member.said(row)
        right = self.member.right
        weight = right / self.member.tested if right else 1.0
        return np.full(2, 0.5) * weight if said is None else weight * said

    def learn(self, row, label, uniform):
        """Learn the example that was voted on last."""
        said = self.said
        for one in (self.member, self.successor):
            if one is not None:
                one.learn(row, label, 1 if self.training == "subspaces" else naive.poisson(6.0, uniform))
        if said is None:
            return
        mistake = int(np.argmax(said) != label)
        self.member.right += 1 - mistake
        self.member.tested += 1
        if rises(self.warning, mistake):
            self.successor, self.warning = self.new_member(), Adwin(0.05)
            self.warnings += 1
        if rises(self.drift, mistake):
            self.member, self.successor = self.successor or self.new_member(), None
            self.drift, self.warning = Adwin(0.002), Adwin(0.05)
            self.member.right = self.member.tested = 0
            self.replaced += 1

    def new_member(self):
        self.had += 1
        return Member(self.seed, self.m, self.had - 1, self.size)


def rises(window, mistake):
    """Return whether a window that takes in an outcome says that there are more mistakes."""
    before = window.rate()
    return window.add(mistake) and window.rate() > before


@pytest.mark.parametrize("training", ["patches", "subspaces", "resampling"])
def test_it_does_what_plain_python_does(training):
    X, y = changing_stream(3, 240)
    X, y = X.assign(more=X["a0"].where(np.arange(240) % 3 > 0, X["a1"])), y.tolist()
    size = 4 if training == "resampling" else 2
    places, taken = [], []
    for m in range(3):
        places.append(Place(9, m, size, training, [] if training == "resampling" else taken))
        taken.append(places[-1].member.seen)
    draws, votes = uniforms(streams(9, "streaming_random_patches", 3), 240), []
    rows = rows_of(X)
    for row, label, numbers in zip(rows, y, draws, strict=True):
        votes.append(sum(place.vote(row) for place in places))
        for place, number in zip(places, numbers, strict=True):
            place.learn(row, label, number)
    settings = {"training": training, "max_features": 0.5, **DELTAS}
    model = StreamingRandomPatchesClassifier(NaiveBayesClassifier(), n_estimators=3, random_state=9, **settings)
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    _, told = model.predict_then_learn(model._encoded(X[1:]), np.array(y[1:]))
    assert (model.n_replaced_, model.n_warnings_) == (sum(p.replaced for p in places), sum(p.warnings for p in places))
    assert model.n_replaced_ > 0
    assert [part.seen.tolist() for part in model._members] == [place.member.seen for place in places]
    np.testing.assert_array_equal(model._record, [[place.member.right, place.member.tested] for place in places])
    np.testing.assert_allclose(told, [vote / vote.sum() for vote in votes[1:]], rtol=1e-12)
    last = sum(place.vote(rows[5]) for place in places)
    np.testing.assert_allclose(model.predict_proba(X.iloc[[5]])[0], last / last.sum(), rtol=1e-12)


def test_subspaces_are_as_large_as_in_moa():
    assert [subspace_size("share", 0.6, n) for n in (1, 2, 3, 9, 24, 100)] == [1, 2, 2, 5, 14, 60]
    assert [subspace_size("sqrt", 0.6, n) for n in (1, 3, 9, 24, 100)] == [1, 2 + 1, 4, 6, 11]
    assert [subspace_size("all_but_sqrt", 0.6, n) for n in (1, 3, 9, 24, 100)] == [1, 3, 5, 18, 89]


def test_the_first_subspaces_differ_as_long_as_there_are_others():
    X, y, _ = random_examples(3, n_classes=2)
    model = StreamingRandomPatchesClassifier(NaiveBayesClassifier(), n_estimators=15, max_features=0.5, random_state=2)
    model.fit(X, y)
    first = [tuple(part.seen) for part in model._members]
    assert len({*first[:6]}) == len({*first[6:12]}) == math.comb(4, 2)
    assert len({*first[12:]}) == 3
    fewer = Patches(NaiveBayesClassifier(), "share", 0.5, 2).init_members(3, model._schema, 2, batch=False)
    assert [tuple(part.seen) for part in fewer] == first[:3]


def test_new_values_and_classes_reach_successors_too():
    X, y = changing_stream(4, 700)
    model = StreamingRandomPatchesClassifier(
        NaiveBayesClassifier(), n_estimators=4, random_state=1, delta=1e-9, warning_delta=0.3
    )
    model.partial_fit(X[:400], y[:400])
    assert any(part is not None for part in model._successors)
    more = X[400:].astype(str).replace("y", "z")
    model.partial_fit(more, np.where(np.arange(300) % 5, y[400:], 2))
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(more).shape == (300, 3)
    schemas = {
        part.schema.attributes[0].categories for part in (*model._members, *model._successors) if part is not None
    }
    assert schemas == {("x", "y", "z")}


def test_what_is_switched_off_is_not_done():
    X, y = changing_stream(3, 400)

    def fitted(**settings):
        model = StreamingRandomPatchesClassifier(
            NaiveBayesClassifier(), n_estimators=3, random_state=9, **DELTAS, **settings
        )
        return model.fit(X, y)

    assert fitted(replacing=False).n_replaced_ == fitted(replacing=False).n_warnings_ == 0
    alone = fitted(background=False)
    assert alone.n_warnings_ == 0 < alone.n_replaced_
    assert fitted(weighted_vote=False).member_weights_.tolist() == [1, 1, 1]
    assert set(fitted(vote="hard", weighted_vote=False).predict_proba(X).ravel()) <= {0, 1 / 3, 2 / 3, 1}
    assert fitted(drift_detector="ddm").n_replaced_ > 0
