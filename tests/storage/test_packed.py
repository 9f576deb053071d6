"""Trials of large experiments as columns: what reports read is what the rows say, whatever is packed and whenever."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sqlalchemy import delete, func, select

from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.results import CONFUSION, TRIAL_COLUMNS
from ensembles.reports.classes import confusion_of
from storage import Storage
from storage.models import TrialBlockRow
from storage.results import derived, packed, trials
from tests.storage.conftest import make_config
from tests.storage.test_trials import failure_of, plan_of, result_of

PLACE = [*TRIAL_COLUMNS[:5]]
RNG = np.random.default_rng(1)
PLANS = [
    plan_of(int(n), dataset=int(n) % 2, learner=int(n) // 2 % 2, repeat=int(n) // 4, fold=0)
    for n in RNG.permutation(24)
]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few trials be many."""
    monkeypatch.setattr(packed, "_MANY", 5)
    monkeypatch.setattr(packed, "FEWEST", 3)
    monkeypatch.setattr(derived, "FEWEST", 3)
    monkeypatch.setattr(packed, "_IN_BLOCK", 4)


def ended(plan: TrialPlan) -> tuple[TrialPlan, TrialResult]:
    number = int(plan.key, 16)
    if number % 7 == 3:
        return plan, failure_of(plan)
    measures = {"accuracy": 1 / (number + 3), "mse": math.nan if number % 5 == 0 else number / 7}
    if number % 4 == 1:
        measures["log_loss"] = number / 3
    confusion = ((20 + number, 5), (1, 0)) if number % 6 else ()
    return plan, replace(
        result_of(plan), measures=measures, confusion=confusion, stopped="it was enough" if number % 2 else None
    )


def by_rows(storage: Storage, experiment: str) -> pd.DataFrame:
    """Return the trials as `load_results` does, in the plainest Python."""
    rows = [
        {**{name: getattr(plan, name) for name in PLACE}, **one.measures, **{name: getattr(one, name) for name in REST}}
        for plan, one in storage.list_trials(experiment, with_curves=False)
    ]
    return pd.DataFrame(rows).sort_values(PLACE, ignore_index=True)


REST = TRIAL_COLUMNS[5:]


def check(storage: Storage, experiment: str) -> None:
    found, wanted = storage.load_results(experiment).trials, by_rows(storage, experiment)
    assert {*found} == {*wanted}
    for name in found:
        if name in ("stopped", "error"):
            assert found[name].tolist() == wanted[name].astype(object).where(wanted[name].notna(), None).tolist()
        else:
            np.testing.assert_array_equal(found[name].to_numpy(dtype=float), wanted[name].to_numpy(dtype=float))


def check_confusions(storage: Storage, experiment: str) -> None:
    summed, each = (storage.load_results(experiment, with_confusion=True, summed=how) for how in (True, False))
    for dataset in range(2):
        found, wanted = confusion_of(summed, dataset), confusion_of(each, dataset)
        assert {learner: matrix.tolist() for learner, matrix in found.items()} == {
            learner: matrix.tolist() for learner, matrix in wanted.items()
        }
    assert (summed.curves["curve"] == CONFUSION).sum() <= 4 * 4 < (each.curves["curve"] == CONFUSION).sum()


def n_packed(storage: Storage) -> int:
    with storage._database.session() as session:
        return session.scalar(select(func.coalesce(func.sum(TrialBlockRow.trials), 0))) or 0


def start(storage: Storage) -> str:
    return storage.create_experiment(make_config("iris", "wine"), runner="r", lease_seconds=60.0).id


def test_what_is_packed_meanwhile_and_at_the_end_is_what_the_rows_say(storage: Storage) -> None:
    experiment, seen = start(storage), set()
    for begin in range(0, len(PLANS), 3):
        storage.save_trials(experiment, map(ended, PLANS[begin : begin + 3]))
        check(storage, experiment)
        seen.add(n_packed(storage))
    check_confusions(storage, experiment)
    assert seen == {0, 6, 12, 18, 24}
    storage.finish(experiment, "finished", runner="r")
    assert n_packed(storage) == len(PLANS)
    check(storage, experiment)
    check_confusions(storage, experiment)


@pytest.mark.parametrize("is_over", [False, True])
def test_a_failure_that_gives_way_is_not_read_from_what_was_packed(storage: Storage, is_over: bool) -> None:
    experiment = start(storage)
    storage.save_trials(experiment, map(ended, PLANS))
    if is_over:
        storage.finish(experiment, "finished", runner="r")
    failed = next(plan for plan in PLANS if int(plan.key, 16) == 10)
    storage.save_trials(experiment, [(failed, result_of(failed))])
    check(storage, experiment)
    assert sorted(storage.load_results(experiment).failed["repeat"]) == [0, 4]


def test_failures_that_are_forgotten_are_not_read_from_what_was_packed(storage: Storage) -> None:
    experiment = start(storage)
    storage.save_trials(experiment, map(ended, PLANS))
    storage.finish(experiment, "finished", runner="r")
    storage.reopen_experiment(experiment, retry=True)
    check(storage, experiment)
    assert storage.load_results(experiment).failed.empty


def test_scores_are_the_same_to_the_last_bit(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    for most in (packed.FEWEST, 10**6):
        monkeypatch.setattr(packed, "FEWEST", most)
        monkeypatch.setattr(packed, "_MANY", most)
        experiment = start(storage)
        storage.save_trials(experiment, map(ended, PLANS))
        storage.finish(experiment, "finished", runner="r")
        found.append(storage.get_experiment(experiment).best_error)
        found.append([(one.error, one.spread) for one in storage.best_scores("cross_validation, 2 folds")])
    assert found[:2] == found[2:]


def test_older_experiments_are_packed_when_a_database_is_upgraded(storage: Storage) -> None:
    experiment = start(storage)
    storage.save_trials(experiment, map(ended, PLANS))
    storage.finish(experiment, "finished", runner="r")
    with storage._database.connection() as connection:
        connection.execute(delete(TrialBlockRow))
    assert n_packed(storage) == 0
    with storage._database.connection() as connection:
        derived.pack_old(connection)
    assert n_packed(storage) == len(PLANS)
    check(storage, experiment)


def test_few_trials_are_not_packed(storage: Storage) -> None:
    experiment = start(storage)
    storage.save_trials(experiment, map(ended, PLANS[:2]))
    storage.finish(experiment, "finished", runner="r")
    assert n_packed(storage) == 0
    check(storage, experiment)


def test_all_trials_are_read_some_at_a_time(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "_BATCH", 3)
    experiment, other = start(storage), start(storage)
    for number in range(7):
        storage.save_trials(experiment, [(plan_of(number), result_of(plan_of(number), number / 7))])
        storage.save_trials(other, [(plan_of(number), result_of(plan_of(number)))])
    assert [repr(one) for one in storage.each_trial(experiment)] == [
        repr(one) for one in storage.list_trials(experiment)
    ]
