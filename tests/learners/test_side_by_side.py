"""What naive Bayes says of all members at once is what each says by itself, to the last bit."""

from copy import deepcopy

import numba
import numpy as np
import pytest

from ensembles import NaiveBayesClassifier, OnlineBoostingClassifier
from ensembles.data.table import Attribute, Schema, Table
from ensembles.learners.core.protocol import (
    MOST_FORESEEN,
    add_probabilities,
    foresee_hits,
    learn_all,
    learn_one,
    predict_and_learn,
    predict_proba_one,
    prepare_example,
)

NOBODY = np.empty(0), np.empty((5, 0)), np.empty(0)  #: who votes, room, votes: none votes in turn


def nominal_table(seed, n, n_nominal, n_classes, *, sure=0.3, missing=0.0):
    """Return a table of nominal attributes and labels: a value is that of its class with a chance of `sure`, or any.

    In every other attribute values are missing with a chance of `missing`, more often in the first class.
    """
    rng = np.random.default_rng(seed)
    labels, sizes = rng.integers(0, n_classes, n), rng.integers(1, 5, n_nominal)
    own = rng.integers(0, sizes, (n_classes, n_nominal))[labels]
    codes = np.where(rng.random((n, n_nominal)) < sure, own, rng.integers(0, sizes, (n, n_nominal)))
    gaps = rng.random((n, n_nominal)) < missing / (1.0 + labels[:, None])
    codes[:, ::2][gaps[:, ::2]] = -1
    names = tuple(Attribute(f"a{a}", "nominal", tuple("abcd"[:size])) for a, size in enumerate(sizes))
    return Table(Schema(names), codes.astype(np.int32), np.empty((n, 0))), labels


def taught(seed, table, labels, n_members, n_classes, **settings):
    """Return members that learned some of the examples each, and the rows."""
    model = NaiveBayesClassifier(**settings)
    members = model.ensure_capacity(model.init_members(n_members, table.schema, n_classes, batch=False), table)
    rows, rng = model.rows(members, table, learning=True), np.random.default_rng(seed)
    for i, label in enumerate(labels):
        weights = rng.choice([0.0, 1.0, 2.5], n_members, p=[0.5, 0.3, 0.2])
        weights[0] = 0.0  # the first learns nothing
        learn_all(members, rows, i, label, weights)
    return members, rows


SHAPES = [(3, 2), (16, 3), (21, 2), (40, 4)]


@pytest.mark.parametrize(("n_nominal", "n_classes"), SHAPES)
def test_all_members_learn_an_example_as_one_by_one(n_nominal, n_classes):
    table, labels = nominal_table(1, 30, n_nominal, n_classes)
    table.codes[::7, 1] = -1
    together, rows = taught(2, table, labels, 5, n_classes)
    apart = deepcopy(together)
    learn_all(together, rows, 3, 1, np.array([0.0, 1.0, 0.5, 0.0, 3.0]))
    for m, weight in ((1, 1.0), (2, 0.5), (4, 3.0)):
        learn_one(apart, m, rows, 3, 1, weight)
    for name in ("cells", "absent", "totals"):
        assert (getattr(together, name) == getattr(apart, name)).all()


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("sure", [0.3, 1.0])
@pytest.mark.parametrize(("n_nominal", "n_classes"), [*SHAPES, (400, 2)])
def test_probabilities_of_all_members_are_those_of_each(n_nominal, n_classes, sure, missing):
    table, labels = nominal_table(n_nominal, 25, n_nominal, n_classes, sure=sure, missing=missing)
    members, rows = taught(3, table, labels, 6, n_classes)
    rows.codes[4, ::3], rows.codes[5, ::2] = -1, -2  # not known, never seen
    work, told = np.empty((5, n_classes)), np.empty(n_classes)
    for n_voting in (0, 1, 6):
        weights = np.arange(1.0, n_voting + 1.0) / 3.0
        for i in range(25):
            votes, expected = np.zeros(n_classes), np.zeros(n_classes)
            add_probabilities(members, weights, rows, i, work, votes)
            for m in range(n_voting):
                predict_proba_one(members, m, rows, i, work, told)
                expected += weights[m] * told
            assert (votes == expected).all()


