"""What is measured for an estimate: within a budget, not twice, and kept for a day."""

import os
import time
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ensembles.experiments import kept_costs, probes
from ensembles.experiments.estimate import estimate_seconds
from ensembles.experiments.trials import count_trials
from ensembles.folders import data_folder
from tests.experiments.conftest import make_dataset
from tests.experiments.made_up import (
    FIT,
    HOLDOUT,
    STREAM,
    Clock,
    Configure,
    batch,
    large,
    online,
)


def test_nothing_is_measured_twice(configure: Configure, clock: Clock) -> None:
    estimate_seconds(configure(protocol=STREAM, learners=online(10)), [large()])
    passed = clock.now
    estimate_seconds(configure(protocol={**STREAM, "orders": 50}, learners=online(100)), [large()])
    assert clock.now == passed


def test_probes_stop_when_the_budget_is_used_up(configure: Configure, clock: Clock) -> None:
    clock.fit = lambda n, m: 1e-3 * n * m
    estimate = estimate_seconds(configure(protocol=HOLDOUT, learners=batch()), [large()])
    assert clock.now < 5.0  # one trial takes 2000 s
    assert estimate.low < 4 * clock.fit(4000, 500) < estimate.high


def test_probes_run_on_one_thread_as_trials_do(configure: Configure, clock: Clock) -> None:
    seen: list[int] = []

    def ask(n: int, members: int) -> float:
        if members != 3:  # that many has what is compiled before
            seen.extend(library["num_threads"] for library in threadpool_info())
        return 1e-9 * n * members

    clock.ask = ask
    with threadpool_limits(2):
        estimate_seconds(configure(protocol=HOLDOUT, learners=batch()), [large()])
    assert set(seen) == {1}


def test_a_large_data_set_does_not_lengthen_the_probes(configure: Configure, clock: Clock) -> None:
    estimate_seconds(configure(protocol=STREAM, learners=online()), [large(50_000)])
    assert clock.now < 3.0


def test_what_the_budget_leaves_out_is_told_from_what_was_measured_and_called_a_guess(
    configure: Configure, clock: Clock
) -> None:
    clock.fit = lambda n, m: 1e-4 * n * m
    datasets = [large(4500 + n) for n in range(5)]
    config = configure(n_datasets=5, protocol=HOLDOUT, learners=batch())
    estimate = estimate_seconds(config, datasets, budget=0.05)
    truth = 5 * 4 * clock.fit(4000, 500)
    assert not estimate.measured
    assert estimate.low < truth < estimate.high < 100 * truth
    while not estimate.measured:  # the next call goes on
        estimate = estimate_seconds(config, datasets, budget=0.05)
    assert estimate.low < truth < estimate.high


@pytest.mark.usefixtures("clock")
def test_without_any_budget_there_is_still_an_answer_that_is_a_guess(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT)
    estimate = estimate_seconds(config, [large()], budget=0.0)
    assert estimate.trials == count_trials(config)
    assert not estimate.measured
    assert 0 < estimate.low < estimate.high < 60


@pytest.mark.parametrize("method", ["hopeless", "out_of_this_world", "without_probabilities"])
def test_learners_that_misbehave_do_not_stop_an_estimate(
    configure: Configure, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probes, "_MOST_BUSY", 1.0)  # whatever else the machine does
    estimate = estimate_seconds(configure(method, "nearest_mean", curves=["learning_curve"]), [make_dataset()])
    assert estimate.trials == 12
    assert 0 < estimate.low <= estimate.high < 60


def test_another_process_is_told_from_the_same_measurements(
    configure: Configure, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.fit = lambda n, m: FIT * n * m * (1 + clock.now)  # measured again, all would be slower
    first = estimate_seconds(configure(protocol=STREAM, learners=online()), [large()])
    passed = clock.now
    monkeypatch.setattr(probes, "_costs", {})
    assert estimate_seconds(configure(protocol=STREAM, learners=online()), [large()]) == first
    assert clock.now == passed


@pytest.mark.parametrize("change", ["a day later", "another version", "a broken file"])
def test_measurements_on_disk_are_not_trusted_for_ever(
    configure: Configure, clock: Clock, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    estimate_seconds(configure(protocol=STREAM, learners=online()), [large()])
    (kept,) = (data_folder() / "probes").iterdir()
    passed = clock.now
    monkeypatch.setattr(probes, "_costs", {})
    if change == "a day later":
        os.utime(kept, (0, time.time() - 86_401))
    elif change == "another version":
        monkeypatch.setattr(kept_costs, "source_digest", lambda: "another")
    else:
        kept.write_bytes(b"{")
    estimate_seconds(configure(protocol=STREAM, learners=online()), [large()])
    assert clock.now > passed
    monkeypatch.setattr(probes, "_costs", {})
    passed = clock.now
    estimate_seconds(configure(protocol=STREAM, learners=online()), [large()])
    assert clock.now == passed


def test_a_disk_that_keeps_nothing_costs_no_estimate(
    configure: Configure, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path / "file" / "home"))
    assert estimate_seconds(configure(protocol=STREAM, learners=online()), [large()]).measured
    assert clock.now > 0
