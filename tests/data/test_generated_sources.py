"""Generators as sources: the same rows wherever one starts, and those of the data set in memory where that is promised."""

import pickle
from itertools import islice

import numpy as np
import pytest

from ensembles.data.catalogue import is_source, load_dataset, open_source
from ensembles.data.generators import GENERATORS, source
from ensembles.errors import InvalidParameter
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.estimate import estimate_seconds
from ensembles.experiments.resolve import resolve_datasets
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials

ROWS = 1500
BY_BLOCK = {"led24", "waveform21", "waveform40", "synthetic_1", "synthetic_2", "synthetic_3"}
AS_IN_MEMORY = sorted(set(GENERATORS) - BY_BLOCK)
GRADUAL = {"drift": "gradual", "drift_at": 700.0, "drift_width": 200.0}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(source, "_BLOCK", 256)


def rows_of(batches, n):
    parts, found = [], 0
    for table, labels in batches:
        parts.append(np.column_stack([table.codes, table.numbers, labels]))
        found += len(labels)
        if found >= n:
            break
    return np.concatenate(parts)[:n]


def rows_in_memory(key, **settings):
    dataset = load_dataset(key, **settings)
    return rows_of([(dataset.table, dataset.labels)], len(dataset))


@pytest.mark.parametrize("key", AS_IN_MEMORY)
@pytest.mark.parametrize(
    "drift", [{}, GRADUAL, {"drift": "recurring", "drift_at": 400.0}], ids=["none", "gradual", "recurring"]
)
def test_first_rows_are_those_in_memory(key, drift):
    settings = {"rows": ROWS, "seed": 5, **drift}
    far = open_source(key, **settings | {"rows": 10**10})
    assert np.array_equal(rows_of(far.batches(), ROWS), rows_in_memory(key, **settings))


@pytest.mark.parametrize("key", ["sea", "stagger", "hyperplane", "random_tree"])
def test_first_rows_of_classes_in_a_ratio_are_those_in_memory(key):
    settings = {"rows": ROWS, "class_ratio": 0.7}
    assert np.array_equal(rows_of(open_source(key, **settings).batches(), ROWS), rows_in_memory(key, **settings))


@pytest.mark.parametrize("key", sorted(GENERATORS))
def test_rows_do_not_depend_on_where_one_starts(key):
    stream = open_source(key, rows=ROWS, seed=2, **GRADUAL)
    whole = rows_of(stream.batches(), ROWS)
    assert len(whole) == stream.n_examples == ROWS
    for start in (1, 256, 1000):
        again = pickle.loads(pickle.dumps(stream))
        assert np.array_equal(rows_of(again.batches(start), ROWS), whole[start:])
    assert again.sha256 == stream.sha256 != open_source(key, rows=ROWS, seed=3, **GRADUAL).sha256
    assert list(stream.batches(ROWS)) == []
    with pytest.raises(InvalidParameter, match=r"^batches: start must be an integer >= 0, got -1$"):
        stream.batches(-1)


@pytest.mark.parametrize("key", sorted(BY_BLOCK))
def test_blocks_drawn_by_themselves_are_like_the_data_set(key):
    stream = open_source(key, rows=10**9)
    ours, theirs = rows_of(stream.batches(10**8), 5000), rows_in_memory(key, rows=5000)
    assert (stream.schema, stream.classes) == (load_dataset(key).table.schema, load_dataset(key).classes)
    error = np.sqrt((ours.var(axis=0) + theirs.var(axis=0)) / 5000)
    assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 4.5 * error + 1e-9).all()


def test_drifts_of_a_long_stream_are_where_the_settings_say():
    stream = open_source("moa_sea", rows=10**12, drift="abrupt", drift_at=1000.0, noise=0.0)
    table, labels = next(islice(stream.batches(768), 1, 2))  # rows 1024 to 1279
    assert (labels == (table.numbers[:, 0] + table.numbers[:, 1] > 9)).all()
    assert GENERATORS["moa_sea"].changes(rows=10**12, drift="abrupt", drift_at=1000.0) == (1000,)
    assert len(GENERATORS["sea"].changes(rows=10**12, drift="recurring", drift_at=1000.0)) == 1000


def test_more_rows_than_memory_takes_are_a_source():
    assert is_source("sea", {"rows": 2_000_001})
    assert not is_source("sea", {})
    with pytest.raises(
        InvalidParameter, match=r"^sea: rows must be at most 2,000,000 to be held in memory, got 2,000,001$"
    ):
        load_dataset("sea", rows=2_000_001)
    with pytest.raises(InvalidParameter, match="a source must be one of synthetic_1, "):
        open_source("iris")
    with pytest.raises(InvalidParameter, match="sea: a source must keep the kinds of its attributes, got nominal"):
        open_source("sea", nominal="all")


def test_an_experiment_runs_on_a_stream_that_no_memory_would_hold():
    config = ExperimentConfig.from_dict(
        {
            "name": "x",
            "datasets": [{"key": "sea", "rows": 10**11}],
            "learners": [{"method": "online_bagging", "base": "naive_bayes", "n_estimators": 3}],
            "protocol": {"kind": "prequential", "shuffle": False, "examples": 3000},
        }
    )
    (stream,) = resolve_datasets(config, {}.__getitem__)
    (plan,) = plan_trials(config, [stream])
    result = run_trial(plan, stream, config)
    assert (result.error, result.n_test) == (None, 3000)
    assert result.measures["accuracy"] > 0.75
    assert estimate_seconds(config, [stream], budget=0.0).trials == 1
