"""What many open tabs cost the web process while an experiment runs: 30 lists of experiments, and somebody who looks in.

    python -m benchmarks.open_tabs [--tabs 30] [--page experiments] [--seconds 60] [--app FOLDER]

Each tab is a websocket that does what the browser does: it asks for the page, then for each fragment as often as the page
says, whether or not the last answer came. Meanwhile a visitor opens the page anew every two seconds. Printed are the
seconds from asking to the end of the script, and the processor seconds of the web process for each second.
`--app` names another checkout, to compare with; then run the two in turns, as a machine is never twice the same.
The promise: 95 of 100 within 3 s, on two processors that the trials keep busy.
"""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from ensembles.experiments.config import ExperimentConfig
from storage import open_storage
from tests.ports import free_port

OURS = Path(__file__).resolve().parent.parent
RUNNING = """
name: It runs for minutes
datasets: [digits, {key: waveform40, rows: 5000}, breast_cancer]
learners:
  - {method: single, base: naive_bayes}
  - {method: bagging, base: naive_bayes, n_estimators: 50}
  - {method: online_bagging, base: naive_bayes, n_estimators: 50}
  - {method: online_boosting, base: naive_bayes, n_estimators: 50}
protocol: {kind: cross_validation, repeats: 200, folds: 5, orders: 1}
curves: [learning_curve]
"""
OVER = 12
PAUSE = 2.0


class Tab:
    """One open tab. `waited` are the seconds of its answered questions, the first of them for the whole page."""

    def __init__(self, port: int, page: str, query: str) -> None:
        self._address, self._page, self._query = f"ws://127.0.0.1:{port}/_stcore/stream", page, query
        self._asked: float | None = None
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._script = ""
        self.waited: list[float] = []

    async def live(self, seconds: float) -> None:
        """Open the page and keep it open so long."""
        async with websockets.connect(
            self._address, subprotocols=["streamlit"], max_size=None, open_timeout=60, ping_interval=None
        ) as socket_:
            await self._ask(socket_)
            try:
                await asyncio.wait_for(self._listen(socket_), seconds)
            except TimeoutError:
                pass
            finally:
                self._forget_timers()

    async def look_in(self) -> None:
        """Open the page and leave when it is drawn."""
        async with websockets.connect(
            self._address, subprotocols=["streamlit"], max_size=None, open_timeout=60, ping_interval=None
        ) as socket_:
            await self._ask(socket_)
            await self._listen(socket_, leave=True)
        self._forget_timers()

    async def _ask(
        self, socket_: websockets.ClientConnection, fragment: str = "", chosen: WidgetState | None = None
    ) -> None:
        if self._asked is None:
            self._asked = time.perf_counter()
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_script_hash = self._script
        message.rerun_script.page_name = "" if self._script else self._page
        message.rerun_script.fragment_id = fragment
        message.rerun_script.is_auto_rerun = bool(fragment)
        message.rerun_script.widget_states.SetInParent()
        if chosen is not None:
            message.rerun_script.widget_states.widgets.append(chosen)
        await socket_.send(message.SerializeToString())

    async def _listen(self, socket_: websockets.ClientConnection, *, leave: bool = False) -> None:
        async for data in socket_:
            message = ForwardMsg.FromString(bytes(data))  # type: ignore[arg-type]
            self._note(socket_, message)
            if message.WhichOneof("type") == "script_finished" and self._asked is not None:
                self.waited.append(time.perf_counter() - self._asked)
                self._asked = None
                if leave:
                    return

    def _note(self, socket_: websockets.ClientConnection, message: ForwardMsg) -> None:
        """Note which page it is, and what of it is to be asked for again and again."""
        match message.WhichOneof("type"):
            case "new_session":
                self._script = message.new_session.page_script_hash
                if not message.metadata.run.fragment_ids:
                    self._forget_timers()
            case "navigation":
                self._script = message.navigation.page_script_hash
            case "auto_rerun":
                self._set_timer(socket_, message.auto_rerun.fragment_id, message.auto_rerun.interval)
            case "stop_auto_rerun":
                for fragment in message.stop_auto_rerun.fragment_ids:
                    self._forget_timer(fragment)

    def _set_timer(self, socket_: websockets.ClientConnection, fragment: str, interval: float) -> None:
        async def tick() -> None:
            while True:
                await asyncio.sleep(interval)
                await self._ask(socket_, fragment)

        if fragment not in self._timers:
            self._timers[fragment] = asyncio.create_task(tick())

    def _forget_timer(self, fragment: str) -> None:
        if timer := self._timers.pop(fragment, None):
            timer.cancel()

    def _forget_timers(self) -> None:
        for fragment in list(self._timers):
            self._forget_timer(fragment)


