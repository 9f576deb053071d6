"""How long pages take over an experiment of a million trials: every view, first and again, and each of its exports.

    python -m benchmarks.large_pages [--database FILE] [--trials 1000000] [--curves learning_curve ...] [--cold]

The database is filled by `benchmarks.fill_database`, with these curves, unless FILE has been; the experiment with the most
trials is looked at. Pages are asked for as browsers do; what browsers draw is not measured. Beside the seconds of the clock
stand those of the web process's processor, which say more where the machine is shared. With `--cold` each view is the first
one that a new server draws of results. The promise: 1 s for any page, the first time too.
"""

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.fill_database import LEARNING
from benchmarks.fill_database import main as fill
from benchmarks.many_sessions import Stop, Visitor
from benchmarks.open_tabs import OURS, served
from ensembles.reports.views import views_of
from runner.exports import export_results, reads_curves
from storage import Storage, open_storage

AGAIN = 3
FORMS = ("csv", "parquet", "latex", "html")


class Clock:
    """Seconds of the clock and of a process since the last look."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self.read()

    def read(self) -> tuple[float, float]:
        """Return both, and begin anew."""
        now = time.perf_counter(), float(sum(self._process.cpu_times()[:2]))
        passed = tuple(new - old for new, old in zip(now, getattr(self, "_then", now), strict=True))
        self._then = now
        return passed[0], passed[1]


def stops_of(storage: Storage) -> tuple[str, list[Stop]]:
    """Return the id of the largest experiment, and the pages: every view of it, and those that look at all experiments."""
    largest = max(storage.list_experiments(limit=100), key=lambda record: record.done)
    print(
        f"{largest.done:,} trials of {len(largest.config.datasets)} data sets and {len(largest.config.learners)} learners"
    )
    views = [view.title.replace(" ", "+") for view in views_of(storage.load_results(largest.id, with_curves=False))]
    stops = [("results", f"experiment={largest.id}&view={view}") for view in views]
    return largest.id, [
        *stops,
        ("results", f"experiments={largest.id}"),
        ("experiments", ""),
        ("leaderboard", ""),
        ("", ""),
    ]


async def visit(port: int, web: psutil.Process, stops: list[Stop]) -> None:
    """Open every page, then again, and print what it took."""
    for stop in stops:
        visitor, clock = Visitor(port), Clock(web)
        taken = []
        for _ in range(1 + AGAIN):
            clock.read()
            await visitor.tour([stop])
            taken.append(clock.read())
        again = min(taken[1:])
        name = stop[1].rpartition("=")[2] if "view=" in stop[1] else f"/{stop[0]}{'?' if stop[1] else ''}{stop[1][:12]}"
        print(
            f"| {name} | {taken[0][0]:.2f} | {taken[0][1]:.2f} | {again[0]:.2f} | {min(one[1] for one in taken[1:]):.2f} |",
            flush=True,
        )
        for _, error in visitor.errors[:1]:
            print(f"    {error}")


def measure_pages(file: Path, stops: list[Stop], *, cold: bool) -> None:
    """Open pages of one server, or of one server each."""
    os.environ["DATABASE_URL"] = f"sqlite:///{file.resolve()}"
    print("| page | first s | of the processor | again s | of the processor |\n|---|---|---|---|---|")
    for some in [[stop] for stop in stops] if cold else [stops]:
        with tempfile.TemporaryDirectory() as home, served(OURS, home) as (port, web):
            asyncio.run(Visitor(port).tour([("datasets", ""), ("experiments", "")]))
            asyncio.run(visit(port, web, some))


def measure_exports(storage: Storage, experiment: str) -> None:
    """Write every export of an experiment in this process."""
    clock = Clock(psutil.Process())
    for form in FORMS:
        clock.read()
        config = storage.get_experiment(experiment).config
        whole = form == "html"  # as the page and the command line read them
        results = storage.load_results(
            experiment, with_curves=reads_curves(form, config), with_confusion=whole, summed=whole
        )
        size = len(export_results(results, form, find_stored=storage.get_dataset))
        passed, used = clock.read()
        print(f"export {form}: {passed:.1f} s, {used:.1f} s of the processor, {size / 2**20:,.1f} MB", flush=True)


def main() -> None:
    """Parse the command line and measure once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", type=Path, help="a filled SQLite file")
    parser.add_argument("--trials", type=int, default=1_000_000)
    parser.add_argument("--curves", nargs="+", default=LEARNING)
    parser.add_argument("--cold", action="store_true", help="a new server for each page")
    parser.add_argument("--only", default="", help="pages whose address holds this; `exports` for none")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = asked.database or Path(folder, "filled.sqlite")
        if not asked.database:
            fill(str(file), 1, asked.trials, asked.curves)
        with open_storage(f"sqlite:///{file}") as storage:
            largest, stops = stops_of(storage)
            measure_pages(file, [stop for stop in stops if asked.only in "?".join(stop)], cold=asked.cold)
            if asked.only in ("", "exports"):
                measure_exports(storage, largest)


if __name__ == "__main__":
    main()
