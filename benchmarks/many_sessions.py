"""What 50 visitors of a large database cost who go over all pages for five minutes while experiments run: seconds, memory.

    python -m benchmarks.many_sessions [--sessions 50] [--seconds 300] [--pause 10] [--running 2] [--database FILE]

The database is filled by `benchmarks.fill_database`, unless FILE has been. First one visitor opens every page three times.
Then experiments are launched, which the server's own worker runs, and all visitors go over the pages, each beginning
elsewhere: they open a page, look at it, choose something else in one of its choices, look again. Meanwhile they ask for
what is live as often as the page says. Sessions are websockets, as browsers open them; what browsers draw is not measured.
Printed are the seconds from asking to the end of the script, and every half minute what the server holds. An exception or a
red sentence on a page is an error.
The promise: alone every page under 1.5 s; with 50 sessions half of the pages under 1 s, 95 of 100 under 3 s, no error.
"""

import argparse
import asyncio
import random
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
import websockets
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.fill_database import main as fill
from benchmarks.open_tabs import OURS, RUNNING, Tab, served
from ensembles.experiments.config import ExperimentConfig
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
    ("experiments", "search=bagging&sort=Lowest+error"),
    ("leaderboard", ""),
    ("papers", ""),
    ("results", ""),
)
AT_MOST = 60.0
FEW = 4
"""Choices that are tried of a long list."""
EVERY = 30.0
LOGGED = 8_000
"""Letters of the server's log that are shown when there was an error."""


class Answer(NamedTuple):
    """What a visitor waited for, and how long: a page that was opened, or one on which something was chosen."""

    stop: Stop
    deed: str
    seconds: float


class Visitor(Tab):
    """A tab whose user goes from page to page."""

    def __init__(self, port: int, seed: int = 0) -> None:
        super().__init__(port, "", "")
        self.answers: list[Answer] = []
        self.errors: list[tuple[Stop, str]] = []
        self._rng = random.Random(seed)
        self._choices: list[WidgetState] = []

    async def tour(self, stops: Sequence[Stop], pause: float = 0.0, end: float = 0.0) -> None:
        """Open one page after the other: each of them once, or round and round until `end`, with choices and rests."""
        async with websockets.connect(
            self._address, subprotocols=["streamlit"], max_size=None, open_timeout=60, ping_interval=None
        ) as socket_:
            for stop in cycle(stops) if end else stops:
                (self._page, self._query), self._script, self._choices = stop, "", []
                await self._wait_for(socket_, stop, "opened")
                await self._rest(socket_, pause)
                if pause and self._choices:
                    await self._wait_for(socket_, stop, "chosen", self._rng.choice(self._choices))
                    await self._rest(socket_, pause)
                if 0 < end < asyncio.get_running_loop().time():
                    break
            self._forget_timers()

    async def _wait_for(
        self, socket_: websockets.ClientConnection, stop: Stop, deed: str, chosen: WidgetState | None = None
    ) -> None:
        """Ask for the page, with what was chosen on it, and wait until it is drawn."""
        clock = asyncio.get_running_loop().time
        self._forget_timers()
        self._asked, begun = None, clock()
        await self._ask(socket_, chosen=chosen)
        try:
            await asyncio.wait_for(self._drawn(socket_, stop), AT_MOST)
        except TimeoutError:
            self.errors.append((stop, f"not drawn within {AT_MOST:.0f} s"))
        self._asked = None  # what is heard next answers a part of the page that is live
        self.answers.append(Answer(stop, deed, clock() - begun))

    async def _drawn(self, socket_: websockets.ClientConnection, stop: Stop) -> None:
        async for data in socket_:
            message = ForwardMsg.FromString(bytes(data))  # type: ignore[arg-type]
            self._note(socket_, message)
            if message.WhichOneof("type") == "delta":
                self._look_at(message.delta.new_element, stop)
            ends = {ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR}
            if message.WhichOneof("type") == "script_finished" and message.script_finished in ends:
                return

    def _look_at(self, element: Element, stop: Stop) -> None:
        """Note what is wrong on the page, and what could be chosen."""
        kind = element.WhichOneof("type")
        if kind == "exception":
            self.errors.append((stop, element.exception.message))
        elif kind == "alert" and element.alert.format == Alert.ERROR:
            self.errors.append((stop, element.alert.body))
        elif kind == "selectbox" and not element.selectbox.form_id:
            options = [*element.selectbox.options][:FEW]
            self._choices += [WidgetState(id=element.selectbox.id, string_value=one) for one in options]
        elif kind == "button_group" and not element.button_group.form_id:
            group = element.button_group
            for option in group.options if group.click_mode == ButtonGroup.SINGLE_SELECT else ():
                state = WidgetState(id=group.id)
                state.string_array_value.data.append(option.content)
                self._choices.append(state)

    async def _rest(self, socket_: websockets.ClientConnection, pause: float) -> None:
        """Look at the page for about so long, and let it ask for what is live."""
        if pause:
            try:
                await asyncio.wait_for(self._listen(socket_), pause * self._rng.uniform(0.5, 1.5))
            except TimeoutError:
                self._asked = None


