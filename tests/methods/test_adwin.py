"""ADWIN against a window that is kept whole, and bagging that watches its members for change."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from ensembles import (
    AdwinBaggingClassifier,
    LeveragingBaggingClassifier,
    NaiveBayesClassifier,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
)
from ensembles.data.encoding import encode_frame
from ensembles.draws import streams, uniforms
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.timing import Stopwatch
from ensembles.methods.core.adwin import error_rate, forget_errors, new_detectors, note_outcome
from tests import naive
from tests.methods.naive_adwin import Adwin


def outcomes_of(seed, length, rates):
    """Return outcomes, 1 a mistake, whose rate changes after every `length` of them."""
    rng = np.random.default_rng(seed)
    return (rng.random(length * len(rates)) < np.repeat(rates, length)).astype(int).tolist()


def changing_stream(seed, n, noise=0.1):
    """Return examples whose classes change names half way."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    codes = np.where(rng.random((3, n)) < noise, 1 - y, y)
    X = pd.DataFrame({f"a{j}": pd.Categorical.from_codes(row, ["x", "y"]) for j, row in enumerate(codes)})
    return X, np.where(np.arange(n) < n // 2, y, 1 - y)


@pytest.mark.parametrize(
    ("seed", "length", "rates", "delta"),
    [(0, 400, (0.1, 0.4, 0.05), 0.002), (1, 150, (0.5, 0.2, 0.9, 0.1), 0.3), (2, 1500, (0.0, 0.03), 0.002)],
)
def test_the_window_is_the_one_that_keeping_everything_gives(seed, length, rates, delta):
    detectors, whole = new_detectors(2), Adwin(delta)
    cuts = 0
    for outcome in outcomes_of(seed, length, rates):
        cut = note_outcome(detectors, 1, outcome, delta)
        assert cut == whole.add(outcome)
        cuts += cut
        sizes = [2**r for r in range(31, -1, -1) for _ in range(detectors.filled[1, r])]
        assert sizes == whole.sizes
        assert detectors.window[1].tolist() == [len(whole.outcomes), sum(whole.outcomes), whole.seen]
    assert cuts > 0
    assert error_rate(detectors, 1) == whole.rate()
    assert not detectors.window[0].any()  # the other member was left alone
    forget_errors(detectors, 1)
    assert error_rate(detectors, 1) == 0.0


def test_change_is_seen_where_river_sees_it():
    outcomes = np.tile([0, 0, 0, 1, 0], 60).tolist() + np.tile([1, 1, 0], 40).tolist()
    detectors = new_detectors(1)
    first = next(i for i, outcome in enumerate(outcomes) if note_outcome(detectors, 0, outcome, 0.002))
    assert (first, detectors.window[0, 0]) == (351, 224)  # by river.drift.ADWIN(delta=0.002), version 0.26.1


def test_a_steady_error_gives_no_false_alarm():
    detectors = new_detectors(1)
    assert not any(note_outcome(detectors, 0, outcome, 0.002) for outcome in outcomes_of(3, 5000, [0.2]))
    assert detectors.window[0, 0] == 5000
    assert (detectors.filled <= 5).all()


def changing_table(seed, n, noise=0.1):
    """Return the same with X as an encoded table, whose rows are learned in a tenth of the time."""
    X, y = changing_stream(seed, n, noise)
    return encode_frame(X), y


def bag_and_watch(X, y, draws, rate, delta, tested="before"):
    """ADWIN bagging in plain Python; return the members and how many began anew."""
    n_members = draws.shape[1]
    members = [NaiveBayesClassifier() for _ in range(n_members)]
    windows = [Adwin(delta) for _ in range(n_members)]
    replaced = 0
    for i in range(len(y)):
        row, risen = X[[i]], 0
        for m in range(n_members):
            for step in (tested, "learn") if tested == "before" else ("learn", tested):
                if step == "learn":
                    for _ in range(naive.poisson(rate, draws[i, m])):
                        members[m].partial_fit(row, y[i : i + 1], classes=[0, 1])
                elif hasattr(members[m], "classes_"):
                    rate_before = windows[m].rate()
                    cut = windows[m].add(int(members[m].predict(row)[0] != y[i]))
                    risen += cut and windows[m].rate() > rate_before
        for _ in range(risen):
            worst = int(np.argmax([window.rate() for window in windows]))
            members[worst], windows[worst] = NaiveBayesClassifier(), Adwin(delta)
        replaced += risen
    return members, windows, replaced


@pytest.mark.parametrize("tested", ["before", "after"])
def test_adwin_bagging_replaces_the_worst_member_when_an_error_rises(tested):
    X, y = changing_table(4, 320)
    model = AdwinBaggingClassifier(n_estimators=3, delta=0.05, tested=tested, random_state=6).fit(X, y)
    draws = uniforms(streams(6, "online_bagging", 3), 320)
    members, windows, replaced = bag_and_watch(X, y, draws, 1.0, 0.05, tested)
    assert replaced == model.n_replaced_ > 1
    assert model.member_errors_.tolist() == [window.rate() for window in windows]
    votes = sum(np.eye(2)[member.predict(X)] for member in members)
    np.testing.assert_array_equal(model.predict_proba(X), votes / 3)


@pytest.mark.parametrize("settings", [{}, {"output_codes": True}])
def test_members_that_are_tested_after_learning_still_vote_before_it(settings):
    X, y = changing_table(7, 60)
    model, again = (
        LeveragingBaggingClassifier(n_estimators=5, tested="after", random_state=2, **settings) for _ in "ab"
    )
    told = predict_then_learn(model, X, y, 2, pause=lambda: None, stopwatch=Stopwatch())
    again.partial_fit(X[[0]], y[:1], classes=[0, 1])
    for i in range(1, 60):
        assert again.predict(X[[i]])[0] == told.predicted[i]
        again.partial_fit(X[[i]], y[i : i + 1])


@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (OnlineBaggingClassifier, {}),
        (OnlineBoostingClassifier, {"n_jobs": 2}),
        (AdwinBaggingClassifier, {}),
        (LeveragingBaggingClassifier, {"tested": "after"}),
        (LeveragingBaggingClassifier, {"output_codes": True}),
    ],
)
def test_probabilities_are_added_before_an_example_is_learned_and_after_all(make, settings):
    X, y = changing_table(9, 80)
    model = make(n_estimators=5, vote="soft", random_state=2, **settings).partial_fit(X[:20], y[:20])
    again = clone(model).partial_fit(X[:20], y[:20])
    _, told = model.predict_then_learn(model._encoded(X[20:]), y[20:])
    for i in range(20, 80):
        codes = again._codes if settings.get("output_codes") else np.tile(np.arange(2), (len(again.estimators_), 1))
        of_members = [one.predict_proba(X[[i]])[0][code] for one, code in zip(again.estimators_, codes, strict=True)]
        np.testing.assert_allclose(
            told[i - 20], np.average(of_members, axis=0, weights=again.member_weights_), rtol=1e-12
        )
        np.testing.assert_allclose(again.predict_proba(X[[i]])[0], told[i - 20], rtol=1e-12)
        again.partial_fit(X[[i]], y[i : i + 1])
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    assert not np.isin(told, np.arange(6) / 5).all()  # they are no counts of votes


