"""What a runner looks after beside its work: what has been in the bin, or kept, long enough goes."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from ensembles.errors import StorageError
from storage import Storage

__all__ = ["housekeeping"]

_DAY = 86_400.0
_SOON = 3600.0  # after a database that did not answer
_PATIENCE = 2.0  # with one that does not answer when the runner ends

_log = logging.getLogger(__name__)


@contextmanager
def housekeeping(storage: Storage) -> Iterator[None]:
    """Empty the bin now and once a day, in a thread of its own, as long as the block lasts."""
    closed = Event()
    thread = Thread(target=_keep_house, args=(storage, closed), name="housekeeping", daemon=True)
    thread.start()
    try:
        yield
    finally:
        closed.set()
        thread.join(_PATIENCE)


def _keep_house(storage: Storage, closed: Event) -> None:
    pause = 0.0
    while not closed.wait(pause):
        try:
            experiments, datasets = storage.empty_bin()
            models = storage.drop_old_models()
            pause = _DAY
        except StorageError as error:
            _log.warning("the bin could not be emptied: %s", error.detail)
            pause = _SOON
            continue
        if experiments or datasets:
            _log.info("deleted for good from the bin: experiments %d, data sets %d", experiments, datasets)
        if models:
            _log.info("models that nobody took home for a week, deleted: %d", models)
