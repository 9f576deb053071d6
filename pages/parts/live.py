"""What changes while people look at it: asked once a second for all sessions of those who may see the same."""

from collections.abc import Callable, Hashable
from typing import TypeVar

from pages.parts.shared import Shared
from pages.parts.store import store
from storage import ExperimentRecord, Folded, ModelRecord, Storage, StreamRecord, Wanted, Word

__all__ = [
    "ask_anew",
    "ask_now",
    "count_now",
    "experiment_now",
    "experiments_now",
    "folded_now",
    "models_now",
    "shared",
    "streams_now",
    "words_now",
]

_T = TypeVar("_T")

shared = Shared()


def ask_now(key: Hashable, ask: Callable[[Storage], _T]) -> _T:
    """Return what the storage answers who looks at this page, at most a second old; nobody gets another's answer."""
    storage = store()
    return shared.get((storage.actor, key), lambda: ask(storage))


def ask_anew() -> None:
    """Let the next look see what was just done here."""
    shared.clear()


def experiments_now(wanted: Wanted, limit: int, offset: int = 0) -> list[ExperimentRecord]:
    """Return what `Storage.find_experiments` does, at most a second old."""
    return ask_now(("list", wanted, limit, offset), lambda storage: storage.find_experiments(wanted, limit, offset))


def count_now(wanted: Wanted) -> int:
    """Return what `Storage.count_found` does, at most a second old."""
    return ask_now(("count", wanted), lambda storage: storage.count_found(wanted))


def folded_now(wanted: Wanted) -> list[Folded]:
    """Return what `Storage.find_folded` does, at most a second old."""
    return ask_now(("folded", wanted), lambda storage: storage.find_folded(wanted))


def words_now() -> dict[str, list[Word]]:
    """Return what `Storage.list_words` does, at most a second old."""
    return ask_now("words", lambda storage: storage.list_words())


def experiment_now(experiment_id: str) -> ExperimentRecord:
    """Return an experiment as it stands, at most a second old; raise `NotFound`."""
    return ask_now(("experiment", experiment_id), lambda storage: storage.get_experiment(experiment_id))


def streams_now(experiment_id: str) -> list[StreamRecord]:
    """Return the streams of an experiment that have not ended, at most a second old; raise `NotFound`."""
    return ask_now(("streams", experiment_id), lambda storage: storage.list_streams(experiment_id))


def models_now(experiment_id: str) -> list[ModelRecord]:
    """Return the models of an experiment to take home, at most a second old; raise `NotFound`."""
    return ask_now(("models", experiment_id), lambda storage: storage.list_models(experiment_id))
