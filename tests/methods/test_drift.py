"""Detectors of change against plain ones, and against where River's raise their alarms."""

import itertools
import json
import pathlib

import numpy as np
import pytest

from ensembles import AdwinBaggingClassifier
from ensembles.methods.core.drift import FALLEN, RISEN, STEADY, forget_outcomes, watch, watched_rate
from ensembles.methods.core.drift_detectors import detectors_of, sampling_draws, sampling_streams
from ensembles.methods.core.kswin import drawn_mistakes, new_recent_outcomes
from tests.methods.naive_drift import Ddm, Kswin, PageHinkley
from tests.methods.test_adwin import changing_stream

MEASURED = json.loads((pathlib.Path(__file__).parent / "river_alarms.json").read_text())  # by benchmarks/river_drift.py
KINDS = ("adwin", "ddm", "page_hinkley", "kswin")
PLAIN = {("ddm", False): Ddm(), ("ddm", True): Ddm(2.0), ("kswin", False): Kswin(), ("kswin", True): Kswin(0.01)}
PLAIN |= {("page_hinkley", False): PageHinkley(50.0), ("page_hinkley", True): PageHinkley(25.0)}
TOLD = {"steady": STEADY, "fallen": FALLEN, "risen": RISEN}


def outcomes_of(stream):
    """Return the outcomes of a stream, and the uniform number of each."""
    n = stream["length"] * len(stream["rates"])
    outcomes = np.random.default_rng(stream["seed"]).random(n) < np.repeat(stream["rates"], stream["length"])
    return outcomes.astype(int).tolist(), np.random.default_rng([stream["seed"], 1]).random(n).tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stream", MEASURED, ids=lambda stream: f"stream{stream['seed']}")
def test_alarms_are_rivers_to_the_last(kind, stream):
    detectors, told = detectors_of(kind, 2, 0.002), []
    for i, (outcome, uniform) in enumerate(zip(*outcomes_of(stream), strict=True)):
        if watch(detectors, 1, outcome, uniform) != STEADY:
            told.append(i)
            if kind == "adwin":
                forget_outcomes(detectors, 1)
    assert told == stream["alarms"][kind]
    assert np.isnan(detectors.rates()[0])  # the other member was left alone


@pytest.mark.parametrize(("kind", "warning"), PLAIN)
def test_detectors_say_what_plain_ones_say(kind, warning):
    detectors, plain, seen = detectors_of(kind, 2, 0.002, warning=warning), PLAIN[kind, warning], set()
    rng = np.random.default_rng(5)
    outcomes = (rng.random(600) < np.repeat([0.1, 0.9, 0.05, 0.5], 150)).astype(int).tolist()
    for outcome, uniform in zip(outcomes, rng.random(600), strict=True):
        told = watch(detectors, 0, outcome, uniform)
        assert told == TOLD[plain.add(outcome, uniform)]
        assert watched_rate(detectors, 0) == pytest.approx(plain.rate(), abs=1e-12)
        assert detectors.rates()[0] == watched_rate(detectors, 0)
        seen.add(told)
    assert seen == ({STEADY, RISEN} if kind == "ddm" else {STEADY, RISEN, FALLEN})
    forget_outcomes(detectors, 0)
    assert watched_rate(detectors, 0) == 0.0
    assert np.isnan(detectors.rates()).all()


def test_mistakes_are_drawn_as_often_as_samples_have_them():
    table = new_recent_outcomes(1, 0.005).table
    for there, uniform in itertools.product((0, 1, 35, 70), (0.0, 0.5, np.nextafter(1.0, 0.0))):
        assert max(0, there - 40) <= drawn_mistakes(table, there, uniform) <= min(there, 30)
    drawn = [drawn_mistakes(table, 20, u) for u in (np.arange(2000) + 0.5) / 2000]
    rng = np.random.default_rng(1)
    sampled = [rng.permutation(70)[:30] < 20 for _ in range(2000)]
    assert np.mean(drawn) == pytest.approx(20 * 30 / 70, abs=0.01)
    assert np.std(drawn) == pytest.approx(np.std(np.sum(sampled, axis=1)), abs=0.1)


@pytest.mark.parametrize("kind", KINDS[1:])
def test_members_recover_from_a_change_by_every_detector(kind):
    X, y = changing_stream(5, 2000)
    model = AdwinBaggingClassifier(n_estimators=5, random_state=1, drift_detector=kind).fit(X[:1500], y[:1500])
    assert model.score(X[1500:], y[1500:]) > 0.9
    assert model.n_replaced_ >= 3
    pieces = AdwinBaggingClassifier(n_estimators=5, random_state=1, drift_detector=kind)
    for at in ([*range(7)], [*range(7, 1100)], [*range(1100, 1500)]):
        pieces.partial_fit(X.iloc[at], y[at])
    assert pieces.n_replaced_ == model.n_replaced_
    assert (pieces.predict_proba(X) == model.predict_proba(X)).all()
    assert ((model.member_errors_ >= 0) & (model.member_errors_ <= 1)).all()


def test_only_detectors_that_sample_draw():
    for kind in KINDS:
        detectors = detectors_of(kind, 3, 0.002)
        generators = sampling_streams(detectors, 0, 3, "drift_detectors")
        assert sampling_draws(generators, 2, 3).any() == (kind == "kswin")
        assert sampling_draws(generators, 2, 3).shape == (2, 3)
