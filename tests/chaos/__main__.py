"""Strike at running experiments at random for minutes, and see that nothing is lost, repeated or changed.

    python -m tests.chaos [--backend sqlite|postgresql] [--experiments 20] [--trials 200] [--blows 30] [--pause 6] [--seed 1]
                          [--rows 4000] [--kinds disk,clock]

Two runners with processes of their own, a third on a Dask cluster and a web server, with a worker of its own, share a
database. Whoever runs trials, the runners, the scheduler, the processes of the Dask cluster and the web server are killed
with SIGKILL; a process that runs trials stands still for a moment, a runner until others have taken over; PostgreSQL is away
for longer than a lease; the database is gone for a minute (the server of PostgreSQL stopped, the file of SQLite locked); the
disk is full; the wall clock of a runner jumps by an hour, forward and back. At the end every trial must be there once, the
ones that were stored must not have run again, nobody must have ended by himself, and the numbers must be those of a run
that nobody disturbed. What this machine does not permit is left out and said.
"""

import argparse
import random
import signal
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from ensembles.experiments.config import ExperimentConfig
from storage import Storage, open_storage
from tests.chaos.blows import KINDS, Chaos, Missed, Place
from tests.chaos.clock import wall_clock
from tests.chaos.disk import disk_at, see_own_mounts
from tests.chaos.parties import Parties
from tests.runner.conftest import wait_until
from tests.storage.postgresql import make_database, own_server

_LONGEST_SECONDS = 3600.0
_TRIALS_OF_ONE = 20  # a repeat of five folds with four learners

Stored = dict[tuple[str, str], float]


