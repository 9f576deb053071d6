"""Curves of large experiments that are over: what is drawn of them is what their trials say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import delete, select

from ensembles.evaluation.calibration import BINS, CALIBRATION
from ensembles.evaluation.curve import Curve
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.results import Results
from ensembles.reports.calibration import calibrations
from ensembles.reports.figure_data import curve_bands, curves_of
from storage import Storage
from storage.models import CurveRow, CurveSumRow
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


def check_while_it_runs(storage: Storage, experiment: str) -> None:
    summed, each = (storage.load_results(experiment, summed=how) for how in (True, False))
    assert len(summed.curve_means)
    assert {*summed.curves["curve"]} - {CALIBRATION} == {"member_errors"}
    for dataset in range(2):
        for over in ("trials", "repeats"):
            found, wanted = (curve_bands(one, dataset, over=over) for one in (summed, each))
            assert [(band.learner, band.x, band.n) for band in found] == [
                (band.learner, band.x, band.n) for band in wanted
            ]
            for name in ("mean", "low", "high"):
                lines = [[getattr(band, name) for band in bands] for bands in (found, wanted)]
                for one, other in zip(*lines, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-12)
        for one, other in zip(calibrations(summed, dataset), calibrations(each, dataset), strict=True):
            np.testing.assert_allclose([one.sure, one.right, one.n], [other.sure, other.right, other.n], rtol=1e-12)


def parts_of(storage: Storage) -> set[str]:
    with storage._database.session() as session:
        return {*session.scalars(select(CurveSumRow.name))}


def test_while_it_runs_parts_make_up_the_whole(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_MANY", 5)
    experiment, other = start(storage), start(storage)
    plans = [replace(plan, fold=place % 2) for place, plan in enumerate(PLANS)]  # of a repeat there are several trials
    for begin in range(0, len(plans), 3):
        storage.save_trials(experiment, map(ended, plans[begin : begin + 3]))
        storage.save_trials(other, map(ended, plans[begin : begin + 2]))  # of which the numbers lie between
        if begin:
            check_while_it_runs(storage, experiment)
    assert len(parts_of(storage)) == 2 * (4 + 2)
    storage.finish(other, "finished", runner="r")
    storage.finish(experiment, "finished", runner="r")
    assert parts_of(storage) == {*NAMES}
    check(storage, experiment)


def test_curves_that_are_known_by_parts_are_not_read(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_MANY", 5)
    experiment = start(storage)
    for begin in (0, 8, 16):
        storage.save_trials(experiment, map(ended, PLANS[begin : begin + 8]))
    wanted = storage.load_results(experiment, summed=True).curve_means
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveRow))
    found = storage.load_results(experiment, summed=True).curve_means
    assert len(found)
    pd.testing.assert_frame_equal(found, wanted)


def test_parts_that_are_not_all_do_not_count(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_MANY", 5)
    experiment = start(storage)
    for begin in (0, 8, 16):
        storage.save_trials(experiment, map(ended, PLANS[begin : begin + 8]))
    lost = min(name for name in parts_of(storage) if name.startswith("learning_curve"))
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveSumRow).where(CurveSumRow.name == lost))
    results = storage.load_results(experiment, summed=True)
    assert results.curve_means.empty
    assert "learning_curve" in {*results.curves["curve"]}


def test_parts_are_written_anew_when_a_failure_gives_way(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_MANY", 5)
    experiment = start(storage)
    for begin in (0, 8, 16):
        storage.save_trials(experiment, map(ended, PLANS[begin : begin + 8]))
    failed = next(plan for plan in PLANS if int(plan.key, 16) == 10)
    storage.save_trials(experiment, [(failed, replace(result_of(failed), curves=ended(plan_of(11))[1].curves))])
    assert len(parts_of(storage)) == 2
    check_while_it_runs(storage, experiment)


def test_older_experiments_are_summed_when_a_database_is_upgraded(storage: Storage) -> None:
    experiment = finish(storage)
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveSumRow))
    check(storage, experiment, is_summed=False)
    with storage._database.connection() as connection:
        pack_old(connection)
    check(storage, experiment)
