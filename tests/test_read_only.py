"""Examples and models in memory that cannot be written to, as other processes share it."""

import copy

import joblib
import numpy as np
import pytest

from ensembles.data.table import Table
from tests.examples import random_examples, random_table
from tests.test_laws import ONLINE, PAIRS, learner
from tests.test_state import answers_of, assert_same


def read_only(values):
    values = np.array(values)
    values.flags.writeable = False
    return values


def mapped(values, folder):
    """Return the array as a memory map that is read only."""
    np.save(folder / "values.npy", values)
    return np.load(folder / "values.npy", mmap_mode="r")


@pytest.mark.parametrize(("method", "base"), PAIRS)
def test_read_only_arrays_and_memory_maps_are_learned_alike(method, base, tmp_path):
    X, y, weights = random_examples(30, nominal=0)
    X = X.to_numpy()
    for frozen in (read_only(X), mapped(X, tmp_path)):
        model, twin = learner(method, base), learner(method, base)
        model.fit(frozen, read_only(y), read_only(weights))
        twin.fit(X, y, weights)
        if (method, base) in ONLINE:
            model.partial_fit(frozen, read_only(y), sample_weight=read_only(weights))
            twin.partial_fit(X, y, sample_weight=weights)
        assert_same(answers_of(twin, X, y), answers_of(model, frozen, read_only(y)))


@pytest.mark.parametrize(("method", "base"), PAIRS)
def test_read_only_tables_are_learned_alike(method, base):
    table, y, _ = random_table(31)
    frozen = Table(table.schema, read_only(table.codes), read_only(table.numbers))
    model, twin = learner(method, base).fit(frozen, read_only(y)), learner(method, base).fit(table, y)
    for name in ("partial_fit", "learn_batch", "predict_then_learn"):
        if (method, base) in ONLINE and hasattr(model, name):
            getattr(model, name)(frozen, read_only(y.astype(np.int64)))
            getattr(twin, name)(table, y.astype(np.int64))
    assert_same(answers_of(twin, table, y), answers_of(model, frozen, read_only(y)))


@pytest.mark.parametrize(("method", "base"), PAIRS)
def test_a_model_in_a_memory_map_predicts_and_learns_on(method, base, tmp_path):
    X, y, _ = random_table(36)
    model = learner(method, base).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for _ in range(2):
        mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
        if (method, base) in ONLINE:
            mapped.partial_fit(X, y)
            assert (mapped.predict_proba(X) == copy.deepcopy(model).partial_fit(X, y).predict_proba(X)).all()
        mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
        assert (mapped.predict_proba(X) == model.predict_proba(X)).all()
