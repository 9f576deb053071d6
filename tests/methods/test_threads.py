"""Threads over members: the same results as of one thread, to the last bit, and nothing left behind when one fails."""

import pickle
import threading
import time

import numpy as np
import pytest

from ensembles.errors import InvalidParameter
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.sharing import sharing_of
from ensembles.learners.hoeffding import capacity
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.learners.hoeffding.sharing import PoolSharing
from ensembles.methods.bagging.online_bagging import OnlineBaggingClassifier
from ensembles.methods.boosting.online_boosting import OnlineBoostingClassifier
from ensembles.methods.core import online
from ensembles.methods.core.threads import bounds_of, by_ranges, in_stages, in_turn, one_ahead
from ensembles.registry import base_models, find_learner, methods
from tests.examples import random_examples, random_table
from tests.test_laws import learner

#: Methods whose members threads share; where a library does it, that is no matter of ours.
THREADED = [key for key, entry in methods().items() if "n_jobs" in entry.cls._declared and entry.cls.takes_base]

#: One of each kind of members that is shared in a way of its own, and one that is not shared.
KINDS = ["hoeffding_tree", "extremely_fast_tree", "neural_network", "decision_stump", "mondrian_tree", "decision_tree"]

PAIRS = [(key, (methods()[key].cls.only_bases or ("naive_bayes",))[0]) for key in THREADED] + [
    *(("online_boosting", base) for base in [*KINDS, "perceptron"]),
    *(("bagging", base) for base in [*KINDS, "pruned_tree", "gaussian_naive_bayes"] if base in base_models()),
    ("adaptive_random_forest", "extremely_fast_tree"),
    ("random_subspaces", "hoeffding_tree"),
]


def told(key, base, n_jobs):
    """Return what an ensemble says after, and if it learns online while, it learns examples."""
    X, y, _ = random_examples(5, n=420, missing=0.03)
    model = methods()[key].cls(base_models()[base].cls(), n_estimators=9, random_state=3, n_jobs=n_jobs)
    model.fit(X[:300], y[:300])
    said = [model.predict_proba(X)]
    if hasattr(model, "predict_then_learn"):
        table = model._encoded(X[300:])
        said += model.predict_then_learn(table, np.searchsorted(model.classes_, y[300:]))
    return [*said, model.predict_proba(X), model.member_weights_, model.member_errors_]


@pytest.mark.parametrize(("key", "base"), PAIRS)
def test_threads_change_no_bit(key, base, monkeypatch):
    monkeypatch.setattr("ensembles.methods.core.threads._MANY", 64)  # so that threads are asked for few examples, too
    one, three = told(key, base, None), told(key, base, 3)
    for alone, together in zip(one, three, strict=True):
        np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("base", ["naive_bayes", "perceptron", *KINDS[:5]])
def test_threads_that_ask_members_write_to_their_room_alone(base, monkeypatch):
    monkeypatch.setattr("ensembles.methods.core.threads._MANY", 64)
    X, y, _ = random_examples(5, n=420, missing=0.03)
    model = OnlineBaggingClassifier(base_models()[base].cls(), n_estimators=3, random_state=3, n_jobs=2).fit(X, y)
    sharing, ask, written = sharing_of(model._members), BaseModel.votes_of, []
    shared = set(model._members._fields) - {*sharing.room, *sharing.tables}

    def watched(self, members, *given, **settings):
        before = {name: pickle.dumps(getattr(members, name)) for name in shared}
        votes = ask(self, members, *given, **settings)
        written.append([name for name in shared if pickle.dumps(getattr(members, name)) != before[name]])
        return votes

    monkeypatch.setattr(BaseModel, "votes_of", watched)
    model.predict(X)
    assert written == [[]] * 7


def test_trees_share_a_pool_that_is_nearly_used_up(monkeypatch):
    X, y, _ = random_examples(6, n=400, missing=0.0)
    told = []
    for n_jobs in (1, 4):
        model = OnlineBaggingClassifier(HoeffdingTreeClassifier(), n_estimators=12, random_state=1, n_jobs=n_jobs)
        model.partial_fit(X[:10], y[:10], classes=np.unique(y))
        monkeypatch.setattr(capacity, "POOL", 30 * model._members.table_bytes)
        model.partial_fit(X, y)
        told.append((model.predict_proba(X), model.member_sizes_))
        monkeypatch.undo()
        assert len(model._members.spare) < 12 * 64  # too few for threads to deal out
    np.testing.assert_array_equal(told[0][0], told[1][0])
    assert told[0][1] == told[1][1]


def test_tables_of_trees_that_threads_grew_lie_together_and_none_is_lost():
    X, y, _ = random_examples(9, n=3000, missing=0.0)
    in_use, ever = [], []
    for n_jobs in (1, 3):
        model = OnlineBaggingClassifier(HoeffdingTreeClassifier(grace_period=20), 12, random_state=1, n_jobs=n_jobs)
        returned, used = model.fit(X, y)._members.stock
        assert len({*model._members.spare[:returned].tolist()}) == returned
        in_use.append(used - returned)
        ever.append(used)
    assert in_use[0] == in_use[1] > 24
    assert ever[0] <= ever[1] <= 3 * ever[0]


