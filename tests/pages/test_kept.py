"""Large values that sessions share, within a bound of memory."""

from dataclasses import replace
from threading import Thread

import pytest

from ensembles.evaluation.curve import Curve
from ensembles.experiments.records import TrialPlan, TrialResult
from pages.parts.kept import Kept
from pages.parts.live import ask_anew
from pages.parts.results import load
from pages.parts.results.joined import join
from storage import Storage
from tests.pages.made_up import tiny_config


class Made:
    """Counts how often something is made."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self) -> bytes:
        self.n += 1
        return bytes(100)


@pytest.fixture
def made() -> Made:
    return Made()


def test_a_new_state_takes_the_place_of_the_old_one(made: Made) -> None:
    kept = Kept(10_000, len)
    for state in (1, 1, 2, 2, 3):
        kept.get("a", state, made)
    assert made.n == 3
    assert kept.size == 100


def test_what_was_not_used_for_longest_makes_room(made: Made) -> None:
    kept = Kept(250, len)
    for key in "abacab":
        kept.get(key, 0, made)
    assert made.n == 4  # b went for c, and came again
    assert kept.size == 200


def test_one_that_is_too_large_is_kept_until_the_next(made: Made) -> None:
    kept = Kept(50, len)
    assert [kept.get(key, 0, made) and made.n for key in "aab"] == [1, 1, 2]
    assert kept.size == 100


def test_what_nobody_uses_goes_after_a_while(made: Made) -> None:
    now = 0.0
    kept = Kept(10_000, len, seconds=10.0, clock=lambda: now)
    kept.get("a", 0, made)
    now = 11.0
    kept.get("b", 0, made)
    assert kept.size == 100
    kept.clear()
    assert kept.size == 0


def test_those_who_come_at_once_wait_for_the_same_value(made: Made) -> None:
    kept = Kept(10_000, len)
    threads = [Thread(target=kept.get, args=("a", 0, made)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made.n == 1


def test_an_error_is_not_kept(made: Made) -> None:
    kept = Kept(10_000, len)

    def fail() -> bytes:
        raise ValueError("not there")

    kept.get("a", 0, made)
    with pytest.raises(ValueError, match="not there"):
        kept.get("a", 1, fail)
    kept.get("a", 0, made)
    assert made.n == 2


def test_curves_of_many_trials_are_read_again_when_a_tenth_more_have_ended(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "_MANY", 10)
    experiment = storage.create_experiment(tiny_config(), runner="r", lease_seconds=60.0).id
    seen, exact = [], []
    for number in range(40):
        storage.save_trials(experiment, [(TrialPlan(f"{number:032x}", 0, 0, number, 0, 0), ended(number))])
        ask_anew()
        record = storage.get_experiment(experiment)
        seen.append(len(load.load_results(record, with_curves=("learning_curve",), may_lag=True).trials))
        exact.append(len(load.load_results(record, with_curves=("learning_curve", "x")).trials))
    assert exact == [*range(1, 41)]
    assert seen[:10] == exact[:10]
    assert len({*seen[10:]}) <= 16  # each 1.1 times the one before, and the first of them
    assert all(now >= n / 1.1 for now, n in zip(seen, exact, strict=True))
    storage.finish(experiment, "finished", runner="r")
    assert len(load.load_results(storage.get_experiment(experiment), with_curves=("x",), may_lag=True).trials) == 40


def ended(number: int) -> TrialResult:
    return TrialResult(f"{number:032x}", measures={"accuracy": 0.5}, curves={"learning_curve": Curve((1.0,), (0.5,))})


def test_what_failed_again_is_shown_with_what_it_says_now(storage: Storage) -> None:
    experiment = storage.create_experiment(tiny_config(), n_trials=1, runner="r", lease_seconds=60.0).id

    def errors(said: str) -> list[str]:
        """Let the trial fail so, and return what pages show, of the experiment alone and of several as one."""
        storage.save_trials(experiment, [(TrialPlan(f"{0:032x}", 0, 0, 0, 0, 0), replace(ended(0), error=said))])
        storage.finish(experiment, "finished", runner="r")
        ask_anew()
        record = storage.get_experiment(experiment)
        found = [load.load_results(record), join([record], None, with_curves=False).results]
        found.append(load.load_results(record, with_curves=("learning_curve",), may_lag=True))
        return [error for results in found for error in results.trials["error"]]

    assert errors("at first") == ["at first"] * 3
    storage.reopen_experiment(experiment, runner="r", retry=True)
    assert errors("once more") == ["once more"] * 3