@pytest.mark.parametrize("make", [AdwinBaggingClassifier, LeveragingBaggingClassifier], ids=lambda make: make.key)
def test_members_recover_from_a_change_that_leaves_online_bagging_lost(make):
    X, y = changing_stream(5, 4000)
    models = [m(n_estimators=10, random_state=1) for m in (make, OnlineBaggingClassifier)]
    watching, plain = (model.fit(X[:3000], y[:3000]).score(X[3000:], y[3000:]) for model in models)
    assert watching > 0.95
    assert plain < 0.1
    assert models[0].n_replaced_ >= 10
    assert (models[0].member_errors_ < 0.2).all()


@pytest.mark.parametrize("make", [AdwinBaggingClassifier, LeveragingBaggingClassifier], ids=lambda make: make.key)
def test_without_change_it_is_online_bagging(make):
    X, y = changing_stream(6, 4000)
    X, y = X[:2000], y[:2000]
    model = make(n_estimators=10, random_state=3).fit(X, y)
    plain = OnlineBaggingClassifier(n_estimators=10, rate=model.rate, random_state=3).fit(X, y)
    assert model.n_replaced_ == 0
    assert (model.predict_proba(X) == plain.predict_proba(X)).all()
    assert (model._members.cells == plain._members.cells).all()


def test_an_error_that_falls_replaces_no_member():
    X, y = changing_stream(7, 4000)
    y[:1000] = np.random.default_rng(8).integers(0, 2, 1000)  # nothing to learn at first
    model = AdwinBaggingClassifier(n_estimators=5, random_state=1).fit(X[:2000], y[:2000])
    assert model.n_replaced_ == 0
    assert (model._detectors.windows.window[:, 0] < 1990).all()  # the windows were cut
