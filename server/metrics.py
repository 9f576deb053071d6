"""Numbers for Prometheus: what the database holds, and what the web server is asked and how long it takes."""

import hmac
import ipaddress
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client import generate_latest as text_of
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ensembles.errors import InvalidInput, StorageError
from storage import Statistics, Storage

__all__ = ["Metrics", "RequestMeter", "metrics_token"]

_KEPT_SECONDS = 5.0  # numbers of the database; asking more often asks it no more often
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")


class Metrics:
    """The numbers of one application, in a registry of its own.

    Parameters
    ----------
    find_storage : callable
        The storage of the pages; may raise `StorageError`.
    token : str, optional
        What `/metrics` must be asked with (`Authorization: Bearer TOKEN`); without one it answers this machine only.
    clock : callable
        Seconds that only go forward.
    """

    def __init__(
        self, find_storage: Callable[[], Storage], token: str | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._token = token
        self.registry = CollectorRegistry()
        labels = ["method", "route"]
        self.requests = Counter("http_requests", "Answers.", [*labels, "status"], registry=self.registry)
        self.seconds = Histogram(
            "http_request_seconds", "Until an answer was sent.", labels, buckets=_SECONDS, registry=self.registry
        )
        self.sessions = Gauge("websocket_sessions", "Open tabs.", registry=self.registry)
        ProcessCollector(registry=self.registry)
        self.registry.register(_DatabaseCollector(find_storage, clock))

    def routes(self) -> list[Route]:
        """Return the route `/metrics`."""
        return [Route("/metrics", self._answer)]

    def _answer(self, request: Request) -> Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        headers = {"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"}
        return Response(text_of(self.registry), headers=headers)

    def _refusal(self, request: Request) -> PlainTextResponse | None:
        if self._token is None:
            if _is_from_here(request):
                return None
            said = (
                "/metrics must be asked from this machine; elsewhere with ENSEMBLE_LAB_METRICS_TOKEN, which is not set"
            )
            return PlainTextResponse(f"{said}\n", 403)
        scheme, _, shown = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(shown.strip().encode(), self._token.encode()):
            return None
        return PlainTextResponse("/metrics must be asked with its token\n", 401, {"WWW-Authenticate": "Bearer"})


class RequestMeter:
    """Counts and times what is asked, and counts open websockets; a plain ASGI class, so that streams pass untouched."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._time(scope, receive, send)
        elif scope["type"] == "websocket":
            with self._metrics.sessions.track_inprogress():
                await self.app(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _time(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, begun = 500, time.perf_counter()

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route = _pattern_of(scope)
            self._metrics.requests.labels(method, route, str(status)).inc()
            self._metrics.seconds.labels(method, route).observe(time.perf_counter() - begun)


class _DatabaseCollector(Collector):
    def __init__(self, find_storage: Callable[[], Storage], clock: Callable[[], float]) -> None:
        self._find_storage, self._clock = find_storage, clock
        self._lock = Lock()
        self._kept: tuple[float, Statistics | None] | None = None

    def describe(self) -> Iterator[Metric]:
        """Name nothing ahead: that would ask the database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Return the numbers of the database, which are a few seconds old at most."""
        found = self._statistics()
        yield GaugeMetricFamily("ensemble_lab_database_up", "1 when the database answers.", value=found is not None)
        if found is None:
            return
        yield _labelled("experiments", "Experiments by state.", "state", found.experiments)
        yield _gauge("experiments_paused", "Experiments that wait until they are resumed.", found.paused)
        trials = {"done": found.trials_done - found.trials_failed, "failed": found.trials_failed}
        yield _labelled("trials", "Stored trials by how they ended.", "outcome", trials)
        yield _gauge("trials_waiting", "Trials that are still to come.", found.trials_waiting)
        yield _gauge("runners", "Runners that were heard lately.", found.runners)
        yield _gauge("workers", "Worker processes of these runners.", found.workers)
        yield _gauge("workers_busy", "Worker processes that run a trial.", found.busy)
        yield _gauge("datasets", "Stored data sets.", found.datasets)
        yield _gauge("dataset_bytes", "Bytes of stored data sets.", found.dataset_bytes)
        yield _gauge("database_bytes", "Bytes of the database.", found.database_bytes)

    def _statistics(self) -> Statistics | None:
        with self._lock:
            now = self._clock()
            if self._kept is None or now - self._kept[0] >= _KEPT_SECONDS:
                try:
                    self._kept = now, self._find_storage().get_statistics()
                except StorageError:
                    self._kept = now, None
            return self._kept[1]


def metrics_token() -> str | None:
    """Return what `ENSEMBLE_LAB_METRICS_TOKEN` says: a token, `@FILE` with one in that file, or None.

    Raises
    ------
    InvalidInput
        The file cannot be read, or holds nothing.
    """
    given = os.environ.get("ENSEMBLE_LAB_METRICS_TOKEN", "")
    if not given.startswith("@"):
        return given or None
    try:
        found = Path(given[1:]).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        found = ""
    if not found:
        raise InvalidInput(f"ENSEMBLE_LAB_METRICS_TOKEN: must name a file with a token in it, got {given[1:]!r}")
    return found


def _is_from_here(request: Request) -> bool:
    """Whether somebody on this machine asks, and not through a proxy on it."""
    if request.client is None or any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _pattern_of(scope: Scope) -> str:
    """Return the pattern of the route that answered: paths would be without number, and may tell secrets."""
    route = scope.get("route")
    pattern = getattr(route, "path", None)
    if pattern is None:
        return "none"
    above = scope.get("root_path", "").removesuffix(pattern) if isinstance(route, Mount) else scope.get("root_path", "")
    return f"{above}{pattern}" or "/"


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"ensemble_lab_{name}", text, value=value)


def _labelled(name: str, text: str, label: str, values: dict[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"ensemble_lab_{name}", text, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family
