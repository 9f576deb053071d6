"""Pairs of members and hard examples of large experiments: what is told of them is what all of their trials say."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import delete, text

from ensembles.evaluation.curve import Curve
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.results import Results
from ensembles.reports.charts import diversity_chart, hard_chart
from ensembles.reports.members import diversity_clouds, hard_examples, hard_learners
from storage import Storage
from storage.migrate import upgrade_schema
from storage.models import CurveRow, CurveSumRow
from storage.results import curve_rows, derived, packed
from tests.storage.conftest import make_config
from tests.storage.test_packed import PLANS
from tests.storage.test_trials import failure_of, result_of

POINTS = ("diversity", "hard_examples")
LEARNERS = [{"method": method, "base": "naive_bayes"} for method in ("bagging", "adaboost")]
LIGHT, HEAVY = 0, 1


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "FEWEST", 3)
    monkeypatch.setattr(derived, "FEWEST", 3)


def start(storage: Storage) -> str:
    config = make_config("iris", "wine", learners=LEARNERS, curves=POINTS)
    return storage.create_experiment(config, runner="r", lease_seconds=60.0).id


def ended(plan: TrialPlan) -> tuple[TrialPlan, TrialResult]:
    """Return a trial; those of one learner on one data set find no example hard, of the others each third does not."""
    number = int(plan.key, 16)
    if number % 7 == 3:
        return plan, failure_of(plan)
    rng = np.random.default_rng(number)
    rows, n_pairs = sorted(rng.choice(9, 4, replace=False).tolist()), 1 + number % 3
    alike = number // 4 % 3 == 1 or (plan.dataset, plan.learner) == (LIGHT, 0)
    weights = np.full(4, 1 - 1e-15) if alike else rng.choice([0.5, 1.0, 2.0, 3.0], 4)
    pairs = Curve(tuple(np.sort(rng.random(n_pairs)).tolist()), tuple(rng.random(n_pairs).tolist()))
    return plan, replace(
        result_of(plan),
        curves={"diversity": pairs, "hard_examples": Curve(tuple(map(float, rows)), tuple(weights.tolist()))},
    )


def save(storage: Storage, experiment: str, plans: list[TrialPlan] = PLANS) -> str:
    storage.save_trials(experiment, map(ended, plans))
    return experiment


def finish(storage: Storage) -> str:
    experiment = save(storage, start(storage))
    storage.finish(experiment, "finished", runner="r")
    return experiment


def read(storage: Storage, experiment: str) -> tuple[Results, Results]:
    """Return results with what is kept of curves, and with each curve."""
    summed, each = (storage.load_results(experiment, with_curves=POINTS, summed=how) for how in (True, False))
    assert {*summed.curve_means["curve"]} == {*POINTS}
    assert "hard_examples" not in {*summed.curves["curve"]}
    assert each.curve_means.empty
    return summed, each


def check(summed: Results, each: Results) -> None:
    for dataset in range(2):
        found, wanted = (diversity_clouds(one, dataset, range(2)) for one in (summed, each))
        assert [(cloud.learner, cloud.n) for cloud in found] == [(cloud.learner, cloud.n) for cloud in wanted]
        for one, other in zip(found, wanted, strict=True):
            assert one.mean_kappa == pytest.approx(other.mean_kappa, rel=1e-12)
            assert one.mean_error == pytest.approx(other.mean_error, rel=1e-12)
        assert hard_learners(summed, dataset) == hard_learners(each, dataset) == [0, 1]
        for learner in range(2):
            found, wanted = (hard_examples(one, dataset, learner) for one in (summed, each))
            assert [(one.row, one.trials) for one in found] == [(one.row, one.trials) for one in wanted]
            assert [one.weight for one in found] == pytest.approx([one.weight for one in wanted], rel=1e-12)
            assert (found == ()) is ((dataset, learner) == (LIGHT, 0))


def test_what_is_told_is_what_all_trials_say(storage: Storage) -> None:
    experiment = finish(storage)
    finish(storage)  # of another one the numbers lie beside
    summed, each = read(storage, experiment)
    check(summed, each)
    assert hard_chart(summed, LIGHT, 0).caption == hard_chart(each, LIGHT, 0).caption
    assert "No example came to weigh more than another." in hard_chart(summed, LIGHT, 0).caption


def test_while_it_runs_parts_make_up_the_whole(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_MANY", 5)
    experiment = start(storage)
    for begin in range(0, len(PLANS), 3):
        save(storage, experiment, PLANS[begin : begin + 3])
    summed, each = read(storage, experiment)
    check(summed, each)
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveRow))  # what parts say is not read again at the end
    storage.finish(experiment, "finished", runner="r")
    found = storage.load_results(experiment, with_curves=POINTS, summed=True)
    pd.testing.assert_frame_equal(found.curve_means, summed.curve_means)
    check(replace(found, curves=summed.curves), each)


def test_hard_examples_of_many_trials_are_not_read(storage: Storage) -> None:
    experiment = finish(storage)
    wanted = hard_examples(storage.load_results(experiment, summed=True), HEAVY, 1)
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveRow))
    assert hard_examples(storage.load_results(experiment, summed=True), HEAVY, 1) == wanted != ()


def test_pairs_that_are_drawn_are_of_some_trials_and_means_of_all(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curve_rows, "_SOME", 12)
    monkeypatch.setattr(curve_rows, "_FEWEST", 2)
    monkeypatch.setattr(curve_rows, "_BATCH", 5)
    experiment = finish(storage)
    summed, each = read(storage, experiment)
    check(summed, each)
    for cell, own in each.curves[each.curves["curve"] == "diversity"].groupby(["dataset", "learner"]):
        some = summed.curves[(summed.curves["dataset"] == cell[0]) & (summed.curves["learner"] == cell[1])]
        repeats = own["repeat"].unique().tolist()
        there = [repeats[0], repeats[round((len(repeats) - 1) / 2)], repeats[-1]]
        assert some["repeat"].unique().tolist() == there, "the first, the last and one in the middle"
        assert some["y"].tolist() == own.loc[own["repeat"].isin(there), "y"].tolist()
    clouds = diversity_clouds(summed, 0, range(2))
    drawn, n = sum(len(cloud.kappa) for cloud in clouds), sum(cloud.n for cloud in clouds)
    assert 0 < drawn < n
    assert (
        f"Small marks are {drawn} of {n} pairs, evenly spaced; means are of all." in diversity_chart(summed, 0).caption
    )
    assert "evenly spaced" not in diversity_chart(each, 0).caption


def test_a_learner_is_told_of_though_no_trial_that_is_drawn_has_pairs(storage: Storage) -> None:
    summed = storage.load_results(finish(storage), with_curves=POINTS, summed=True)
    cloud = diversity_clouds(replace(summed, curves=summed.curves.iloc[:0]), 0, [1])[0]
    assert (cloud.kappa, cloud.n) == ((), diversity_clouds(summed, 0, [1])[0].n)


def test_older_experiments_get_theirs_when_a_database_is_upgraded(storage: Storage) -> None:
    experiment = finish(storage)
    with storage._database.session(writes=True) as session:
        session.execute(delete(CurveSumRow).where(CurveSumRow.name.in_(POINTS)))
        session.execute(text("UPDATE alembic_version SET version_num = '0012'"))
        session.execute(text("DROP TABLE presets"))
        for later in ("dataset_holders DROP COLUMN deleted", "datasets DROP COLUMN facts"):
            session.execute(text(f"ALTER TABLE {later}"))
    assert storage.load_results(experiment, with_curves=POINTS, summed=True).curve_means.empty
    upgrade_schema(storage._database)
    check(*read(storage, experiment))
