"""Requests and their answers: what is tried again, and which errors come of what is refused."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx2

from ensembles.errors import Conflict, EnsembleLabError, Forbidden, InvalidInput, LabUnreachable, NotFound

__all__ = ["Connection"]

_PREFIX = "/api/v1"
_ATTEMPTS = 7
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0
_PAGE = 200
_LONGEST_TEXT = 200

_ERRORS: dict[int, type[EnsembleLabError]] = {
    400: InvalidInput,
    401: Forbidden,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    413: InvalidInput,
    422: InvalidInput,
}


class Connection:
    """A way to one Ensemble Lab. Answers 429 and 503 are waited out, half a minute in all or as long as the server says.

    Parameters
    ----------
    url : str
    token : str or None
    timeout : float
        Seconds without a sign of life, after which an attempt is given up.
    transport : httpx2.BaseTransport, optional
        What carries requests; the network without it.
    sleep : callable
        Waits for some seconds.
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = str(url).rstrip("/")
        if not (self.url.startswith(("http://", "https://")) and _has_host(self.url)):
            raise InvalidInput(f"Lab: the url must be one such as https://lab.example.org, got {url!r}")
        shown = (token or "").strip()  # of a file, whose line ends
        if not (shown.isascii() and shown.isprintable()) or " " in shown:
            raise InvalidInput("Lab: the token must be one such as lab_..., got signs that no token has")
        headers = {"Authorization": f"Bearer {shown}"} if shown else {}
        self._http = httpx2.Client(base_url=self.url + _PREFIX, headers=headers, timeout=timeout, transport=transport)
        self._sleep = sleep

    def close(self) -> None:
        """Give back what it holds."""
        self._http.close()

    def ask(
        self,
        method: str,
        path: str,
        *,
        again: bool = True,
        content: Callable[[], Any] | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """Return the answer to a request.

        Parameters
        ----------
        again : bool
            Whether it does no harm to send it once more when the answer was lost.
        content : callable, optional
            Gives the body, for each attempt anew.
        params : mapping, optional
            Of the query; those that are None are left out.

        Raises
        ------
        NotFound, Forbidden, InvalidInput, Conflict
            The server refused, in its words.
        LabUnreachable
            No answer, or none that an Ensemble Lab gives.
        """
        given = {name: value for name, value in (params or {}).items() if value is not None}
        for pause in _pauses():
            body: Any = content() if content else None
            try:
                answer = self._http.request(method, path, content=body, params=given, headers=dict(headers or {}))
            except httpx2.TransportError as error:
                was_sent = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
                if pause is None or (was_sent and not again):
                    raise LabUnreachable(f"{self.url} does not answer: {error or type(error).__name__}") from error
                self._sleep(pause)
                continue
            finally:
                if hasattr(body, "close"):
                    body.close()
            if pause is None or answer.status_code not in {429, 503}:
                return self._checked(answer)
            self._sleep(max(pause, _said_pause(answer)))
        raise AssertionError("the last attempt has no pause")

    def read(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON at a path."""
        return self.plain(self.ask("GET", path, params=params))

    def read_all(self, path: str, key: str, params: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        """Give the items of a list, page by page, each once; `key` tells them apart.

        A page begins with the last item of the one before. Where that is elsewhere by then, as others came or went, what
        follows an item that was given is what comes next.
        """
        offset, given = 0, set[str]()
        while True:
            page = self.read(path, {**(params or {}), "limit": _PAGE, "offset": offset})
            items = page["items"]
            known = next((place for place, item in enumerate(items) if item[key] in given), None)
            if known is None and offset:
                offset = max(offset - _PAGE, 0)
                continue
            yield from (item for item in items[known or 0 :] if item[key] not in given)
            given |= {item[key] for item in items}
            if not items or offset + len(items) >= page["total"]:
                return
            offset += max(len(items) - 1, 1)

    def plain(self, answer: httpx2.Response) -> Any:
        """Return the JSON of an answer; raise `LabUnreachable` when it is none."""
        try:
            return answer.json()
        except ValueError:
            raise LabUnreachable(f"{self.url} does not answer as an Ensemble Lab does") from None

    def _checked(self, answer: httpx2.Response) -> httpx2.Response:
        if answer.is_success:
            return answer
        kind = _ERRORS.get(answer.status_code, LabUnreachable)
        try:
            raise kind(str(answer.json()["error"]))
        except (ValueError, TypeError, KeyError) as error:
            if isinstance(error, EnsembleLabError):
                raise
        raise kind(f"{self.url} answers {answer.status_code} {answer.text[:_LONGEST_TEXT]!r}")


def _has_host(url: str) -> bool:
    try:
        return bool(httpx2.URL(url).host)
    except httpx2.InvalidURL:
        return False


def _pauses() -> Iterator[float | None]:
    """Give how long to wait after each attempt, not the same for everybody; None after the last one."""
    for attempt in range(_ATTEMPTS - 1):
        yield _FIRST_PAUSE * 2**attempt * random.uniform(0.75, 1.25)
    yield None


def _said_pause(answer: httpx2.Response) -> float:
    said = answer.headers.get("retry-after", "")
    return min(float(said), _LONGEST_PAUSE) if said.isascii() and said.isdigit() else 0.0
