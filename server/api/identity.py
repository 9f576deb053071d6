"""Who asks the interface: whoever a token stands for, or the program itself where nobody signs in."""

import ipaddress
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Annotated

from fastapi import Depends, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from ensembles.errors import Forbidden
from storage import PROGRAM, Storage

__all__ = ["SIGNED_IN", "AsAsked", "Context", "WrongTokens"]

_BEARER = HTTPBearer(
    auto_error=False, description="A token of `ensemble-lab token create`: `Authorization: Bearer lab_...`"
)
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
_CHALLENGE = {"WWW-Authenticate": "Bearer"}
_NO_TOKEN = "a token is needed, as `Authorization: Bearer lab_...`; `ensemble-lab token create` makes one"


class WrongTokens:
    """Counts the wrong tokens that came from an address.

    Parameters
    ----------
    most : int
        How many may come within `seconds`; a right one is never held up.
    clock : callable
        Seconds that only go forward.
    """

    def __init__(self, most: int = 10, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._since: dict[str, tuple[float, int]] = {}
        self._lock = Lock()

    def wait_after(self, address: str) -> float:
        """Note one, and return for how many seconds this address ought to be silent now: 0 for the first ones."""
        with self._lock:
            now = self._clock()
            begun, count = self._since.pop(address, (now, 0))
            if now - begun >= self._seconds:
                begun, count = now, 0
            self._since[address] = begun, count + 1
            while len(self._since) > _MOST_ADDRESSES:
                self._since.pop(next(iter(self._since)))
            return 0.0 if count < self._most else begun + self._seconds - now


_MOST_ADDRESSES = 10_000


@dataclass(frozen=True)
class Context:
    """What the routes work on.

    Attributes
    ----------
    find_storage : callable
        The storage of the program; may raise `StorageError`.
    people_sign_in : callable
        Whether people sign in; where they do not, whoever asks from this machine is the program, as on the pages.
    wrong_tokens : WrongTokens
    """

    find_storage: Callable[[], Storage]
    people_sign_in: Callable[[], bool]
    wrong_tokens: WrongTokens = field(default_factory=WrongTokens)


def _as_asked(
    request: Request, response: Response, shown: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]
) -> Storage:
    """Return the storage as who asks sees it; cookies of a browser count for nothing."""
    response.headers["Cache-Control"] = "no-store"
    context: Context = request.app.state.context
    storage = context.find_storage().acting_as(PROGRAM)
    if "authorization" in request.headers:
        return _by_token(context, storage, shown.credentials if shown else "", _address(request))
    if context.people_sign_in() or not _is_from_here(request):
        raise HTTPException(401, _NO_TOKEN, _CHALLENGE)
    return storage


SIGNED_IN = Depends(_as_asked)

AsAsked = Annotated[Storage, SIGNED_IN]
"""The storage as who asks sees it: rights are its own, not the routes'."""


def _by_token(context: Context, storage: Storage, token: str, address: str) -> Storage:
    try:
        actor, _ = storage.open_token(token)
    except Forbidden as error:
        if wait := context.wrong_tokens.wait_after(address):
            seconds = math.ceil(wait)
            sentence = f"too many wrong tokens came from here, the next may come in {seconds} s"
            raise HTTPException(429, sentence, {"Retry-After": str(seconds)}) from None
        raise HTTPException(401, str(error), _CHALLENGE) from None
    return storage.acting_as(actor)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _is_from_here(request: Request) -> bool:
    """Return whether a program of this machine asks by itself: neither through a proxy nor for a page elsewhere."""
    if any(name in request.headers for name in _FORWARDED):
        return False
    if request.headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
        return False
    try:
        address = ipaddress.ip_address(_address(request))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
