"""Streams at workers: what they tell is handed on, their snapshots are fetched, and sent to where they go on."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ensembles.errors import EnsembleLabError
from ensembles.evaluation.stream_watch import StreamNews
from ensembles.experiments.records import TrialPlan
from runner.cluster.cluster import Cluster
from runner.cluster.snapshots import Ask, fetch_snapshot, send_snapshot
from runner.worker_process.streams import TOPIC, ask_for_snapshots

if TYPE_CHECKING:
    from runner.dispatch.trial_run import TrialRun

__all__ = ["StreamDesk", "Streams"]

_log = logging.getLogger(__name__)


class Streams(Protocol):
    """Where it is kept what the streams of an experiment tell, and their snapshots.

    Attributes
    ----------
    most_bytes : float
        A snapshot that takes more is left where it is.
    begun : set of str
        Keys of the trials of which there is a snapshot.
    is_long : bool
        Whether trials run that are not soon over.
    """

    most_bytes: float
    begun: set[str]
    is_long: bool

    def last_snapshot_seconds(self) -> float:
        """Return how long trials that shall end may take for a last snapshot, to go on some day; 0: none is wanted."""
        ...

    def tell(self, key: str, news: StreamNews) -> None:
        """Hear how far a trial has come. Called in the thread that looks after all experiments: it must be short."""
        ...

    def keep(self, key: str, seen: int, snapshot: bytes) -> None:
        """Keep a snapshot; called beside other threads, as is `load`."""
        ...

    def refuse(self, key: str, size: int) -> None:
        """Hear that a snapshot takes more; called as `tell` is."""
        ...

    def load(self, key: str) -> bytes | None:
        """Return the snapshot of a trial."""
        ...


class StreamDesk:
    """Looks after the streams of several experiments. Belongs to one thread.

    Parameters
    ----------
    runs : mapping of str to TrialRun
        Those that take part, by their ids.
    post : callable
        Takes from any thread what that one shall do.
    """

    def __init__(
        self, cluster: Cluster, runs: Mapping[str, "TrialRun"], post: Callable[[Callable[[], None]], None]
    ) -> None:
        self._cluster, self._runs, self._post = cluster, runs, post
        self._fetching: dict[tuple[str, str], bool] = {}
        self._listens = False

    def listen(self) -> None:
        """Hear from now on what streams tell."""
        if not self._listens:
            self._listens = True
            self._cluster.listen(TOPIC, lambda said: self._post(partial(self._hear, said)))

    def ask_for_snapshots(self, run: "TrialRun", addresses: Collection[str]) -> None:
        """Have all streams of an experiment take a snapshot soon."""
        if addresses:
            self._cluster.ask(ask_for_snapshots, run.id, addresses=addresses)

    def send_ahead(self, address: str, run: "TrialRun", plans: Sequence[TrialPlan]) -> list[str]:
        """Send a worker the snapshots of the trials that it will run; return of which there are any."""
        if run.streams is None:
            return []
        keys = [plan.key for plan in plans if plan.key in run.streams.begun]
        for key in keys:
            self._cluster.deliver(_load_and_send, run.streams, address, run.id, key)
        return keys

    def fetch(self, address: str, run: "TrialRun", key: str) -> None:
        """Fetch the newest snapshot of a trial, if there is one; the run is not over before."""
        place = (run.id, key)
        if run.streams is None:
            return
        if place in self._fetching:
            self._fetching[place] = True  # what is being fetched may be an older one
            return
        self._fetching[place] = False
        run.fetching += 1
        asked = self._cluster.deliver(_fetch_and_keep, run.streams, address, run.id, key)
        asked.add_done_callback(lambda done: self._post(partial(self._note, address, run, key, done)))

    def _note(self, address: str, run: "TrialRun", key: str, done: Any) -> None:
        run.fetching -= 1
        again = self._fetching.pop((run.id, key))
        try:
            if done.result():
                run.queue.forgive(key)
        except (EnsembleLabError, CancelledError) as error:  # the trial goes on, from an earlier one if need be
            _log.warning("a snapshot of trial %s was not kept: %s", key, error)
        except Exception:
            _log.exception("a snapshot of trial %s was not kept", key)
        if again:
            self.fetch(address, run, key)

    def _hear(self, said: dict[str, Any]) -> None:
        run = self._runs.get(said["run"])
        if run is None or run.streams is None:
            return  # of another runner, or of what is over
        if "snapshot" not in said:
            run.streams.tell(said["key"], StreamNews(**said["news"]))
            run.hear(said["key"], said["share"])
        elif said["size"] <= run.streams.most_bytes:
            self.fetch(said["worker"], run, said["key"])
        else:
            size, most = said["size"] / 2**20, run.streams.most_bytes / 2**20
            run.streams.refuse(said["key"], said["size"])
            _log.warning("a snapshot of trial %s takes %.0f MiB, over the limit of %.0f MiB", said["key"], size, most)


def _fetch_and_keep(ask: Ask, streams: Streams, address: str, run: str, key: str) -> bool:
    snapshot = fetch_snapshot(ask, address, run, key, streams.most_bytes)
    if snapshot is not None:
        streams.keep(key, *snapshot)
    return snapshot is not None


def _load_and_send(ask: Ask, streams: Streams, address: str, run: str, key: str) -> None:
    try:
        snapshot = streams.load(key)
    except EnsembleLabError as error:  # the worker asks for it in vain, and it is tried again
        _log.warning("the snapshot of trial %s cannot be read: %s", key, error)
        return
    if snapshot is not None:
        send_snapshot(ask, address, run, key, snapshot)