@pytest.mark.parametrize(("n_nominal", "missing"), [(0, 0.0), (3, 0.0), (3, 0.4)])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.8, 0.14, 0.03, 0.03)])
@pytest.mark.parametrize("settings", [{}, {"prior": "equal"}, {"smoothing": "none"}, {"variance_floor": 0.2}])
def test_likelihoods_of_all_members_are_those_of_each(n_nominal, missing, shares, settings):
    n_classes, rng = len(shares), np.random.default_rng(n_nominal)
    nominal, _ = nominal_table(8, 80, n_nominal, n_classes, missing=missing)
    labels = rng.choice(n_classes, 80, p=shares)
    numbers = np.round(2 * rng.normal(size=(80, 5)) + labels[:, None] * [0, 1, 2, 30, 1000])
    numbers[::9, 1] = np.nan
    schema = Schema((*nominal.schema.attributes, *(Attribute(f"x{n}", "numeric") for n in range(5))))
    members, rows = taught(8, Table(schema, nominal.codes, numbers), labels[:40], 6, n_classes, **settings)
    apart = deepcopy(members)  # who is asked may look at variances anew
    weights, work, told = np.arange(1.0, 7.0) / 3.0, np.empty((5, n_classes)), np.empty(n_classes)
    for i in range(80):
        votes, expected = np.zeros(n_classes), np.zeros(n_classes)
        add_probabilities(members, weights, rows, i, work, votes)
        for m in range(6):
            predict_proba_one(apart, m, rows, i, work, told)
            expected += weights[m] * told
        assert (votes == expected).all()
        for each in (members, apart):
            learn_one(each, i % 6, rows, i, labels[i], 1.0)


def check_foreseen(members, rows, examples, n_classes):
    """Return what is foreseen of members for some examples, given with a class, once it was seen to come true."""
    work, told = np.empty((4, n_classes)), []
    for i, label in examples:
        hits = np.empty((2, len(members.totals)))
        assert foresee_hits(members, rows, i, label, hits, *NOBODY)
        told.append(hits[0])
        for weight in (0.0, 1.0, MOST_FORESEEN, 50.0, 1e6):
            learned = deepcopy(members)
            for m in np.flatnonzero(weight <= hits[0]):
                predicted = predict_and_learn(learned, m, prepared(learned, rows, i), i, label, weight, True, work)
                assert (predicted == label) == (hits[1, m] == 1.0)
    return np.array(told)


def prepared(members, rows, i):
    prepare_example(members, rows, i)
    return rows


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize(("n_nominal", "n_classes"), [*SHAPES, (400, 2)])
def test_what_is_foreseen_of_members_comes_true(n_nominal, n_classes, missing):
    table, labels = nominal_table(n_nominal, 200, n_nominal, n_classes, missing=missing)
    members, rows = taught(4, table, labels, 9, n_classes)
    examples = [(i, int(labels[i] + i % 3) % n_classes) for i in range(0, 200, 20)]  # some not as members would guess
    told = check_foreseen(members, rows, examples, n_classes)
    assert set(np.unique(told)) == {-1.0, MOST_FORESEEN, np.inf}
    assert (told[:, 0] == -1.0).all()  # of the member that learned nothing nothing is known
    assert (told[:, 1:] >= 0.0).mean() > 0.5


@pytest.mark.parametrize("scale", [1.0, 1e6])
@pytest.mark.parametrize(("n_nominal", "missing"), [(0, 0.0), (3, 0.0), (3, 0.4)])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.6, 0.3, 0.07, 0.03)])
def test_what_is_foreseen_by_numbers_comes_true(shares, n_nominal, missing, scale):
    n_classes, rng = len(shares), np.random.default_rng(n_nominal)
    nominal, _ = nominal_table(8, 150, n_nominal, n_classes, missing=missing)
    labels = rng.choice(n_classes, 150, p=shares)
    numbers = scale * (rng.normal(size=(150, 4)) + labels[:, None] * [0.0, 0.3, 1.0, -0.5])
    numbers[::7] *= 3.0
    schema = Schema((*nominal.schema.attributes, *(Attribute(f"x{n}", "numeric") for n in range(4))))
    members, rows = taught(8, Table(schema, nominal.codes, numbers), labels[:100], 6, n_classes)
    told = check_foreseen(members, rows, [(i, int(labels[i] + i % 3) % n_classes) for i in range(0, 150, 5)], n_classes)
    assert {0.0, MOST_FORESEEN, np.inf} <= set(np.unique(told))
    assert (told[:, 0] == -1.0).all()
    assert (told[:, 1:] >= 0.0).mean() > 0.5


