"""Streams whose labels come late or not at all, beside the plainest way: a list of labels that wait."""

from itertools import pairwise

import numpy as np
import pytest

from ensembles.data.encoding import encode_frame
from ensembles.evaluation.stream_pass import Blocks, Labelling, StreamPass
from ensembles.evaluation.timing import Stopwatch
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.parameters import Choice, Flag
from ensembles.registry import make_learner, methods
from tests.examples import random_examples
from tests.pairs import first_base
from tests.test_laws import ONLINE

N = 150
X_FRAME, Y, _ = random_examples(1, n=N, n_classes=2)
X = encode_frame(X_FRAME)


BASES = [base for base in methods()["online_bagging"].bases if not base.startswith("sklearn:")]


def learner(method, base="naive_bayes", n_jobs=1, **settings):
    settings = settings if method == "single" else {"n_estimators": 3} | settings
    made = make_learner(method, base, settings=settings, random_state=3)
    return made if n_jobs == 1 else made.set_params(n_jobs=n_jobs)


def rng():
    return np.random.Generator(np.random.PCG64(5))


def plainly(model, delay, share):
    """Predict each example behind the head; then learn the one `delay` before it, if its label comes."""
    head = model.start_stream(X, Y, np.arange(2))
    come = rng().random(N) < share if share < 1 else np.ones(N, dtype=bool)
    told, shares, knows = [], [], head > 0
    for i in range(head, N):
        row = X.take(slice(i, i + 1))
        told.append(model.predict(row)[0] if knows else 0)
        shares.append(model.predict_proba(row)[0] if knows else np.full(2, 0.5))
        late = i - delay
        if late >= head and come[late]:
            model.partial_fit(X.take(slice(late, late + 1)), Y[late : late + 1], classes=[0, 1])
            knows = True
    return np.array(told), np.array(shares)


def way_of(model, delay, share):
    labelling = Labelling(delay, share, rng() if share < 1 else None)
    return StreamPass(model, 2, probabilities=True, labelling=labelling, stopwatch=Stopwatch(), pause=lambda: None)


def through(way, sizes=(37,)):
    way.learn_head(X, Y)
    told, shares = [], []
    while way.position < N:
        part = slice(way.position, way.position + sizes[way.position % len(sizes)])
        predicted, probabilities = way.take(X.take(part), Y[part])
        told.append(predicted)
        shares.append(probabilities)
    return np.concatenate(told), np.concatenate(shares)


TIMES = [(1, 1.0), (40, 1.0), (0, 0.3), (7, 0.5), (N, 1.0)]  # delay, and share of labels that come
CASES = [
    *((method, "naive_bayes", *times) for method in ("single", "online_bagging", "osboost") for times in TIMES),
    *((method, base, 7, 0.5) for method, base in ONLINE if method == "single" or base == first_base(method)),
    *(("primed_online_boosting", "naive_bayes", *times) for times in TIMES),
]
CASES = [*dict.fromkeys(CASES)]


@pytest.mark.parametrize(("method", "base", "delay", "share"), CASES)
def test_late_and_missing_labels_are_learned_as_by_the_plainest_loop(method, base, delay, share):
    model, plain = learner(method, base), learner(method, base)
    told, shares = through(way_of(model, delay, share), sizes=(37, 1, 64))
    expected = plainly(plain, delay, share)
    assert (told == expected[0]).all()
    assert (shares == expected[1]).all()
    if delay < N:
        assert (model.predict_proba(X) == plain.predict_proba(X)).all()


@pytest.mark.parametrize("method", sorted({method for method, _ in ONLINE}))
def test_whatever_is_chosen_a_stream_is_predicted_and_learned_as_by_the_plainest_loop(method):
    draws, base = np.random.default_rng(6), first_base(method)
    declared = [one for one in methods()[method].parameters if isinstance(one, Choice | Flag)]
    for _ in range(8 if declared else 1):
        settings = {one.name: draws.choice(getattr(one, "choices", (False, True))).item() for one in declared}
        settings |= {"bootstrap": False} if method == "random_subspaces" else {}  # else it learns in batch
        model, plain = learner(method, base, **settings), learner(method, base, **settings)
        told, shares = through(way_of(model, 0, 1.0), sizes=(1, 37, 64))  # the first alone
        expected = plainly(plain, 0, 1.0)
        assert (told == expected[0]).all(), settings
        # Naive Bayes rounds what is 2^28 times as small as the largest number of a block, which one example does not know.
        np.testing.assert_allclose(shares, expected[1], rtol=1e-9, atol=1e-15, err_msg=f"{settings}")
        assert (model.predict_proba(X) == plain.predict_proba(X)).all(), settings


def test_these_learn_late_labels_in_one_call_a_block():
    able = set()
    for method in {case[0] for case in CASES}:
        model = learner(method, first_base(method)).fit(X, Y)
        able |= {method} if hasattr(model, "predict_late_then_learn") else set()
    bagging = {"online_bagging", "online_bayesian_bagging", "fixed_fraction_bagging"}
    boosting = {"online_boosting", "primed_online_boosting"}
    assert able == {"single", "adwin_bagging", "leveraging_bagging"} | bagging | boosting


