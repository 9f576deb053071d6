"""The experiments that a runner holds at the same time, each looked after by a thread of its own."""

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Thread
from types import TracebackType
from typing import Self

from ensembles.errors import StorageError
from runner.cluster.cluster import Cluster, ClusterLost
from runner.dispatch.dispatcher import Dispatcher
from runner.heartbeat import LEASE_SECONDS, Heartbeat, Lease
from runner.models import ModelDesk
from runner.run_experiment import run_beside_others
from storage import ExperimentRecord, Storage

__all__ = ["MOST_HELD", "Shift"]

MOST_HELD = 8
"""So many experiments share the workers of a runner, whose memory holds the data of all of them."""

_LOOK_SECONDS = 3.0  # how often it is asked whether one should make room
_LEAST_SECONDS = 10.0  # an experiment keeps its place for so long
_WORTH_MOVING = 30.0  # seconds of work

_log = logging.getLogger(__name__)


class Shift:
    """What a runner is at, on one cluster. Closing it waits for the experiments, which `shutting_down` ends early."""

    def __init__(
        self, storage: Storage, cluster: Cluster, heartbeat: Heartbeat, shutting_down: Callable[[], bool]
    ) -> None:
        self._storage, self._heartbeat, self._shutting_down = storage, heartbeat, shutting_down
        self._dispatcher = Dispatcher(cluster)
        self._models = ModelDesk(storage, self._dispatcher, heartbeat.runner, shutting_down)
        self._places: list[_Place] = []
        self._given_away: set[str] = set()
        self._keep_places: set[str] = set()
        self._looked = time.monotonic()

    @property
    def is_busy(self) -> bool:
        """Whether there is an experiment or a model at hand."""
        return self._models.is_busy or any(place.thread.is_alive() for place in self._places)

    def claim(self) -> None:
        """Claim what waits, as far as there are places, and see that those who wait will have one.

        Raises
        ------
        ClusterLost
            The cluster is of no use any more.
        StorageError
            The database cannot be reached.
        """
        if self._dispatcher.failure is not None:
            raise self._dispatcher.failure
        workers, busy = self._dispatcher.workers, self._dispatcher.busy
        self._heartbeat.workers, self._heartbeat.busy = workers or self._heartbeat.workers, busy
        self._places = [place for place in self._places if place.thread.is_alive()]
        while len(self._places) < MOST_HELD and not self._shutting_down():
            held = {place.record.id for place in self._places}
            record = self._storage.claim_experiment(
                self._heartbeat.runner, LEASE_SECONDS, held=held, has_idle_workers=busy < max(workers, 1)
            )
            if record is None:
                break
            self._begin(record)
        self._models.look()
        if time.monotonic() - self._looked > _LOOK_SECONDS:
            self._looked = time.monotonic()
            self._make_room()

    def __enter__(self) -> Self:
        self._dispatcher.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for place in self._places:
            place.thread.join()
        self._models.close()
        self._dispatcher.__exit__(kind, error, trace)
        self._heartbeat.busy = 0

    def _begin(self, record: ExperimentRecord) -> None:
        _log.info("experiment %s: %s trials done", record.id, record.done)
        holding = ExitStack()
        lease = holding.enter_context(self._heartbeat.hold(record))
        lease.keeps_place = record.id in self._keep_places
        thread = Thread(target=self._run, args=(record, lease, holding), name=f"experiment {record.id}")
        self._places.append(_Place(record, lease, thread, time.monotonic()))
        thread.start()

    def _make_room(self) -> None:
        """Give one experiment back where others wait for a place, or another runner has nothing to do."""
        ripe = [place for place in self._places if place.is_ripe()]
        if len(self._places) < 2 or not ripe or any(place.lease.shall_yield for place in self._places):
            return
        if len(self._places) >= MOST_HELD and self._storage.is_work_waiting(LEASE_SECONDS):
            ripe[0].lease.yield_place()
        elif movable := [place for place in ripe if place.record.id not in self._given_away]:
            others = [one for one in self._storage.list_runners() if one.name != self._heartbeat.runner]
            if any(one.workers and not one.experiments for one in others):
                self._given_away.add(movable[-1].record.id)  # once: that runner may have a reason not to take it
                movable[-1].lease.yield_place()

    def _run(self, record: ExperimentRecord, lease: Lease, holding: ExitStack) -> None:
        begun, runner = time.monotonic(), self._heartbeat.runner
        with holding:
            try:
                try:
                    run_beside_others(
                        self._storage, self._dispatcher, record, lease, runner, shutting_down=self._shutting_down
                    )
                except ClusterLost as error:
                    self._storage.release(record.id, runner, str(error))
                except StorageError:
                    raise
                except Exception as error:  # whatever it is, other experiments go on
                    _log.exception("experiment %s failed", record.id)
                    reason = f"an error of this program stopped the experiment: {type(error).__name__}: {error}"
                    self._storage.finish(record.id, "failed", reason, runner=runner)
            except StorageError:
                _log.warning("experiment %s: lost the database; it goes on when that is back", record.id)
        if lease.keeps_place:  # else each of its turns would lose what it came to
            self._keep_places.add(record.id)
        _log.info("experiment %s: let go after %.1f s", record.id, time.monotonic() - begun)


@dataclass(frozen=True)
class _Place:
    record: ExperimentRecord
    lease: Lease
    thread: Thread
    begun: float

    def is_ripe(self) -> bool:
        """Return whether it may be given back: it was here for a while, has more than a little left, and can go on."""
        left, is_settled = self.lease.seconds_left, time.monotonic() - self.begun > _LEAST_SECONDS
        return is_settled and not self.lease.keeps_place and (left is None or left > _WORTH_MOVING)
