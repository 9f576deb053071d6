"""The JSON interface, put together: routes, who asks, failures, description."""

from collections.abc import Callable

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.api.bin import bin_routes
from server.api.datasets import dataset_routes
from server.api.experiments import experiment_routes
from server.api.failures import REFUSALS, say_failures
from server.api.identity import Context
from server.api.library import library_routes
from server.api.page import description_page
from server.api.parameters import check_parameters
from server.api.results import result_routes
from server.api.take_home import model_routes
from storage import Storage

__all__ = ["make_api"]

_ABOUT = """Experiments, their results and data sets, for notebooks and scripts.

Programs show a token: `Authorization: Bearer lab_...`. It is made with `ensemble-lab token create`, and may do what its
scopes say (read, launch, data, admin), never more than its user. Where nobody signs in, programs on the same machine need
none.

Errors are `{"error": "one sentence"}`. Lists come in parts, by limit and offset."""


def make_api(find_storage: Callable[[], Storage], people_sign_in: Callable[[], bool]) -> FastAPI:
    """Return the interface as an application of its own; the parameters are those of `server.api.routes`."""
    app = FastAPI(
        title="Ensemble Lab",
        description=_ABOUT,
        version="1",
        docs_url=None,  # these pages would be fetched from other servers
        redoc_url=None,
        responses=REFUSALS,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.context = Context(find_storage, people_sign_in)
    app.add_middleware(_HeadAsGet)
    say_failures(app)
    for routes in (experiment_routes, result_routes, model_routes, dataset_routes, bin_routes, library_routes):
        app.include_router(routes, dependencies=[Depends(check_parameters)])
    app.add_api_route("/", _describe, include_in_schema=False)
    return app


class _HeadAsGet:
    """Answers HEAD as GET, without the body, where FastAPI answers that there is no such method."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, send_head)


def _describe(request: Request) -> HTMLResponse:
    return HTMLResponse(description_page(request.app.openapi(), request.scope.get("root_path", "")))