@pytest.mark.parametrize("n_rare", [30, 105, 106, 110, 250])
def test_products_of_different_exponents_are_compared(n_rare):
    n = n_rare + 3  # each rare value multiplies the product of its class by 1/32, so that it leaves the range, or twice
    schema = Schema(tuple(Attribute(f"a{a}", "nominal", ("a", "b")) for a in range(n)))
    codes, labels = np.repeat([0, 1], 30)[:, None].repeat(n, axis=1), np.repeat([0, 1], 30)
    codes[0, :n_rare] = 1
    table = Table(schema, codes.astype(np.int32), np.empty((60, 0)))
    members = NaiveBayesClassifier().init_members(2, schema, 2, batch=False)
    rows = NaiveBayesClassifier().rows(members, table, learning=True)
    for i in range(1, 60):
        learn_all(members, rows, i, labels[i], np.ones(2))
    told = check_foreseen(members, rows, [(0, 0), (0, 1)], 2)
    assert (told[1] == np.inf).all()


@pytest.mark.parametrize("share", [1e-9, 0.05])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_is_foreseen_of_classes_at_a_floor_comes_true(n_classes, share):
    rng, labels = np.random.default_rng(3), np.arange(300) % n_classes
    numbers = rng.normal(size=(300, 12)) + 0.5 * labels[:, None]
    rare = rng.random((300, 6)) < 0.02 * (labels[:, None] != 1)  # in class 1 these numbers never vary
    numbers[:, :6] = np.where(rare, np.abs(numbers[:, :6]), 0.0)
    numbers[::17, 3] = 10.0 ** rng.uniform(-6, 0, len(numbers[::17])) * (labels[::17] != 1)
    table = Table(
        Schema(tuple(Attribute(f"x{n}", "numeric") for n in range(12))), np.empty((300, 0), np.int32), numbers
    )
    members, rows = taught(9, table, labels[:250], 5, n_classes, variance_floor=share)
    told = check_foreseen(members, rows, [(i, i % n_classes) for i in range(250, 300)], n_classes)
    assert (members.near[1:, 1] > 0).all()
    assert {MOST_FORESEEN} <= set(np.unique(told[:, 1:]))
    assert (told[:, 1:] >= 0.0).mean() > 0.5


@pytest.mark.parametrize("n_nominal", [0, 600])
def test_what_is_foreseen_beside_a_class_that_hardly_varies_comes_true(n_nominal):
    rng, labels = np.random.default_rng(1), np.repeat([0, 1, 2], [60, 20, 10])
    nominal, _ = nominal_table(8, 90, n_nominal, 3, sure=0.0)
    numbers = rng.normal(size=(90, 2)) + labels[:, None]
    numbers[labels == 2] = 0.5
    numbers[:40] = 0.5 + 10.0 ** rng.uniform(-6, -3, (40, 1))
    schema = Schema((*nominal.schema.attributes, *(Attribute(f"x{n}", "numeric") for n in range(2))))
    members, rows = taught(8, Table(schema, nominal.codes, numbers), labels, 4, 3)
    told = check_foreseen(members, rows, [(i, i % 3) for i in range(0, 90, 5)], 3)
    assert {-1.0, MOST_FORESEEN, np.inf} <= set(np.unique(told[:, 1:]))


def test_all_members_know_when_a_floor_has_risen():
    numbers = np.array([*np.tile([-1.0, 1.0], 10), *[0.5] * 5, 100.0, 0.5014])[:, None]
    table = Table(Schema((Attribute("x", "numeric"),)), np.empty((27, 0), np.int32), numbers)
    members, rows = taught(5, table, np.repeat([0, 1], [20, 5]), 3, 2)
    work, told, votes, expected = np.empty((5, 2)), np.empty(2), np.zeros(2), np.zeros(2)
    for _ in range(2):  # the floor decides, and is known then
        add_probabilities(members, np.ones(3), rows, 24, work, votes)
    learn_all(members, rows, 25, 0, np.ones(3))
    apart, votes = deepcopy(members), np.zeros(2)
    add_probabilities(members, np.ones(3), rows, 26, work, votes)
    for m in range(3):
        predict_proba_one(apart, m, rows, 26, work, told)
        expected += told
    assert (votes == expected).all()


