"""Where the JSON interface hangs in the web server; put together when first asked, so that pages start at once."""

from asyncio import Lock
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from storage import Storage

__all__ = ["api_routes"]

_PREFIX = "/api/v1"


def api_routes(find_storage: Callable[[], Storage], people_sign_in: Callable[[], bool]) -> list[BaseRoute]:
    """Return the routes of the interface, under `/api/v1`.

    Parameters
    ----------
    find_storage : callable
        The storage of the program; may raise `StorageError`.
    people_sign_in : callable
        Whether people sign in; where they do not, whoever asks from this machine without a token may do all.
    """

    def make() -> ASGIApp:
        from server.api.application import make_api  # imports FastAPI and what writes reports

        return make_api(find_storage, people_sign_in)

    return [Route("/api", _to_description), Route(_PREFIX, _to_description), Mount(_PREFIX, _Later(make))]


class _Later:
    """An application that is made when somebody asks it."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._make, self._lock = make, Lock()
        self._made: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._lock:
            if self._made is None:
                self._made = await run_in_threadpool(self._make)
            made = self._made
        await made(scope, receive, send)


def _to_description(_: Request) -> Response:
    return RedirectResponse(f"{_PREFIX}/")
