"""Kill processes of a running experiment at random for minutes, and see that nothing is lost, repeated or changed.

    python -m tests.chaos [--trials 6000] [--pause 20] [--seed 1]

Each blow hits a worker process or a whole runner with SIGKILL, or lets a runner sleep until another one has taken its
experiment over. At the end every trial must be there once, the ones that were stored must not have run again, and the
numbers must be those of a run that nobody disturbed.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ensembles.experiments.config import ExperimentConfig
from runner.heart import LEASE_SECONDS
from storage import Storage, open_storage
from tests.runner.conftest import children_of, is_running, wait_until

_ROOT = Path(__file__).resolve().parents[1]
_LONGEST_SECONDS = 1800.0


class Chaos:
    """Two runners on one database, and somebody who beats them."""

    def __init__(self, storage: Storage, rng: random.Random) -> None:
        self._storage, self._rng = storage, rng
        self._runners = [self._start(), self._start()]
        self.blows = dict.fromkeys(("worker", "runner", "sleep"), 0)

    def strike(self) -> None:
        """Do one random bad thing, and put a new runner where one is gone."""
        blow = self._rng.choice(list(self.blows))
        victim = self._rng.choice(self._runners)
        if blow == "worker":
            for pid in self._rng.sample(sorted(children_of(victim.pid)), k=min(1, len(children_of(victim.pid)))):
                os.kill(pid, signal.SIGKILL)
        elif blow == "runner":
            self._kill(victim)
            self._runners[self._runners.index(victim)] = self._start()
        else:
            victim.send_signal(signal.SIGSTOP)
            time.sleep(LEASE_SECONDS + 2.0)
            victim.send_signal(signal.SIGCONT)
        self.blows[blow] += 1

    def end(self) -> None:
        """End all runners."""
        for runner in self._runners:
            self._kill(runner)

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "runner", "worker", "--database", self._storage.url, "--workers", "2"]
        return subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _kill(self, runner: subprocess.Popen[bytes]) -> None:
        family = children_of(runner.pid)
        runner.kill()
        runner.wait()
        wait_until(lambda: not any(map(is_running, family)), "the processes of a killed runner end", 30)


def config_of(n_trials: int) -> ExperimentConfig:
    """Return an experiment with about `n_trials` short trials."""
    return ExperimentConfig.from_dict(
        {
            "name": "Chaos",
            "datasets": ["iris", "wine"],
            "learners": [
                {"method": "single", "base": "naive_bayes"},
                {"method": "online_boosting", "base": "naive_bayes", "n_estimators": 20},
                {"method": "adaboost", "base": "decision_stump", "n_estimators": 20},
            ],
            "protocol": {"kind": "cross_validation", "repeats": max(1, n_trials // 30), "folds": 5, "orders": 1},
            "curves": ["learning_curve"],
        }
    )


def run_in_peace(storage: Storage, config: ExperimentConfig) -> str:
    """Run an experiment with one runner that nobody disturbs."""
    record = storage.create_experiment(config)
    chaos = Chaos(storage, random.Random(0))
    try:
        wait_until(lambda: storage.get_experiment(record.id).is_final, "the quiet run ends", _LONGEST_SECONDS)
    finally:
        chaos.end()
    return record.id


def run_in_chaos(storage: Storage, config: ExperimentConfig, pause: float, rng: random.Random) -> str:
    """Run an experiment under blows; check after each that nothing stored has changed."""
    record = storage.create_experiment(config)
    chaos, stored = Chaos(storage, rng), dict[str, float]()
    deadline = time.monotonic() + _LONGEST_SECONDS
    try:
        while not storage.get_experiment(record.id).is_final:
            assert time.monotonic() < deadline, "the experiment does not come to its end"
            time.sleep(pause * rng.random())
            chaos.strike()
            now = seconds_of(storage, record.id)
            changed = [key for key, seconds in stored.items() if now.get(key) != seconds]
            assert not changed, f"{len(changed)} trials that were stored were lost or ran again"
            stored = now
            print(f"{len(stored):,} trials, blows {chaos.blows}", flush=True)
    finally:
        chaos.end()
    return record.id


def seconds_of(storage: Storage, experiment_id: str) -> dict[str, float]:
    """Return the fit seconds of each trial: they tell whether it ran again."""
    return {plan.key: result.fit_seconds for plan, result in storage.list_trials(experiment_id, limit=1_000_000)}


def main() -> int:
    """Run the same experiment in peace and in chaos, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=6000)
    parser.add_argument("--pause", type=float, default=20.0, help="longest pause between two blows, in seconds")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the runners end too
    config = config_of(wanted.trials)
    with tempfile.TemporaryDirectory() as folder, open_storage(f"sqlite:///{folder}/chaos.sqlite") as storage:
        ids = run_in_peace(storage, config), run_in_chaos(storage, config, wanted.pause, random.Random(wanted.seed))
        quiet, beaten = (storage.get_experiment(experiment_id) for experiment_id in ids)
        assert (beaten.state, beaten.done, beaten.failed) == (quiet.state, quiet.done, quiet.failed), beaten
        first, second = (storage.load_results(experiment_id) for experiment_id in ids)
        timed = ["fit_seconds", "predict_seconds"]
        assert first.trials.drop(columns=timed).equals(second.trials.drop(columns=timed)), "numbers differ"
        assert first.curves.equals(second.curves), "curves differ"
    print(f"{beaten.done:,} trials, each once, with the numbers of a quiet run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
