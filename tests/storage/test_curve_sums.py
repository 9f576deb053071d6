"""Curves of large experiments that are over: what is drawn of them is what their trials say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import delete

from ensembles.evaluation.calibration import BINS, CALIBRATION
from ensembles.evaluation.curve import Curve
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.results import Results
from ensembles.reports.calibration import calibrations
from ensembles.reports.figure_data import curve_bands, curves_of
from storage import Storage
from storage.models import CurveSumRow
from storage.results import derived, packed
from storage.results.derived import pack_old
from tests.storage.conftest import listening
from tests.storage.test_packed import PLANS, start
from tests.storage.test_trials import failure_of, plan_of, result_of

NAMES = ("learning_curve", CALIBRATION)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "FEWEST", 3)
    monkeypatch.setattr(derived, "FEWEST", 3)


def ended(plan: TrialPlan) -> tuple[TrialPlan, TrialResult]:
    number = int(plan.key, 16)
    if number % 7 == 3:
        return plan, failure_of(plan)
    rng = np.random.default_rng(number)
    sizes = tuple(float(size) + number % 2 for size in ((10, 20, 40) if number % 5 else (20, 40)))
    curves = {"learning_curve": Curve(sizes, tuple(rng.random(len(sizes)).tolist()))}
    if number % 2:
        curves[CALIBRATION] = Curve(tuple(map(float, range(3 * BINS))), tuple(rng.integers(1, 9, 3 * BINS).tolist()))
    return plan, replace(result_of(plan), curves=curves | {"member_errors": Curve((1.0, 2.0), (0.1, 0.2))})


def finish(storage: Storage) -> str:
    experiment = start(storage)
    storage.save_trials(experiment, map(ended, PLANS))
    storage.finish(experiment, "finished", runner="r")
    return experiment


def check(storage: Storage, experiment: str, *, is_summed: bool = True) -> None:
    summed, each = (storage.load_results(experiment, summed=how) for how in (True, False))
    assert summed.curve_means.empty is not is_summed
    assert ("learning_curve" in {*summed.curves["curve"]}) is not is_summed
    assert {*each.curves["curve"]} == {"learning_curve", CALIBRATION, "member_errors"}
    assert curves_of(summed, "learning_curve") == curves_of(each, "learning_curve") == (0, 1)
    for dataset in range(2):
        check_drawn(summed, each, dataset)
    others = [one.curves[one.curves["curve"] == "member_errors"].drop(columns="curve") for one in (summed, each)]
    assert others[0].to_numpy().tolist() == others[1].to_numpy().tolist() != []


def check_drawn(summed: Results, each: Results, dataset: int) -> None:
    for over in ("trials", "repeats"):
        for learners in (None, [1]):
            found, wanted = (curve_bands(one, dataset, over=over, learners=learners) for one in (summed, each))
            assert found == wanted or [repr(band) for band in found] == [repr(band) for band in wanted]
            assert len(wanted) == (2 if learners is None else 1)
    for one, other in zip(calibrations(summed, dataset), calibrations(each, dataset), strict=True):
        pd.testing.assert_series_equal(pd.Series(one.n), pd.Series(other.n))
        np.testing.assert_allclose(one.right, other.right)


def test_means_and_sums_are_those_of_the_trials(storage: Storage) -> None:
    experiment = finish(storage)
    finish(storage)  # of another one the numbers lie beside
    check(storage, experiment)


def test_curves_that_are_known_by_their_sums_are_not_read(storage: Storage) -> None:
    experiment, asked = finish(storage), []
    with listening(lambda *told: asked.append(told[2])):
        results = storage.load_results(experiment, with_curves=NAMES, summed=True)
    assert len(results.curve_means)
    assert not any("FROM curves" in statement for statement in asked)
    storage.load_results(experiment, with_curves=("member_errors",), summed=True)
    assert {*storage.load_results(experiment, with_curves=("member_errors",)).curves["curve"]} == {"member_errors"}


def test_sums_do_not_outlive_the_trials_that_they_are_of(storage: Storage) -> None:
    experiment = finish(storage)
    later = plan_of(1000, dataset=0, learner=0, repeat=100)
    storage.save_trials(experiment, [ended(later)])
    check(storage, experiment, is_summed=False)
    storage.reopen_experiment(experiment, retry=True)
    check(storage, experiment, is_summed=False)


def test_older_experiments_are_summed_when_a_database_is_upgraded(storage: Storage) -> None:
    experiment = finish(storage)
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveSumRow))
    check(storage, experiment, is_summed=False)
    with storage._database.connection() as connection:
        pack_old(connection)
    check(storage, experiment)