def test_a_class_that_a_floor_may_decide_is_asked():
    table = Table(Schema((Attribute("x", "numeric"),)), np.empty((40, 0), np.int32), np.arange(40.0)[:, None] % 7)
    labels = np.array([0] * 39 + [1])
    members, rows = taught(5, table, labels, 3, 2)
    hits = np.empty((2, 3))
    assert foresee_hits(members, rows, 39, 1, hits, *NOBODY)
    assert (hits[0, 1:] == -1.0).all()


@pytest.mark.parametrize(
    "settings", [{"smoothing": "laplace_m"}, {"smoothing": "none"}, {"smoothing": "literal"}, {"prior": "equal"}]
)
def test_nothing_is_foreseen_where_more_of_a_class_may_make_it_less_likely(settings):
    table, labels = nominal_table(5, 20, 4, 2)
    members, rows = taught(5, table, labels, 3, 2, **settings)
    assert not foresee_hits(members, rows, 0, 0, np.empty((2, 3)), *NOBODY)


@pytest.mark.parametrize("settings", [{"flat_numbers": "skip"}, {"prior": "equal"}, {"smoothing": "none"}])
def test_nothing_is_foreseen_by_numbers_that_may_be_left_out(settings):
    table, labels = numbers_around(0.0)
    assert not foresee_hits(*taught(5, table, labels, 3, 2, **settings), 0, 0, np.empty((2, 3)), *NOBODY)


def test_nothing_is_foreseen_by_numbers_that_are_missing_or_far_from_zero():
    table, labels = numbers_around(0.0)
    assert foresee_hits(*taught(5, table, labels, 3, 2), 0, 0, np.empty((2, 3)), *NOBODY)
    table.numbers[3] = np.nan
    assert not foresee_hits(*taught(5, table, labels, 3, 2), 0, 0, np.empty((2, 3)), *NOBODY)
    assert not foresee_hits(*taught(5, *numbers_around(1e5), 3, 2), 0, 0, np.empty((2, 3)), *NOBODY)


def numbers_around(centre):
    """Return a table of one number and labels."""
    numbers = centre + np.arange(20.0)[:, None] % 5
    return Table(Schema((Attribute("x", "numeric"),)), np.empty((20, 0), np.int32), numbers), np.arange(20) % 2


def test_members_that_know_one_class_only_are_asked():
    table, _ = nominal_table(6, 20, 4, 1)
    assert not foresee_hits(*taught(6, table, np.zeros(20, dtype=np.int64), 3, 1), 0, 0, np.empty((2, 3)), *NOBODY)


@pytest.mark.parametrize("norm", ["thesis", "examples"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_boosting_is_the_same_whether_it_foresees_or_asks(n_classes, norm):
    table, labels = nominal_table(7, 300, 18, n_classes)
    models = [OnlineBoostingClassifier(n_estimators=9, norm=norm, random_state=1) for _ in range(2)]
    models[1].keep_weights = True  # each weight is written down before the member is asked
    for model in models:
        model.fit(table, labels)
    told, asked = (model._chain for model in models)
    assert all((one == other).all() for one, other in zip(told, asked, strict=True))
    assert (models[0].predict_proba(table) == models[1].predict_proba(table)).all()


@pytest.mark.parametrize("n_values", [(), (1,), (3, 2)])
@pytest.mark.parametrize("n_numbers", [0, 1, 2])
@pytest.mark.parametrize(("n_members", "n_classes"), [(1, 1), (1, 2), (2, 1)])
def test_members_of_any_size_are_of_one_type_so_that_kernels_are_compiled_once(
    n_members, n_classes, n_values, n_numbers
):
    attributes = [Attribute(f"a{a}", "nominal", tuple("abc"[:n])) for a, n in enumerate(n_values)]
    attributes += [Attribute(f"n{n}", "numeric") for n in range(n_numbers)]
    few = NaiveBayesClassifier().init_members(n_members, Schema(tuple(attributes)), n_classes, batch=False)
    many = NaiveBayesClassifier().init_members(5, nominal_table(0, 9, 4, 3)[0].schema, 3, batch=False)
    assert numba.typeof(few) == numba.typeof(many)
