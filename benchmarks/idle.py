"""What the application costs while nobody does anything: a tab on a finished experiment, one on Home, nothing running.

    python -m benchmarks.idle [--minutes 12] [--app FOLDER]

An experiment is run first, so that worker processes are there and leave while it is measured. Printed are, for each minute,
the processor seconds of the web server and of all processes below it, from /proc/PID/stat; then, for each process that is
there at the end, its own, and those of an hour of minutes in which there were no worker processes any more.
The promise: under 20 s an hour.
"""

import argparse
import asyncio
import contextlib
import os
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from benchmarks.open_tabs import OURS, Tab, served
from ensembles.experiments.first_experiment import first_experiment
from storage import open_storage

TICKS = os.sysconf("SC_CLK_TCK")
SETTLED = 20.0


def used(web: psutil.Process) -> dict[int, float]:
    """Return the processor seconds of each process of the tree; what ended counts as its parent's."""
    found = {}
    for process in [web, *web.children(recursive=True)]:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()
            found[process.pid] = sum(map(int, fields[11:15])) / TICKS  # utime, stime, cutime, cstime
    return found


async def measure(port: int, web: psutil.Process, experiment: str, minutes: int) -> None:
    """Keep two tabs open and print what each minute costs."""
    tabs = [Tab(port, "results", f"experiment={experiment}"), Tab(port, "", "")]
    lives = [asyncio.create_task(tab.live(3600.0 * 24)) for tab in tabs]
    await asyncio.sleep(SETTLED)
    first = before = used(web)
    quiet: list[float] = []
    for minute in range(minutes):
        await asyncio.sleep(60)
        now = used(web)
        spent = sum(now.values()) - sum(before.values())
        print(f"minute {minute + 1:2}: {spent:5.2f} s, {len(now)} processes", flush=True)
        quiet = [*quiet, spent] if now.keys() == before.keys() else []
        before = now
    assert not any(life.done() for life in lives), "a tab was closed"
    for pid, seconds in before.items():
        words = " ".join(psutil.Process(pid).cmdline())
        print(f"{seconds - first.get(pid, 0.0):7.2f} s  {words[-100:]}")
    print(f"an hour without worker processes, by the last {len(quiet)} minutes: {60 * sum(quiet) / len(quiet):.1f} s")
    print("questions of the tabs:", *(len(tab.waited) for tab in tabs))
    for life in lives:
        life.cancel()


def main() -> None:
    """Parse the command line and measure once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=int, default=12)
    parser.add_argument("--app", type=Path, default=OURS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, served(asked.app, home) as (port, web):
        with open_storage(f"sqlite:///{home}/ensemble-lab.sqlite") as storage:
            record = storage.create_experiment(first_experiment())
            while not (now := storage.get_experiment(record.id)).is_final:
                time.sleep(0.5)
        print(
            f"{now.done} of {now.total} trials, {now.state}; {Counter(p.name() for p in web.children(recursive=True))}"
        )
        asyncio.run(measure(port, web, record.id, asked.minutes))


if __name__ == "__main__":
    main()
