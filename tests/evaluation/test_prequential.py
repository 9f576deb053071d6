"""Test-then-train beside the plainest way: `predict` on one row, then `partial_fit` on it."""

import numba
import numpy as np
import pytest

from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidData
from ensembles.evaluation import stream_pass
from ensembles.evaluation.prequential import REPLACED, begin_final, error_curves, predict_then_learn
from ensembles.evaluation.timing import Stopwatch
from ensembles.learners.core.learner import Learner
from ensembles.registry import make_learner, methods
from tests.examples import random_examples
from tests.pairs import first_base
from tests.test_laws import ONLINE

N = 60
# Every base model alone, every method with one base model; of the base models alone, the compiler is given two: each is a
# kernel more. Methods with a `start_stream` of their own learn the first part of a stream in batch: tested elsewhere.
ALONE = {b for m, b in ONLINE if m == "single"} if numba.config.DISABLE_JIT else {"naive_bayes", "hoeffding_tree"}
PAIRS = [
    (m, b)
    for m, b in ONLINE
    if methods()[m].cls.start_stream is Learner.start_stream and (b in ALONE if m == "single" else b == first_base(m))
]


def examples(n=N, seed=1):
    X, y, _ = random_examples(seed, n=n, n_classes=2)
    return encode_frame(X), y


def run(learner, X, y, **options):
    options = {"stopwatch": Stopwatch(), "pause": lambda: None, **options}
    return predict_then_learn(learner, X, y, 2, probabilities=True, **options)


def plainly(learner, X, y, first=0):
    """Return classes and probabilities told before learning, the first of them by a model that knows nothing."""
    told, shares = [], []
    for i in range(first, len(y)):
        row = X.take(slice(i, i + 1))
        known = hasattr(learner, "classes_")
        told.append(learner.predict(row)[0] if known else 0)
        shares.append(learner.predict_proba(row)[0] if known else np.full(2, 0.5))
        learner.partial_fit(row, y[i : i + 1], classes=[0, 1])
    return np.array(told), np.array(shares)


def small(method, base, **settings):
    settings = settings if method == "single" else {"n_estimators": 3, **settings}
    return make_learner(method, base, settings=settings, random_state=3)


@pytest.mark.parametrize(("method", "base"), PAIRS)
def test_a_stream_is_learned_as_by_one_call_an_example(method, base):
    X, y = examples()
    learner, plain = small(method, base), small(method, base)
    stream = run(learner, X, y)
    told, shares = plainly(plain, X, y)
    assert stream.first == 0
    assert (stream.predicted == told).all()
    assert (stream.probabilities == shares).all()
    assert (learner.predict_proba(X) == plain.predict_proba(X)).all()
    told_ties = [getattr(one, "estimator_", one)._prior.tolist() for one in (learner, plain)]
    assert told_ties == [[float((y == 0).sum()), float((y == 1).sum())]] * 2
    assert (learner.partial_fit(X, y).predict_proba(X) == plain.partial_fit(X, y).predict_proba(X)).all()


def test_a_primed_learner_predicts_from_the_first_example_after_priming():
    X, y = examples()
    learner = small("primed_online_boosting", "naive_bayes", prime_fraction=0.3)
    twin = small("primed_online_boosting", "naive_bayes", prime_fraction=1.0)
    stream = run(learner, X, y)
    twin.partial_fit(X.take(slice(0, 18)), y[:18], classes=[0, 1])
    told, shares = plainly(twin, X, y, first=18)
    assert (stream.first, learner.n_primed_) == (18, 18)
    assert (stream.true == y[18:]).all()
    assert (stream.predicted == told).all()
    assert (stream.probabilities == shares).all()


def test_a_primed_learner_too_small_to_be_primed_predicts_everything():
    X, y = examples()
    assert run(small("primed_online_boosting", "naive_bayes", prime_fraction=0.1), X, y).first == 0