LATE = [
    *(("online_bagging", base, {}) for base in BASES),
    ("online_bagging", "naive_bayes", {"vote": "hard"}),
    ("online_bagging", "naive_bayes", {"vote": "hard", "n_estimators": 2}),
    ("online_bagging", "naive_bayes", {"vote": "soft", "n_jobs": 2}),
    ("online_bagging", "hoeffding_tree", {"vote": "hard", "n_jobs": 2}),
    ("online_bayesian_bagging", "naive_bayes", {}),
    ("fixed_fraction_bagging", "decision_stump", {}),
    ("online_boosting", "naive_bayes", {"vote": "soft", "norm": "examples"}),
    ("online_boosting", "naive_bayes", {"draw": "pure"}),
    ("online_boosting", "hoeffding_tree", {"vote": "soft", "n_estimators": 5, "n_jobs": 2}),
    ("online_boosting", "perceptron", {}),
    ("adwin_bagging", "hoeffding_tree", {"vote": "soft"}),
    ("adwin_bagging", "naive_bayes", {"tested": "after", "delta": 1.0}),
    ("leveraging_bagging", "naive_bayes", {"output_codes": True}),
]


@pytest.mark.parametrize(("method", "base", "settings"), LATE, ids=str)
def test_ensembles_learn_late_labels_in_one_call_a_block_and_says_the_same(method, base, settings, monkeypatch):
    calls = []
    whole = OnlineEnsemble.learn_batch
    monkeypatch.setattr(OnlineEnsemble, "learn_batch", lambda *given: calls.append(1) or whole(*given))
    for delay, share in ((2, 1.0), (7, 0.5)):
        model, plain = (learner(method, base, **settings) for _ in range(2))
        calls.clear()
        told, shares = through(way_of(model, delay, share), sizes=(12, 138))
        expected = plainly(plain, delay, share)
        assert (told == expected[0]).all()
        assert (shares == expected[1]).all()
        assert (model.predict_proba(X) == plain.predict_proba(X)).all()
        # where values have slots of their own, it would matter when they were seen first
        assert (len(calls) > 12) is hasattr(model._members, "slots")


BASES = ["naive_bayes", "hoeffding_tree"]
SIZES = [(1, 8192, 8192), (10, 3276, 8192), (100, 327, 8192), (900, 256, 1820)]  # members, of naive Bayes and of trees


@pytest.mark.parametrize(
    ("members", "base", "size"), [(m, *one) for m, *n in SIZES for one in zip(BASES, n, strict=True)]
)
def test_few_members_see_more_examples_at_a_time(members, base, size):
    model = make_learner("online_bagging", base, settings={"n_estimators": members})
    way = way_of(model, 0, 1.0)
    assert way.next_size == 1, "the first alone"
    way.take(X.take(slice(0, 1)), Y[:1])
    assert way.next_size == size
    assert way_of(model, 1, 1.0).next_size == 256, "labels that come late are learned one by one"


@pytest.mark.parametrize(
    ("members", "position", "width", "size"),
    [
        (10, 100, 3, 8192),
        (10, 65_535, 3, 8192),
        (10, 200_000, 3, 25_000),
        (10, 10**6, 3, 125_000),
        (1, 10**9, 3, 131_072),
        (100, 10**6, 3, 16_384),
        (5000, 10**6, 3, 1024),
        (10, 10**6, 598, 13_981),
        (10, 10**6, 6000, 8192),
    ],
)
def test_trees_see_more_at_a_time_the_more_they_have_seen(members, position, width, size):
    model = make_learner("online_bagging", "hoeffding_tree", settings={"n_estimators": members})
    way = way_of(model, 0, 1.0)
    way.take(X.take(slice(0, 1)), Y[:1])
    way.position, model.n_features_in_ = position, width
    assert way.next_size == size


@pytest.mark.parametrize(("position", "size"), [(100, 256), (100_000, 781), (10**7, 78_125), (10**9, 131_072)])
def test_where_trees_begin_anew_is_known_to_a_hundredth(position, size):
    model = make_learner("adaptive_random_forest", "hoeffding_tree", settings={"n_estimators": 10})
    way = way_of(model, 0, 1.0)
    way.take(X.take(slice(0, 1)), Y[:1])
    way.position = position
    assert way.next_size == size


def test_a_pass_goes_on_in_the_middle_with_labels_that_still_wait():
    model, whole = learner("online_bagging"), learner("online_bagging")
    expected = through(way_of(whole, 20, 0.5))
    way = way_of(model, 20, 0.5)
    way.learn_head(X, Y)
    first, _ = way.take(X.take(slice(0, 60)), Y[:60])
    later = way_of(model, 20, 0.5)
    later.go_on_from(60, (X.take(slice(40, 60)), Y[40:60]), [])
    rest, _ = later.take(X.take(slice(60, N)), Y[60:])
    assert (np.concatenate([first, rest]) == expected[0]).all()
    assert (model.predict_proba(X) == whole.predict_proba(X)).all()


def test_blocks_are_cut_whatever_the_batches():
    cuts = [0, 1, 1, 50, 57, 140, N]
    batches = ((X.take(slice(a, b)), Y[a:b]) for a, b in pairwise(cuts))
    blocks = Blocks(batches)
    taken = [blocks.take(n) for n in (1, 64, 64, 64)]
    assert [len(labels) for _, labels in taken] == [1, 64, 64, 21]
    assert (np.concatenate([labels for _, labels in taken]) == Y).all()
    assert np.array_equal(np.concatenate([table.numbers for table, _ in taken]), X.numbers, equal_nan=True)
    assert blocks.take(5) is None
