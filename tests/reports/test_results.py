from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from ensembles.errors import NotFound
from tests.reports.made_up import make_results, make_trial


def test_means_go_over_orders_first_then_over_folds():
    trials = [
        make_trial(0, 2, 0.8, fold=0, order=0),
        make_trial(0, 2, 0.6, fold=0, order=1),
        make_trial(0, 2, 0.9, fold=1, order=0),
    ]
    results = make_results(trials)
    assert results.mean("accuracy").at[0, 2] == pytest.approx((0.7 + 0.9) / 2)
    assert results.spread("accuracy").at[0, 2] == pytest.approx(np.std([0.8, 0.6, 0.9], ddof=1))
    assert results.n_trials("accuracy").at[0, 2] == 3


def test_the_error_comes_from_the_accuracy():
    results = make_results([make_trial(0, 0, 0.8)])
    assert results.measures == ("accuracy", "error", "mse")
    assert results.mean("error").at[0, 0] == pytest.approx(0.2)


def test_cells_without_finished_trials_are_unknown():
    results = make_results([make_trial(0, 0, 0.8), make_trial(1, 1, None)])
    means = results.mean("accuracy")
    assert means.shape == (2, 3)
    assert means.notna().to_numpy().sum() == 1
    assert results.n_trials("accuracy").to_numpy().sum() == 1
    assert len(results.failed) == 1


def test_one_trial_has_no_spread():
    assert np.isnan(make_results([make_trial(0, 0, 0.8)]).spread("accuracy").at[0, 0])


def test_no_trials_at_all_give_an_empty_grid():
    results = make_results([])
    assert results.mean("accuracy").isna().all(axis=None)
    assert results.mean("accuracy").shape == (2, 3)


def test_selecting_keeps_positions():
    trials = [make_trial(dataset, learner, 0.5 + learner / 10) for dataset in (0, 1) for learner in (0, 1, 2)]
    chosen = make_results(trials).select(datasets=[1], learners=[2])
    assert chosen.mean("accuracy").at[1, 2] == pytest.approx(0.7)
    assert len(chosen.trials) == 1
    assert chosen.learners == make_results(trials).learners


def test_an_unknown_measure_is_named_with_those_there_are():
    with pytest.raises(NotFound, match="no measure is called 'auc'; there are accuracy, error, mse"):
        make_results([make_trial(0, 0, 0.8)]).mean("auc")


def test_reading_changes_no_trial():
    results = make_results([make_trial(0, 0, 0.8), make_trial(0, 1, 0.9)])
    before = results.trials.copy()
    for read in (results.mean, results.spread, results.n_trials):
        read("error")
    assert results.trials.equals(before)


def test_pairs_are_splits_beside_each_other_whatever_the_order_of_trials():
    places = product(range(2), (0, 2), range(3), range(2), range(2))
    results = make_results(
        [
            make_trial(dataset, learner, (number % 7) / 7, repeat=repeat, fold=fold, order=order)
            for number, (dataset, learner, repeat, fold, order) in enumerate(places)
        ]
    )
    mixed = replace(results, trials=results.trials.sample(frac=0.6, random_state=1))
    for one in (results, mixed):
        splits = one.splits("accuracy")
        keys = ["dataset", "learner", "repeat", "fold"]
        assert splits.to_dict() == pytest.approx(one.finished.groupby(keys)["accuracy"].mean().to_dict())
        wanted = splits.unstack("learner")
        pd.testing.assert_frame_equal(one.pairs("accuracy"), wanted, check_index_type=False, check_column_type=False)
        assert one.n_splits.to_dict() == wanted.groupby(level="dataset").size().to_dict()