def all_stops(storage: Storage) -> list[Stop]:
    """Return every page, and every view of the results of some experiments, of one and of several."""
    records = storage.list_experiments(limit=12)
    ids = [record.id for record in records]
    views = [("results", f"experiment={ids[n % 6]}&view={view.replace(' ', '+')}") for n, view in enumerate(VIEWS)]
    return [*PAGES, *views, ("results", f"experiments={ids[6]},{ids[7]}")]


def report(what: str, found: Sequence[Answer]) -> None:
    """Print quantiles of all, and the slowest pages."""
    seconds = [one.seconds for one in found]
    p50, p95, worst = np.quantile(seconds, [0.5, 0.95, 1.0])
    print(f"{what}: {len(seconds)} pages, median {p50:.2f} s, p95 {p95:.2f} s, worst {worst:.2f} s")
    by_stop: dict[tuple[Stop, str], list[float]] = defaultdict(list)
    for one in found:
        by_stop[one.stop, one.deed].append(one.seconds)
    for (stop, deed), own in sorted(by_stop.items(), key=lambda pair: -float(np.median(pair[1])))[:8]:
        print(f"    {np.median(own):.2f} s, worst {max(own):.2f} s  {deed} /{stop[0]}?{stop[1]}")


async def alone(port: int, stops: list[Stop]) -> list[Visitor]:
    """Let one visitor open every page three times, each in a session of its own, as of a link that is opened."""
    visitor = Visitor(port)
    for stop in [*stops, *stops, *stops]:
        await visitor.tour([stop])
    report("alone, first time", visitor.answers[: len(stops)])
    report("alone, again", visitor.answers[len(stops) :])
    return [visitor]


async def together(
    port: int, web: psutil.Process, stops: list[Stop], sessions: int, seconds: float, pause: float
) -> list[Visitor]:
    """Let all visitors go over the pages for so long, and print what the server holds meanwhile."""
    visitors, clock = [Visitor(port, seed) for seed in range(sessions)], asyncio.get_running_loop().time
    begun, used = clock(), sum(web.cpu_times()[:2])
    tours = []
    for number, visitor in enumerate(visitors):
        own = [*stops[number % len(stops) :], *stops[: number % len(stops)]]
        tours.append(asyncio.create_task(visitor.tour(own, pause, begun + seconds)))
        await asyncio.sleep(0.1)  # people do not come all at once
    while not all(tour.done() for tour in tours):
        await asyncio.wait(tours, timeout=EVERY)
        answers = sum(len(visitor.answers) for visitor in visitors)
        memory = f"{web.memory_info().rss / 2**20:.0f} MiB"
        print(f"after {clock() - begun:.0f} s: {answers} pages, server {memory}", flush=True)
    await asyncio.gather(*tours)
    used = (sum(web.cpu_times()[:2]) - used) / (clock() - begun)
    print(f"server and its worker's thread: {used:.2f} processor seconds a second")
    report(f"{sessions} sessions", [one for visitor in visitors for one in visitor.answers])
    live = [waited for visitor in visitors for waited in visitor.waited]
    print(f"    live parts: {len(live)} times, median {np.median(live):.2f} s, p95 {np.quantile(live, 0.95):.2f} s")
    return visitors


def launch(storage: Storage, number: int) -> list[str]:
    """Launch experiments that run for long, and return their ids."""
    config = ExperimentConfig.from_yaml(RUNNING)
    named = [config.model_copy(update={"name": f"It runs {n}", "seed": n}) for n in range(number)]
    return [storage.create_experiment(one).id for one in named]


def measure(storage: Storage, port: int, web: psutil.Process, asked: argparse.Namespace) -> int:
    """Let one go over the pages, then all while experiments run; return how many errors there were."""
    stops = all_stops(storage)
    visitors = asyncio.run(alone(port, stops))
    running = launch(storage, asked.running)
    views = ("Summary", "Learning curves", "Trials")
    stops += [("results", f"experiment={one}&view={view.replace(' ', '+')}") for one in running for view in views]
    visitors += asyncio.run(together(port, web, stops, asked.sessions, asked.seconds, asked.pause))
    done = [storage.get_experiment(one) for one in running]
    print(f"meanwhile: {', '.join(f'{one.done:,} of {one.total:,} trials ({one.state})' for one in done)}")
    errors = [error for visitor in visitors for error in visitor.errors]
    print(f"errors: {len(errors)}")
    for stop, error in sorted({*errors}):
        print(f"    /{stop[0]}?{stop[1]}: {error}")
    return len(errors)


def main() -> None:
    """Parse the command line and measure once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--pause", type=float, default=10.0, help="seconds that people look at a page, on average")
    parser.add_argument("--running", type=int, default=2, help="experiments that run meanwhile")
    parser.add_argument("--experiments", type=int, default=1_000)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--database", type=Path, help="a filled one, which is copied")
    parser.add_argument("--app", type=Path, default=OURS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        file = f"{home}/ensemble-lab.sqlite"
        if asked.database:
            shutil.copyfile(asked.database, file)
        else:
            fill(file, asked.experiments, asked.trials)
        with served(asked.app, home) as (port, web), open_storage(f"sqlite:///{file}") as storage:
            if measure(storage, port, web, asked):
                print(Path(home, "server.log").read_text()[-LOGGED:])


if __name__ == "__main__":
    main()
