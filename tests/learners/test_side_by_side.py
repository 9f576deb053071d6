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
)


def nominal_table(seed, n, n_nominal, n_classes, *, sure=0.3):
    """Return a table of nominal attributes and labels: a value is that of its class with a chance of `sure`, or any."""
    rng = np.random.default_rng(seed)
    labels, sizes = rng.integers(0, n_classes, n), rng.integers(1, 5, n_nominal)
    own = rng.integers(0, sizes, (n_classes, n_nominal))[labels]
    codes = np.where(rng.random((n, n_nominal)) < sure, own, rng.integers(0, sizes, (n, n_nominal)))
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


@pytest.mark.parametrize("sure", [0.3, 1.0])
@pytest.mark.parametrize(("n_nominal", "n_classes"), [*SHAPES, (400, 2)])
def test_probabilities_of_all_members_are_those_of_each(n_nominal, n_classes, sure):
    table, labels = nominal_table(n_nominal, 25, n_nominal, n_classes, sure=sure)
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


@pytest.mark.parametrize("n_nominal", [0, 3])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.8, 0.14, 0.03, 0.03)])
@pytest.mark.parametrize("settings", [{}, {"prior": "equal"}, {"smoothing": "none"}, {"variance_floor": 0.2}])
def test_likelihoods_of_all_members_are_those_of_each(n_nominal, shares, settings):
    n_classes, rng = len(shares), np.random.default_rng(n_nominal)
    nominal, _ = nominal_table(8, 80, n_nominal, n_classes)
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


@pytest.mark.parametrize(("n_nominal", "n_classes"), [*SHAPES, (400, 2)])
def test_what_is_foreseen_of_members_comes_true(n_nominal, n_classes):
    table, labels = nominal_table(n_nominal, 200, n_nominal, n_classes)
    members, rows = taught(4, table, labels, 9, n_classes)
    work, hits, told = np.empty((4, n_classes)), np.empty(9), []
    for i in range(0, 200, 20):
        label = int(labels[i] + i % 3) % n_classes  # now and then another than members would guess
        assert foresee_hits(members, rows, i, label, hits)
        told.append(hits.copy())
        for weight in (0.0, 1.0, 2.0, MOST_FORESEEN, 50.0):
            learned = deepcopy(members)
            for m in np.flatnonzero((hits > 0.0) | ((hits == 0.0) & (weight <= MOST_FORESEEN))):
                predicted = predict_and_learn(learned, m, rows, i, label, weight, True, work)
                assert (predicted == label) == (hits[m] == 1.0)
    told = np.array(told)
    assert set(np.unique(told)) == {-1.0, 0.0, 1.0}
    assert (told[:, 0] == -1.0).all()  # of the member that learned nothing nothing is known
    assert (told[:, 1:] >= 0.0).mean() > 0.5


@pytest.mark.parametrize(
    "settings", [{"smoothing": "laplace_m"}, {"smoothing": "none"}, {"smoothing": "literal"}, {"prior": "equal"}]
)
def test_nothing_is_foreseen_where_more_of_a_class_may_make_it_less_likely(settings):
    table, labels = nominal_table(5, 20, 4, 2)
    members, rows = taught(5, table, labels, 3, 2, **settings)
    assert not foresee_hits(members, rows, 0, 0, np.empty(3))


def test_nothing_is_foreseen_where_values_are_missing_or_numbers():
    table, labels = nominal_table(5, 20, 4, 2)
    table.codes[3, 2] = -1
    assert not foresee_hits(*taught(5, table, labels, 3, 2), 0, 0, np.empty(3))
    numbers = Table(Schema((Attribute("x", "numeric"),)), np.empty((20, 0), np.int32), np.arange(20.0)[:, None])
    assert not foresee_hits(*taught(5, numbers, labels, 3, 2), 0, 0, np.empty(3))


def test_members_that_know_one_class_only_are_asked():
    table, _ = nominal_table(6, 20, 4, 1)
    assert not foresee_hits(*taught(6, table, np.zeros(20, dtype=np.int64), 3, 1), 0, 0, np.empty(3))


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
