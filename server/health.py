"""Whether the application is there and can work, for whoever watches it."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ensembles.errors import StorageError
from storage import Health, Storage

__all__ = ["health_routes"]


def health_routes(find_storage: Callable[[], Storage], worker_lives: Callable[[], bool]) -> list[Route]:
    """Return the routes `/health` and `/ready`.

    `/health` answers 200 when the database takes what is written, runners are heard and the worker lives, else 503 and why;
    its `database` says whether the database takes what is written;
    `/ready` 200 when pages can be shown: the database answers and has the tables of this version, else 503 and why.

    Parameters
    ----------
    find_storage : callable
        The storage of the pages; may raise `StorageError`.
    worker_lives : callable
        Whether the worker beside the server runs.
    """

    def health(_: Request) -> JSONResponse:
        found, worker = _look(find_storage, Storage.check_health), worker_lives()
        return _answer(
            {
                "status": "ok" if worker and found.is_well else "unavailable",
                "database": found.database,
                "worker": worker,
                "problems": [
                    *found.problems,
                    *(() if worker else ("the worker does not run; it is being started again",)),
                ],
            }
        )

    def ready(_: Request) -> JSONResponse:
        found = _look(find_storage, Storage.check_schema)
        return _answer({"status": "ok" if found.is_well else "unavailable", "problems": [*found.problems]})

    return [Route("/health", health), Route("/ready", ready)]


def _answer(told: dict[str, object]) -> JSONResponse:
    status = 200 if told["status"] == "ok" else 503
    return JSONResponse(told, status_code=status, headers={"Cache-Control": "no-store"})


def _look(find_storage: Callable[[], Storage], look: Callable[[Storage], Health]) -> Health:
    try:
        return look(find_storage())
    except StorageError as error:
        return Health((str(error),), database=False)
