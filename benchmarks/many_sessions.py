"""What 30 visitors of a large database cost who go over all pages: the seconds until each is drawn, and memory.

    python -m benchmarks.many_sessions [--sessions 30] [--experiments 1000] [--trials 100000] [--database FILE]

The database is filled by `benchmarks.fill_database`, unless FILE has been. First one visitor opens every page three times,
then all go over them at once, each beginning elsewhere and at other results with the view it began with, and keep their
last page open. Sessions are websockets, as browsers open them; what browsers draw is not measured. The promise: alone every
page under 1.5 s; memory under 1 GiB.
"""

import argparse
import asyncio
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import psutil
import websockets
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.fill_database import main as fill
from benchmarks.open_tabs import OURS, Tab, served
from storage import Storage, open_storage

Stop = tuple[str, str]
VIEWS = (
    "Summary",
    "Scatterplots",
    "Significance",
    "Learning curves",
    "Running time",
    "Leaderboard",
    "Classes",
    "Trials",
)
PAGES: tuple[Stop, ...] = (
    ("", ""),
    ("datasets", ""),
    ("datasets", "dataset=wine"),
    ("new", ""),
    ("new", "dataset=digits"),
    ("experiments", ""),
    ("experiments", "q=bagging&sort=error"),
    ("leaderboard", ""),
    ("papers", ""),
    ("results", ""),
)
AT_MOST = 60.0


class Visitor(Tab):
    """A tab whose user goes from page to page."""

    def __init__(self, port: int) -> None:
        super().__init__(port, "", "")
        self.seconds: list[tuple[Stop, float]] = []
        self.errors: list[tuple[Stop, str]] = []

    async def tour(self, stops: Sequence[Stop], pause: float, stay: asyncio.Event | None = None) -> None:
        """Open one page after the other, and keep the last one open until `stay` is set."""
        async with websockets.connect(
            self._address, subprotocols=["streamlit"], max_size=None, open_timeout=60
        ) as socket_:
            for stop in stops:
                (self._page, self._query), self._script, self._asked = stop, "", None
                await self._ask(socket_)
                await asyncio.wait_for(self._drawn(socket_, stop), AT_MOST)
                self.seconds.append((stop, self.waited[-1]))
                await asyncio.sleep(pause)
            if stay:
                await stay.wait()

    async def _drawn(self, socket_: websockets.ClientConnection, stop: Stop) -> None:
        async for data in socket_:
            message = ForwardMsg.FromString(bytes(data))  # type: ignore[arg-type]
            kind = message.WhichOneof("type")
            if kind == "delta" and message.delta.new_element.WhichOneof("type") == "exception":
                self.errors.append((stop, message.delta.new_element.exception.message))
            if kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                assert self._asked is not None
                self.waited.append(asyncio.get_running_loop().time() - self._begun)
                return

    async def _ask(self, socket_: websockets.ClientConnection, fragment: str = "") -> None:
        self._begun = asyncio.get_running_loop().time()
        await super()._ask(socket_, fragment)


def all_stops(storage: Storage) -> list[Stop]:
    """Return every page, and every view of the results of some experiments, of one and of several."""
    records = storage.list_experiments(limit=12)
    ids = [record.id for record in records]
    views = [("results", f"experiment={ids[n % 6]}&view={view.replace(' ', '+')}") for n, view in enumerate(VIEWS)]
    return [*PAGES, *views, ("results", f"experiments={ids[6]},{ids[7]}")]


def report(what: str, found: Sequence[tuple[Stop, float]]) -> None:
    """Print quantiles of all, and the slowest pages."""
    seconds = [one for _, one in found]
    p50, p95, worst = np.quantile(seconds, [0.5, 0.95, 1.0])
    print(f"{what}: {len(seconds)} pages, median {p50:.2f} s, p95 {p95:.2f} s, worst {worst:.2f} s")
    by_stop: dict[Stop, list[float]] = defaultdict(list)
    for stop, one in found:
        by_stop[stop].append(one)
    for stop, own in sorted(by_stop.items(), key=lambda pair: -float(np.median(pair[1])))[:6]:
        print(f"    {np.median(own):.2f} s  /{stop[0]}?{stop[1]}  ({', '.join(f'{one:.2f}' for one in own[:4])})")


def memory(web: psutil.Process) -> str:
    """Return what the server holds."""
    return f"{web.memory_info().rss / 2**20:.0f} MiB"


async def measure(port: int, web: psutil.Process, stops: list[Stop], sessions: int, pause: float) -> None:
    """Let one go over the pages, then all."""
    alone = Visitor(port)
    print(f"server at its start: {memory(web)}")
    for stop in [*stops, *stops, *stops]:  # a session each, as of a link that is opened: one keeps its view of results
        await alone.tour([stop], 0.0)
    report("first time", alone.seconds[: len(stops)])
    report("again", alone.seconds[len(stops) :])
    print(f"after one visitor: {memory(web)}", flush=True)
    visitors, stay = [Visitor(port) for _ in range(sessions)], asyncio.Event()
    orders = [[*stops[n % len(stops) :], *stops[: n % len(stops)]] for n in range(sessions)]
    tours = [asyncio.create_task(one.tour(order, pause, stay)) for one, order in zip(visitors, orders, strict=True)]
    while any(len(one.seconds) < len(stops) for one in visitors) and not any(tour.done() for tour in tours):
        await asyncio.sleep(1.0)
    print(f"with {sessions} sessions open: {memory(web)}")
    stay.set()
    await asyncio.gather(*tours)
    report(f"{sessions} at once", [one for visitor in visitors for one in visitor.seconds])
    for stop, error in {error for visitor in (alone, *visitors) for error in visitor.errors}:
        print(f"ERROR on /{stop[0]}?{stop[1]}: {error}")


def main() -> None:
    """Parse the command line and measure once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=30)
    parser.add_argument("--experiments", type=int, default=1_000)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--pause", type=float, default=3.0, help="seconds that people look at a page")
    parser.add_argument("--database", type=Path, help="a filled one, which is copied")
    parser.add_argument("--app", type=Path, default=OURS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        file = f"{home}/ensemble-lab.sqlite"
        if asked.database:
            shutil.copyfile(asked.database, file)
        else:
            fill(file, asked.experiments, asked.trials)
        with open_storage(f"sqlite:///{file}") as storage:
            stops = all_stops(storage)
        with served(asked.app, home) as (port, web):
            asyncio.run(measure(port, web, stops, asked.sessions, asked.pause))


if __name__ == "__main__":
    main()