def test_each_stage_takes_the_blocks_in_order_and_after_the_stage_before():
    way, lock = [], threading.Lock()

    def stage(number):
        def work(block):
            time.sleep(0.001 * ((7 * block + 3 * number) % 4))
            with lock:
                way.append((number, block))

        return work

    in_stages(range(12), [stage(number) for number in range(5)], 3)
    assert len(way) == 60
    place = {step: at for at, step in enumerate(way)}
    for number, block in way:
        assert number == 0 or place[number - 1, block] < place[number, block]
        assert block == 0 or place[number, block - 1] < place[number, block]


@pytest.mark.parametrize("who", ["blocks", "first stage", "last stage"])
def test_what_goes_wrong_is_raised_and_no_thread_is_left(who):
    def blocks():
        for block in range(50):
            if who == "blocks" and block == 20:
                raise ValueError("no more")
            yield block

    def work(number):
        def take(block):
            if who == ("first stage", "last stage")[number] and block == 20:
                raise ValueError("no more")

        return take

    before = threading.active_count()
    with pytest.raises(ValueError, match="no more"):
        in_stages(blocks(), [work(0), work(1)], 4)
    assert threading.active_count() == before


def test_threads_take_numbers_and_ranges_in_turn():
    assert [*in_turn(lambda number: -number, range(20), 3)] == [-number for number in range(20)]
    assert [*one_ahead(iter("abc"), 1)] == [*one_ahead(iter("abc"), 2)] == ["a", "b", "c"]
    taken = []
    assert [*by_ranges(lambda *given: taken.append(given), 10, 2, "all")] == [stop for _, stop in bounds_of(10, 2, 1)]
    assert sorted(taken) == [(*each, "all") for each in bounds_of(10, 2, 1)]


@pytest.mark.parametrize("n_members", [1, 2, 3, 17, 100])
@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_stages_hold_all_members_and_two_at_least(n_members, n_threads):
    bounds = bounds_of(n_members, n_threads)
    assert [first for first, _ in bounds] == [0, *(stop for _, stop in bounds[:-1])]
    assert bounds[-1][1] == n_members
    assert len(bounds) == 1 or min(stop - first for first, stop in bounds) >= 2


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_numbers_of_threads_that_are_none_are_refused(n_jobs):
    model = OnlineBaggingClassifier(n_jobs=n_jobs)
    with pytest.raises(InvalidParameter, match="online_bagging: n_jobs must be None or an integer other than 0, got"):
        model.fit([[0.0], [1.0]], [0, 1])


def test_numbers_of_threads_may_be_of_numpy_as_those_of_members():
    X, y, _ = random_examples(7, n=100)
    given = {"n_estimators": np.int64(6), "random_state": 0}
    model, other = (OnlineBaggingClassifier(n_jobs=n_jobs, **given).fit(X, y) for n_jobs in (np.int64(2), 2))
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))


def test_threads_may_be_as_many_as_processors_and_change_between_calls():
    X, y, _ = random_examples(7, n=300)
    model = OnlineBoostingClassifier(n_estimators=6, random_state=0).fit(X, y)
    other = OnlineBoostingClassifier(n_estimators=6, random_state=0, n_jobs=-1).fit(X, y)
    model.set_params(n_jobs=2).partial_fit(X, y)
    other.set_params(n_jobs=None).partial_fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))


def test_an_interrupt_in_threads_leaves_a_model_that_has_learned_nothing():
    X, y, _ = random_examples(8, n=900)
    model = OnlineBaggingClassifier(n_estimators=6, random_state=0, n_jobs=2).fit(X, y)

    def stop(_):
        raise KeyboardInterrupt

    model.on_progress = stop
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)
    assert threading.active_count() == before
    assert not hasattr(model, "classes_")


def test_few_examples_at_a_time_go_through_the_pipeline_in_many_blocks(monkeypatch):
    X, y, _ = random_examples(6, n=300)
    model, handed = OnlineBaggingClassifier(HoeffdingTreeClassifier(), n_estimators=8, random_state=3, n_jobs=2), []

    def count(blocks, stages, n_threads):
        handed.append([*blocks])
        in_stages(handed[-1], stages, n_threads)

    monkeypatch.setattr(online, "in_stages", count)
    monkeypatch.setattr(PoolSharing, "most_examples", lambda *_: 240)
    model.fit(X, y)
    assert [len(draws) for _, draws in handed[0]] == [20] * 12


@pytest.mark.parametrize("base", [key for key, entry in base_models().items() if entry.online])
def test_a_base_model_is_asked_with_room_of_the_call(base):
    X, y, _ = random_table(25, n_classes=2)
    assert_own_room(find_learner(base).cls().fit(X, y), X)


@pytest.mark.parametrize("method", ["osboost", "ogboost", "online_mbbm", "adaboost_olm"])
def test_chains_are_asked_with_room_of_the_call(method):
    X, y, _ = random_table(26, n_classes=2)
    assert_own_room(learner(method, "perceptron").fit(X, y), X)


def assert_own_room(model, X):
    """Check that predicting leaves the room of the model's members alone: other threads may ask the model meanwhile."""
    told = model.predict_proba(X)
    room = [getattr(model._members, name) for name in sharing_of(model._members).room]
    for array in room:
        array.fill(1)
    assert (model.predict_proba(X) == told).all()
    assert all((array == 1).all() for array in room)
