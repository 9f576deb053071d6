"""Whether the application is there and can work, for whoever watches it."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ensembles.errors import StorageError
from storage import Storage

__all__ = ["health_routes"]


def health_routes(find_storage: Callable[[], Storage], worker_lives: Callable[[], bool]) -> list[Route]:
    """Return the route `/health`.

    It answers 200 when the database takes what is written, runners are heard and the worker lives, else 503 and why.

    Parameters
    ----------
    find_storage : callable
        The storage of the pages; may raise `StorageError`.
    worker_lives : callable
        Whether the worker beside the server runs.
    """

    def health(_: Request) -> JSONResponse:
        problems = _database_problems(find_storage)
        worker = worker_lives()
        healthy = worker and not problems
        return JSONResponse(
            {
                "status": "ok" if healthy else "unavailable",
                "database": not problems,
                "worker": worker,
                "problems": [*problems, *(() if worker else ("the worker does not run; it is being started again",))],
            },
            status_code=200 if healthy else 503,
            headers={"Cache-Control": "no-store"},
        )

    return [Route("/health", health)]


def _database_problems(find_storage: Callable[[], Storage]) -> tuple[str, ...]:
    try:
        return find_storage().check_health().problems
    except StorageError as error:
        return (str(error),)
