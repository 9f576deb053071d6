"""How busy 1,000 workers are kept by one runner: trials that sleep ten seconds, on a Dask cluster of this machine.

    python -m benchmarks.many_workers [--workers 1000] [--trials 6000] [--seconds 10] [--processes 2]

Workers are Dask's own, many in a process, as they only sleep; the scheduler is a process of its own, and the runner this
one. The whole way is measured, from the claim to the last commit into an SQLite file. The promise is 90 %.
"""

import argparse
import asyncio
import logging
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from statistics import median
from threading import Thread
from typing import Any

import dask
import psutil
from distributed import Worker

from benchmarks.runner_overhead import BusyContext
from ensembles.data import load_dataset
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from runner import run_experiment as running
from runner.cluster.cluster import Cluster
from storage import open_storage

_QUIET = {  # each worker looks after its process many times a second, and here it is one process
    "distributed.admin.tick.interval": "20s",
    "distributed.admin.tick.cycle": "20s",
    "distributed.admin.system-monitor.interval": "20s",
    "distributed.worker.profile.enabled": False,
}
_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class SleepingContext(BusyContext):
    """Trials that sleep, and tell when they began and ended."""

    def run(self, plan: TrialPlan, is_stopped: object) -> TrialResult:  # noqa: ARG002
        begun = time.time()
        time.sleep(self.milliseconds / 1000.0)
        return TrialResult(plan.key, measures={"accuracy": 0.5, "begun": begun}, fit_seconds=time.time() - begun)


def _host(scheduler: str, n_workers: int) -> None:
    """Be so many workers."""

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    dask.config.set(_QUIET)

    async def live() -> None:
        workers = [
            Worker(scheduler, nthreads=1, memory_limit=0, dashboard=False, heartbeat_interval="10s")
            for _ in range(n_workers)
        ]
        for start in range(0, n_workers, 20):
            await asyncio.gather(*workers[start : start + 20])
        await asyncio.gather(*(worker.finished() for worker in workers))

    asyncio.run(live())


def measure(scheduler: str, processes: list[list[int]], n_workers: int, n_trials: int, seconds: float) -> float:
    """Return the share of the workers' time that was slept in trials, and print it with what it is made of."""
    config = ExperimentConfig.from_dict(
        {
            "name": "Sleeping",
            "datasets": ["iris"],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": {"kind": "holdout", "repeats": n_trials, "train_size": 100},
        }
    )
    plans = running.plan_trials(config, [load_dataset("iris")])
    running.prepare = lambda *_: (SleepingContext(config, (), milliseconds=1000.0 * seconds), plans)
    with tempfile.TemporaryDirectory() as folder, open_storage(f"sqlite:///{folder}/bench.sqlite") as storage:
        cluster = Cluster(scheduler=scheduler, trial_memory=float("inf"))  # sleepers share processes
        try:
            while len(cluster.threads()) < n_workers:
                time.sleep(0.5)
            print(f"{n_workers:,} workers are there", flush=True)
            record = storage.create_experiment(config, runner="benchmark")
            begun, used = time.time(), _processor_seconds(processes)
            running.run_experiment(storage, cluster, record, "benchmark")
            whole, used = time.time() - begun, [b - a for a, b in zip(used, _processor_seconds(processes), strict=True)]
        finally:
            cluster.close()
        trials = storage.load_results(record.id).trials
    if len(trials) != n_trials or trials["error"].notna().any():
        raise SystemExit("trials were lost or failed")
    share = float(trials["fit_seconds"].sum()) / (whole * n_workers)
    first = float(median(sorted(trials["begun"])[:n_workers])) - begun
    trials["begun"] -= begun
    counts = [
        int(((trials["begun"] <= at) & (at < trials["begun"] + trials["fit_seconds"])).sum())
        for at in range(1, int(whole) + 1, 2)
    ]
    print("trials that ran, every two seconds:", *counts)
    runner, scheduler_ms, hosts = (seconds / n_trials * 1000 for seconds in used)
    print(
        f"{n_trials:,} trials of {seconds:g} s on {n_workers:,} workers: {whole:.1f} s, {share:.1%} busy; half of the "
        f"workers began within {first:.1f} s"
    )
    print(
        f"milliseconds of a processor for each trial: runner {runner:.1f}, scheduler {scheduler_ms:.1f}, "
        f"all workers {hosts:.1f}"
    )
    return share


def _processor_seconds(processes: list[list[int]]) -> list[float]:
    """Return how long each group of processes has used a processor."""
    return [sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in group) for group in processes]


def main() -> int:
    """Start scheduler and workers, measure, end them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=6000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--processes", type=int, default=2)
    wanted = parser.parse_args()
    command = [
        "dask",
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--preload",
        "runner.worker_process.versions",
    ]
    options = ["--dashboard-address", "127.0.0.1:0"]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", *command, *options], stderr=subprocess.PIPE, text=True, bufsize=1
    )
    hosts: list[Any] = []
    try:
        assert scheduler.stderr is not None
        address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
        Thread(target=scheduler.stderr.read, daemon=True).start()  # else it would wait for somebody to read its log
        each = -(-wanted.workers // wanted.processes)
        hosts = [_SPAWN.Process(target=_host, args=(address, each)) for _ in range(wanted.processes)]
        for host in hosts:
            host.start()
        processes = [[os.getpid()], [scheduler.pid], [host.pid for host in hosts]]
        share = measure(address, processes, each * wanted.processes, wanted.trials, wanted.seconds)
        return 0 if share >= 0.9 else 1
    finally:
        for host in hosts:
            host.terminate()
        scheduler.terminate()
        scheduler.wait()


if __name__ == "__main__":
    sys.exit(main())