@contextmanager
def served(app: Path, home: str) -> Iterator[tuple[int, psutil.Process]]:
    """Run the application of a checkout, as a user starts it."""
    port = free_port()
    with open(f"{home}/server.log", "wb") as log:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
        environment = {**os.environ, "ENSEMBLE_LAB_HOME": home}
        process = subprocess.Popen(command, cwd=app, env=environment, stdout=log, stderr=log)
    try:
        while not _answers(port):
            assert process.poll() is None, Path(home, "server.log").read_text()
            time.sleep(0.2)
        yield port, psutil.Process(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


async def visit(port: int, page: str, query: str, seconds: float) -> list[float]:
    """Open the page again and again; return the seconds until it was drawn."""
    waited, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        visitor = Tab(port, page, query)
        await visitor.look_in()
        waited += visitor.waited[:1]
        await asyncio.sleep(PAUSE)
    return waited


async def measure(port: int, web: psutil.Process, n_tabs: int, page: str, query: str, seconds: float) -> None:
    """Open the tabs one after another, and print what they and the visitor waited once all are open."""
    tabs = [Tab(port, page, query) for _ in range(n_tabs)]
    opening = 0.2 * n_tabs
    lives = []
    for number, tab in enumerate(tabs):
        lives.append(asyncio.create_task(tab.live(opening - 0.2 * number + seconds)))
        await asyncio.sleep(0.2)
    known, used = [len(tab.waited) for tab in tabs], sum(web.cpu_times()[:2])
    visitor = await visit(port, page, query, seconds)
    used = sum(web.cpu_times()[:2]) - used
    await asyncio.gather(*lives)
    ticks = [waited for tab, n_known in zip(tabs, known, strict=True) for waited in tab.waited[n_known:]]
    for name, waited in (("ticks", ticks), ("visits", visitor)):
        quantiles = np.quantile(waited, [0.5, 0.95, 1.0])
        print(
            f"{name:7} n={len(waited):<5} median {quantiles[0]:.2f} s, p95 {quantiles[1]:.2f} s, worst {quantiles[2]:.2f} s"
        )
    print(f"web process: {used / seconds:.2f} processor seconds a second", flush=True)


def main() -> None:
    """Parse the command line and measure once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tabs", type=int, default=30)
    parser.add_argument("--page", choices=("experiments", "results"), default="experiments")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--app", type=Path, default=OURS)
    asked = parser.parse_args()
    config = ExperimentConfig.from_yaml(RUNNING)
    with tempfile.TemporaryDirectory() as home, served(asked.app, home) as (port, web):
        with open_storage(f"sqlite:///{home}/ensemble-lab.sqlite") as storage:
            for number in range(OVER):
                known = storage.create_experiment(config.model_copy(update={"name": f"Over {number}"}), runner="nobody")
                storage.finish(known.id, "finished", runner="nobody")
            record = storage.create_experiment(config)
            while not storage.get_experiment(record.id).done:
                time.sleep(0.5)
            query = f"experiment={record.id}" if asked.page == "results" else ""
            asyncio.run(measure(port, web, asked.tabs, asked.page, query, asked.seconds))
            done = storage.get_experiment(record.id)
        print(f"{done.done:,} of {done.total:,} trials meanwhile ({done.state})")


if __name__ == "__main__":
    main()