def test_priming_must_leave_something_to_predict():
    X, y = examples()
    with pytest.raises(InvalidData, match="all 60 examples are primed, none is left to be predicted"):
        run(small("primed_online_boosting", "naive_bayes", prime_fraction=1.0), X, y)


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("online_bagging", {}),
        ("online_boosting", {}),
        ("online_bayesian_bagging", {"vote": "soft"}),
        ("primed_online_boosting", {}),
    ],
)
def test_the_size_of_blocks_changes_nothing(monkeypatch, method, settings):
    monkeypatch.setattr(stream_pass, "_block_size", lambda *_: 7)
    X, y = examples()
    stream = run(small(method, "naive_bayes", **settings), X, y)
    monkeypatch.undo()
    whole = run(small(method, "naive_bayes", **settings), X, y)
    assert (stream.predicted == whole.predicted).all()
    assert (stream.probabilities == whole.probabilities).all()


def test_methods_whose_members_vote_alone_predict_while_they_learn():
    slow = {m for m, _ in ONLINE if not hasattr(small(m, first_base(m)), "predict_then_learn")}
    pools = {m for m in slow if methods()[m].family == "weighting"}
    assert slow == pools


def test_a_stream_cut_off_leaves_nothing_behind():
    X, y = examples(600)

    looks = iter([None, KeyboardInterrupt])

    def stop():
        if error := next(looks):
            raise error

    learner = small("online_bagging", "naive_bayes")
    with pytest.raises(KeyboardInterrupt):
        run(learner, X, y, pause=stop)
    again = learner.fit(X, y).predict_proba(X)
    assert (again == small("online_bagging", "naive_bayes").fit(X, y).predict_proba(X)).all()


@pytest.mark.parametrize(
    ("n", "fraction", "first"), [(10, 0.2, 8), (3, 0.2, 2), (1, 0.2, 0), (100, 0.29, 71), (7, 1.0, 0)]
)
def test_the_last_part_has_at_least_one_example(n, fraction, first):
    assert begin_final(n, fraction) == first


def test_curves_are_means_of_the_mistakes():
    rng = np.random.default_rng(0)
    X, y = examples(1300)
    stream = run(small("single", "naive_bayes"), X, y)
    stream = type(stream)(100, y, rng.integers(2, size=1300), None)
    wrong = (stream.true != stream.predicted).astype(float)
    curves = error_curves(stream)
    assert {len(curve.x) for curve in curves.values()} == {500}
    assert all(curve.x == curves["prequential_error"].x for curve in curves.values())
    assert curves["prequential_error"].x[-1] == 1400
    for at in (0, 3, 250, 499):
        n = int(curves["prequential_error"].x[at]) - 100
        ages = 0.999 ** np.arange(n)[::-1]
        expected = {
            "prequential_error": wrong[:n].mean(),
            "prequential_error_window": wrong[max(n - 65, 0) : n].mean(),
            "prequential_error_fading": (ages * wrong[:n]).sum() / ages.sum(),
        }
        assert {key: curve.y[at] for key, curve in curves.items()} == pytest.approx(expected, rel=1e-9)


def test_a_short_stream_has_a_point_an_example():
    X, y = examples(3)
    assert error_curves(run(small("single", "naive_bayes"), X, y))["prequential_error"].x == (1.0, 2.0, 3.0)


class Replaces:
    """Lets a member begin anew at some examples, counted from 1."""

    def __init__(self, *at):
        self.at, self.seen, self.n_replaced_ = at, 0, 0

    def base_model(self):
        return None

    def partial_fit(self, _X, y, **_):
        self.n_replaced_ += sum(self.seen < at <= self.seen + len(y) for at in self.at)
        self.seen += len(y)

    def predict_then_learn(self, X, y):
        self.partial_fit(X, y)
        return np.zeros(len(y), dtype=int), np.full((len(y), 2), 0.5)


def test_where_members_began_anew_is_kept_by_block():
    X, y = examples(1000)
    curves = error_curves(run(Replaces(1, 300, 301, 513, 514), X, y))
    assert (curves[REPLACED].x, curves[REPLACED].y) == ((513.0, 769.0), (3.0, 1.0))
    assert error_curves(run(Replaces(300, 514), X, y, unpredicted=600))[REPLACED].x == (769.0,)
    assert REPLACED not in error_curves(run(Replaces(1), X, y))
