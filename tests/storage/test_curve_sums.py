"""Curves of large experiments that are over: what is drawn of them is what their trials say."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import delete, select

from ensembles.evaluation.calibration import BINS, CALIBRATION
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.curves import CURVES as CURVE_KINDS
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.results import Results
from ensembles.reports.calibration import calibrations
from ensembles.reports.curve_charts import CURVE_DISPLAYS, curve_chart
from ensembles.reports.figure_data import curve_bands, curves_of
from storage import Storage
from storage.models import CurveRow, CurveSumRow
from storage.results import curve_sums, derived, packed
from storage.results.derived import pack_old
from tests.storage.conftest import listening, make_config
from tests.storage.test_packed import PLANS
from tests.storage.test_trials import failure_of, plan_of, result_of

CURVES = ("learning_curve", "member_errors", "trial_graph", "diversity")
READ_AS_SUMS = ("learning_curve", "member_errors", "trial_graph_train", "trial_graph_test", CALIBRATION)
NAMES = (*READ_AS_SUMS, "diversity")
DRAWN = ("learning_curve", "member_errors", "trial_graph_test")


def start(storage: Storage) -> str:
    return storage.create_experiment(make_config("iris", "wine", curves=CURVES), runner="r", lease_seconds=60.0).id


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
    members = tuple(map(float, range(1, 3 + number % 4)))
    for name in ("member_errors", "trial_graph_test"):
        curves[name] = Curve(members, tuple(rng.random(len(members)).tolist()))
    return plan, replace(result_of(plan), curves=curves | {"diversity": Curve((0.1, 0.2), (0.1, 0.2))})


def finish(storage: Storage) -> str:
    experiment = start(storage)
    storage.save_trials(experiment, map(ended, PLANS))
    storage.finish(experiment, "finished", runner="r")
    return experiment


def check(storage: Storage, experiment: str, *, is_summed: bool = True) -> None:
    summed, each = (storage.load_results(experiment, summed=how) for how in (True, False))
    assert summed.curve_means.empty is not is_summed
    assert {*summed.curves["curve"]}.isdisjoint(DRAWN) is is_summed
    assert {*each.curves["curve"]} == {*DRAWN, CALIBRATION, "diversity"}
    for name in DRAWN:
        assert curves_of(summed, name) == curves_of(each, name) == (0, 1)
    for dataset in range(2):
        check_drawn(summed, each, dataset)
    others = [one.curves[one.curves["curve"] == "diversity"].drop(columns="curve") for one in (summed, each)]
    assert others[0].to_numpy().tolist() == others[1].to_numpy().tolist() != []


def check_drawn(summed: Results, each: Results, dataset: int) -> None:
    for name, over in product(DRAWN, ("trials", "repeats")):
        for learners in (None, [1]):
            found, wanted = (curve_bands(one, dataset, name, over=over, learners=learners) for one in (summed, each))
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
        results = storage.load_results(experiment, with_curves=READ_AS_SUMS, summed=True)
    assert len(results.curve_means)
    assert not any("FROM curves" in statement for statement in asked)
    assert {*storage.load_results(experiment, with_curves=("diversity",), summed=True).curves["curve"]} == {"diversity"}
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
    assert {*summed.curves["curve"]} - {CALIBRATION} == {"diversity"}
    for dataset in range(2):
        for name, over in product(DRAWN, ("trials", "repeats")):
            found, wanted = (curve_bands(one, dataset, name, over=over) for one in (summed, each))
            assert [(band.learner, band.x, band.n) for band in found] == [
                (band.learner, band.x, band.n) for band in wanted
            ]
            for end in ("mean", "low", "high"):
                lines = [[getattr(band, end) for band in bands] for bands in (found, wanted)]
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
    assert len(parts_of(storage)) == len(NAMES) * (4 + 2)
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


def test_of_many_points_pieces_make_up_the_whole(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve_sums, "_MOST_POINTS", 5)
    monkeypatch.setattr(curve_sums, "_ROWS", 2)
    check_while_it_runs(storage, finish(storage))


def test_learners_are_read_together_as_far_as_they_go(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve_sums, "_TOGETHER", 10)
    assert curve_sums._together(pd.Series([6.0, 5.0, 4.0, 20.0, 1.0])) == [[0], [1, 2], [3], [4]]
    check(storage, finish(storage))


def test_replaced_members_of_streams_come_as_sums(storage: Storage) -> None:
    learners = [{"method": "single", "base": "naive_bayes"}]
    protocol = {"kind": "prequential", "orders": 9}
    stream = make_config(protocol=protocol, curves=["prequential_error"], learners=learners)
    experiment = storage.create_experiment(stream, runner="r", lease_seconds=60.0).id
    trials = []
    for number in range(9):
        curve = Curve((50.0, 100.0), (0.5, number / 10))
        curves = dict.fromkeys(CURVE_KINDS["prequential_error"].series, curve)
        curves["members_replaced"] = Curve((30.0 + number % 2, 70.0), (1.0, 2.0))
        plan = replace(plan_of(number), order=number)
        trials.append((plan, replace(result_of(plan), curves=curves)))
    storage.save_trials(experiment, trials)
    storage.finish(experiment, "finished", runner="r")
    summed, each = (storage.load_results(experiment, summed=how) for how in (True, False))
    assert len(summed.curves) < len(each.curves) / 10
    for display, of in product([CURVE_DISPLAYS["prequential_error"]], ("all", "window", "fading")):
        found, wanted = (curve_chart(one, display, 0, of) for one in (summed, each))
        assert (found.caption, found.numbers.to_csv()) == (wanted.caption, wanted.numbers.to_csv())
        assert "members replaced (27 by" in found.caption


def test_parts_that_are_not_all_do_not_count(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_MANY", 5)
    experiment = start(storage)
    for begin in (0, 8, 16):
        storage.save_trials(experiment, map(ended, PLANS[begin : begin + 8]))
    lost = min(name for name in parts_of(storage) if name.startswith("learning_curve"))
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveSumRow).where(CurveSumRow.name == lost))
    results = storage.load_results(experiment, summed=True)
    assert "learning_curve" not in {*results.curve_means["curve"]}
    assert "learning_curve" in {*results.curves["curve"]}


def test_parts_are_written_anew_when_a_failure_gives_way(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_MANY", 5)
    experiment = start(storage)
    for begin in (0, 8, 16):
        storage.save_trials(experiment, map(ended, PLANS[begin : begin + 8]))
    failed = next(plan for plan in PLANS if int(plan.key, 16) == 10)
    storage.save_trials(experiment, [(failed, replace(result_of(failed), curves=ended(plan_of(11))[1].curves))])
    assert len(parts_of(storage)) == len(NAMES)
    check_while_it_runs(storage, experiment)


def test_older_experiments_are_summed_when_a_database_is_upgraded(storage: Storage) -> None:
    experiment = finish(storage)
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveSumRow))
    check(storage, experiment, is_summed=False)
    with storage._database.connection() as connection:
        pack_old(connection)
    check(storage, experiment)


def _cancel_unheld(storage: Storage, experiment: str) -> None:
    storage.release(experiment, "r")
    storage.request_cancel(experiment)


def _delete_and_restore(storage: Storage, experiment: str) -> None:
    storage.delete_experiment(experiment)
    storage.restore_experiment(experiment)


def _cancel_and_release(storage: Storage, experiment: str) -> None:
    storage.request_cancel(experiment)
    storage.release(experiment, "r")


ENDS: dict[str, Callable[[Storage, str], object]] = {
    "finished": lambda storage, experiment: storage.finish(experiment, "finished", runner="r"),
    "cancelled where nobody runs it": _cancel_unheld,
    "cancelled, and let go by its runner": _cancel_and_release,
    "deleted": _delete_and_restore,
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_an_experiment_ends_without_keeping_others_from_writing(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, end: Callable[[Storage, str], object]
) -> None:
    experiment, other = start(storage), start(storage)
    storage.save_trials(experiment, map(ended, PLANS))
    written, read = [], curve_sums.read_curve_rows

    def read_beside_a_writer(*asked: Any) -> Any:
        if not written:
            written.append(storage.rename_experiment(other, "written meanwhile").name)  # waits while another one writes
        return read(*asked)

    monkeypatch.setattr(curve_sums, "read_curve_rows", read_beside_a_writer)
    end(storage, experiment)
    assert storage.get_experiment(experiment).is_final
    assert written == ["written meanwhile"]
    check(storage, experiment)


def test_what_was_summed_before_a_crash_is_summed_again_with_what_came_since(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = start(storage)
    storage.save_trials(experiment, map(ended, PLANS[:12]))
    with monkeypatch.context() as dead:
        dead.setattr(storage, "_let_go", lambda *_: False)
        storage.finish(experiment, "finished", runner="r")
    assert parts_of(storage) == {*NAMES}
    storage.save_trials(experiment, map(ended, PLANS[12:]))
    storage.finish(experiment, "finished", runner="r")
    check(storage, experiment)


def test_of_an_experiment_that_another_runner_took_nothing_is_summed(storage: Storage) -> None:
    experiment = start(storage)
    storage.save_trials(experiment, map(ended, PLANS))
    assert not storage.finish(experiment, "finished", runner="another")
    assert not parts_of(storage)
