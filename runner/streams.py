"""What is kept of the streams of an experiment while they run: a bounded series of news each, and the newest snapshot."""

import logging
import time
from collections.abc import Sequence
from threading import Lock

from ensembles.errors import NotFound, StorageError
from ensembles.evaluation.stream_watch import StreamNews
from ensembles.experiments.records import TrialPlan
from runner.cluster.limits import snapshot_bytes
from runner.heartbeat import Lease
from storage import MOST_NEWS, ExperimentRecord, Storage

__all__ = ["ExperimentStreams"]

_SAVE_SECONDS = 2.0
_LAST_SECONDS = 8.0  # supervisors often wait for 10
_PAUSE_SECONDS = 60.0  # nobody waits, and a large model on a busy machine takes long
_AGAIN_SECONDS = 0.5
_MIB = 2**20
_SAVE_SECONDS_EACH = 0.02  # where hundreds of streams run at once, their news is stored less often

_log = logging.getLogger(__name__)


class ExperimentStreams:
    """Streams of one experiment; see `runner.dispatch.stream_desk.Streams`.

    Attributes
    ----------
    is_long : bool
        Whether anything was told: trials that are soon over tell nothing.
    """

    def __init__(self, storage: Storage, record: ExperimentRecord, plans: Sequence[TrialPlan], lease: Lease) -> None:
        self._storage, self._experiment, self._lease = storage, record.id, lease
        self._config = record.config
        self._plans = {plan.key: plan for plan in plans}
        known = [stream for stream in storage.list_streams(record.id) if stream.key in self._plans]
        # What came after its snapshot a stream tells anew.
        self._news = {one.key: [news for news in one.news if news.seen <= one.snapshot_seen] for one in known}
        self._changed = {one.key for one in known if len(self._news[one.key]) < len(one.news)}
        self._lock, self._saved_at = Lock(), time.monotonic()
        self.begun = {stream.key for stream in known if stream.snapshot_bytes}
        self.most_bytes = snapshot_bytes()
        self.is_long = False
        self._too_large: dict[str, int] = {}
        self.save()

    def last_snapshot_seconds(self) -> float:
        """Return how long trials that shall end may take for a snapshot: those of which the runner ends have less."""
        return {"held": _LAST_SECONDS, "paused": _PAUSE_SECONDS}.get(self._lease.standing, 0.0)

    def tell(self, key: str, news: StreamNews) -> None:
        """Take note of how far a trial has come; of one that went back to a snapshot, what came after that is forgotten."""
        with self._lock:
            self._news[key] = _thinned([*(one for one in self._news.get(key, ()) if one.seen < news.seen), news])
            self._changed.add(key)
            self.is_long = True

    def latest(self) -> dict[str, StreamNews]:
        """Return what each trial told last, by its key."""
        with self._lock:
            return {key: news[-1] for key, news in self._news.items() if news}

    def keep(self, key: str, seen: int, snapshot: bytes) -> None:
        """Store a snapshot; it waits for a database that is away, for as long as trials may take for it."""
        begun = time.monotonic()
        while True:
            try:
                self._storage.save_snapshot(self._experiment, self._plans[key], snapshot, seen)
                self.begun.add(key)
                self._too_large.pop(key, None)
                return
            except StorageError as error:
                if time.monotonic() - begun > self.last_snapshot_seconds():
                    raise
                _log.warning("a snapshot of trial %s waits to be stored: %s", key, error.detail)
            time.sleep(_AGAIN_SECONDS)

    def refuse(self, key: str, size: int) -> None:
        """Take note that a snapshot of a trial, of so many bytes, is too large to be kept."""
        self._too_large[key] = size

    def refused(self) -> str | None:
        """Return a sentence on the largest snapshot that was not kept, if there is one."""
        if not (sizes := dict(self._too_large)):
            return None
        key = max(sizes, key=sizes.__getitem__)
        plan, size, most = self._plans[key], sizes[key] / _MIB, self.most_bytes / _MIB
        return (
            f"A snapshot of {self._config.labels()[plan.learner]} on {self._config.dataset_labels()[plan.dataset]} takes "
            f"{size:,.1f} MiB, over the limit of {most:,.1f} MiB (ENSEMBLE_LAB_SNAPSHOT_MEMORY), and is not kept: after a "
            "pause, or when its worker ends, it begins anew."
        )

    def load(self, key: str) -> bytes | None:
        """Return the snapshot of a trial."""
        return self._storage.load_snapshot(self._experiment, key)

    def save_in_time(self) -> None:
        """Store what was told since it was last stored, every few seconds."""
        now = time.monotonic()
        if not self._changed or now - self._saved_at < max(_SAVE_SECONDS, _SAVE_SECONDS_EACH * len(self._changed)):
            return
        self._saved_at = now
        self.save()

    def save(self) -> None:
        """Store what was told since it was last stored."""
        with self._lock:
            changed, self._changed = self._changed, set()
            told = [(self._plans[key], tuple(self._news[key])) for key in changed]
        try:
            if told:
                self._storage.save_streams(self._experiment, told)
        except (StorageError, NotFound):  # it is no result: people see it a little later
            with self._lock:
                self._changed |= changed


def _thinned(news: list[StreamNews]) -> list[StreamNews]:
    """Return at most as many as are stored: every other one where they are more, and the newest."""
    return news if len(news) <= MOST_NEWS else [*news[:-1:2], news[-1]]