def config_of(number: int, n_trials: int, n_rows: int) -> ExperimentConfig:
    """Return the experiment of a number, with about `n_trials` trials of some tenths of a second, or less with few rows."""
    return ExperimentConfig.from_dict(
        {
            "name": f"Chaos {number}",
            "seed": number,
            "datasets": [{"key": "waveform40", "rows": n_rows}],
            "learners": [
                {"method": "single", "base": "naive_bayes"},
                {"method": "online_boosting", "base": "naive_bayes", "n_estimators": 50},
                {"method": "adaboost", "base": "decision_stump", "n_estimators": 30},
                {"method": "online_bagging", "base": "hoeffding_tree", "n_estimators": 50},
            ],
            "protocol": {
                "kind": "cross_validation",
                "repeats": max(1, n_trials // _TRIALS_OF_ONE),
                "folds": 5,
                "orders": 1,
            },
            "curves": ["learning_curve"],
        }
    )


def launch(storage: Storage, wanted: argparse.Namespace) -> list[str]:
    """Launch all experiments and return their ids."""
    return [
        storage.create_experiment(config_of(one, wanted.trials, wanted.rows)).id for one in range(wanted.experiments)
    ]


def is_over(storage: Storage, experiments: list[str]) -> bool:
    """Return whether all experiments have ended."""
    return all(storage.get_experiment(number).is_final for number in experiments)


def run_in_peace(storage: Storage, home: Path, wanted: argparse.Namespace) -> list[str]:
    """Run the experiments with two runners that nobody disturbs."""
    experiments, begun = launch(storage, wanted), time.monotonic()
    parties = Parties(storage.url, home, 2)
    try:
        wait_until(lambda: is_over(storage, experiments), "the quiet run ends", _LONGEST_SECONDS)
    finally:
        parties.end()
    print(f"in peace {time.monotonic() - begun:.0f} s", flush=True)
    return experiments


def run_in_chaos(
    storage: Storage, home: Path, wanted: argparse.Namespace, place: Place, rng: random.Random
) -> tuple[list[str], dict[str, int]]:
    """Run the experiments under blows; check after each that nothing stored has changed. Return how often each struck."""
    experiments, begun = launch(storage, wanted), time.monotonic()
    parties = Parties(storage.url, home, 2, is_whole=True, clock=place.clock)
    chaos, stored = Chaos(storage, experiments, parties, place, rng, wanted.kinds), Stored()
    try:
        while not is_over(storage, experiments):
            assert time.monotonic() - begun < _LONGEST_SECONDS, "the experiments do not come to their end"
            time.sleep(wanted.pause * rng.random())
            done = sum(storage.get_experiment(number).done for number in experiments)
            if done == len(stored) or sum(chaos.blows.values()) >= wanted.blows:
                continue  # who has not got up from the last blow is not struck again
            with suppress(Missed):
                chaos.strike()
            now = seconds_of(storage, experiments)
            changed = [key for key, seconds in stored.items() if now.get(key) != seconds]
            assert not changed, f"{len(changed)} trials that were stored were lost or ran again"
            stored = now
            print(f"{len(stored):,} trials, blows {chaos.blows}", flush=True)
    finally:
        parties.end()
    print(f"in chaos {time.monotonic() - begun:.0f} s", flush=True)
    return experiments, chaos.blows


def seconds_of(storage: Storage, experiments: list[str]) -> Stored:
    """Return the fit seconds of each trial: they tell whether it ran again."""
    return {
        (number, plan.key): result.fit_seconds
        for number in experiments
        for plan, result in storage.list_trials(number, limit=1_000_000)
    }


def prepare_place(backend: str, folder: Path, inside: ExitStack) -> tuple[str, Place]:
    """Return the address of an empty database, and what can be struck, until `inside` ends."""
    folder.chmod(0o711)  # PostgreSQL runs as somebody else
    lab = folder / "lab"
    disk = inside.enter_context(disk_at(lab))
    server = inside.enter_context(own_server(lab)) if backend == "postgresql" else None
    url = make_database(server.url, "chaos") if server else f"sqlite:///{lab}/chaos.sqlite"
    return url, Place(server, disk, wall_clock(folder))


def check_alike(storage: Storage, peaceful: str, beaten: str) -> int:
    """Compare two runs of one experiment: all but the time they took must be the same. Return the number of trials."""
    first, second = storage.get_experiment(peaceful), storage.get_experiment(beaten)
    assert (second.state, second.done, second.failed) == (first.state, first.done, first.failed), second
    keys = [plan.key for plan, _ in storage.list_trials(beaten, limit=1_000_000)]
    assert len(keys) == len(set(keys)) == second.total, f"{len(keys)} trials of {second.total}"
    quiet, loud = storage.load_results(peaceful), storage.load_results(beaten)
    timed = [name for name in quiet.trials if str(name).endswith("_seconds")]
    assert quiet.trials.drop(columns=timed).equals(loud.trials.drop(columns=timed)), "numbers differ"
    assert quiet.curves.equals(loud.curves), "curves differ"
    return second.done


def _kinds(text: str) -> list[str]:
    kinds = text.split(",")
    if unknown := set(kinds) - set(KINDS):
        raise argparse.ArgumentTypeError(f"must be of {', '.join(KINDS)}, got {', '.join(sorted(unknown))}")
    return kinds


def main() -> int:
    """Run the same experiments in peace and in chaos, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--experiments", type=int, default=20)
    parser.add_argument("--trials", type=int, default=200, help="of each experiment")
    parser.add_argument("--rows", type=int, default=4000, help="of the data set: fewer for shorter trials")
    parser.add_argument("--blows", type=int, default=30)
    parser.add_argument("--pause", type=float, default=6.0, help="longest pause between two blows, in seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kinds", type=_kinds, default=KINDS, help=f"of blows, separated by commas: {', '.join(KINDS)}"
    )
    wanted = parser.parse_args()
    see_own_mounts()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the runners end too
    rng = random.Random(wanted.seed)
    with tempfile.TemporaryDirectory() as name, ExitStack() as inside:
        folder = Path(name)
        url, place = prepare_place(wanted.backend, folder, inside)
        for kind, reason in place.missing().items():
            print(f"left out: {kind}, as {reason}", flush=True)
        home = folder / "lab" / "home"
        with open_storage(url) as storage:
            peaceful = run_in_peace(storage, home, wanted)
            beaten, blows = run_in_chaos(storage, home, wanted, place, rng)
            n_trials = sum(check_alike(storage, *pair) for pair in zip(peaceful, beaten, strict=True))
    struck = sum(blows.values())
    print(f"{struck} blows: {', '.join(f'{kind} {number}' for kind, number in blows.items())}")
    print(f"{n_trials:,} trials of {wanted.experiments} experiments, each once, with the numbers of a quiet run")
    assert struck >= wanted.blows, f"there must be {wanted.blows} blows, got {struck}; give it more --trials or --rows"
    return 0


if __name__ == "__main__":
    sys.exit(main())
