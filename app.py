"""The web application: pages, what the server answers beside them, and the worker that runs what users launch.

Start it with `ensemble-lab serve` (or `streamlit run app.py`, which opens no tab for who brings cookies of more than 8 KB).
Address, port and upload limit stand in `.streamlit/config.toml`; flags of these commands and environment variables such as
STREAMLIT_SERVER_ADDRESS override them. By which names it may be asked, besides localhost, numbers and the machine's own,
ENSEMBLE_LAB_HOSTS says.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from ensembles.errors import StorageError
from ensembles.registry import methods
from pages.parts.store import open_store
from pages.parts.who import check_providers, is_open_to_all, sign_in_mode
from runner import embedded
from runner.logs import set_up_logs
from runner.switches import WORKER, is_on
from server.api.routes import api_routes
from server.headers import SecurityHeaders
from server.health import health_routes
from server.hosts import AllowedHosts
from server.kept_address import KeptAddress
from server.left_uploads import remove_left_uploads
from server.metrics import Metrics, RequestMeter, metrics_token
from server.proxy_user import ProxyUser
from server.settings import check_settings
from server.upload_bound import UploadBound
from storage import open_storage
from storage.keeping.backup import remove_left_copies


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any]]:
    """Open (and migrate) the database, run the worker beside the server, end it with the server.

    A database that does not answer yet ends nothing: pages and health say so, the worker tries again and again.
    """
    set_up_logs()
    log = logging.getLogger("server")
    try:
        open_storage().close()
        remove_left_copies()
    except StorageError as error:
        log.error("%s", error.detail)
    if is_open_to_all():
        log.warning(
            "nobody has to sign in, and the server listens beyond this machine: whoever reaches it can do everything"
        )
    remove_left_uploads()
    methods()  # imports the learners now, so that the first page does not wait for them
    warming = Thread(target=_warm_up, name="warming up")
    warming.start()
    worker = embedded.start() if is_on(WORKER) else None
    try:
        yield {"worker": worker}
    finally:
        if worker is not None:
            worker.stop()
        warming.join()


def _warm_up() -> None:
    """Have what results are drawn with imported beside the first pages, which do without it."""
    import_module("pages.parts.results.warm_up").warm_up()


def _worker_lives() -> bool:
    if "worker" not in app.state:
        return False
    worker = app.state["worker"]
    return worker is None or bool(worker.is_alive())  # without one, runners elsewhere do the work


def _people_sign_in() -> bool:
    return sign_in_mode() != "none"


check_settings()
check_providers()
metrics = Metrics(open_store, metrics_token())
app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    lifespan=lifespan,
    routes=[*health_routes(open_store, _worker_lives), *metrics.routes(), *api_routes(open_store, _people_sign_in)],
    middleware=[
        Middleware(RequestMeter, metrics),
        *(Middleware(one) for one in (SecurityHeaders, AllowedHosts, ProxyUser, KeptAddress, UploadBound)),
    ],
)
