"""The user that a proxy names in a header: believed from the proxy, and from nobody else."""

import os
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from starlette.types import ASGIApp, Receive, Scope, Send

from ensembles.errors import InvalidInput

__all__ = ["ProxyUser"]

_Network = IPv4Network | IPv6Network
_LOOPBACK = "127.0.0.0/8,::1"
_FORWARDERS = "127.0.0.1,::1"  # what uvicorn takes where FORWARDED_ALLOW_IPS is not set


class ProxyUser:
    """Takes the header that names the user out of every request that does not come from a proxy of ours.

    uvicorn puts the browser's address in the place of the peer's where the peer is one of `forwarders`, with port 0. These
    must therefore all be proxies of ours: else a stranger could write the address of one.

    Parameters
    ----------
    header : str, optional
        Name of the header; else that of `ENSEMBLE_LAB_USER_HEADER`. Empty: nothing is looked at.
    proxies : str, optional
        Addresses and networks, separated by commas; else those of `ENSEMBLE_LAB_PROXIES`, else this machine.
    forwarders : str, optional
        Peers that uvicorn believes; else those of `FORWARDED_ALLOW_IPS`, as uvicorn reads it.

    Raises
    ------
    InvalidInput
        A proxy is neither an address nor a network, or a forwarder is no proxy.
    """

    def __init__(
        self, app: ASGIApp, header: str | None = None, proxies: str | None = None, forwarders: str | None = None
    ) -> None:
        self.app = app
        name = os.environ.get("ENSEMBLE_LAB_USER_HEADER", "") if header is None else header
        self._header = name.strip().lower().encode("latin-1")
        if self._header:
            given = os.environ.get("ENSEMBLE_LAB_PROXIES", _LOOPBACK) if proxies is None else proxies
            self._proxies = [*_networks("ENSEMBLE_LAB_PROXIES", given)]
            believed = os.environ.get("FORWARDED_ALLOW_IPS", _FORWARDERS) if forwarders is None else forwarders
            for one in _networks("FORWARDED_ALLOW_IPS", believed):
                if not any(one.version == proxy.version and one.subnet_of(proxy) for proxy in self._proxies):  # type: ignore[arg-type]
                    raise InvalidInput(
                        f"FORWARDED_ALLOW_IPS: must lie within ENSEMBLE_LAB_PROXIES where a header names users, got {one}"
                    )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._header and scope["type"] in {"http", "websocket"}:
            named = sum(name == self._header for name, _ in scope["headers"])
            # Two of them: the proxy has left the one that the browser sent beside its own.
            if named > 1 or not self._is_proxy(scope.get("client")):
                kept = [(name, value) for name, value in scope["headers"] if name != self._header]
                scope = {**scope, "headers": kept}
        await self.app(scope, receive, send)

    def _is_proxy(self, peer: tuple[str, int] | None) -> bool:
        if peer is None:
            return False
        host, port = peer
        try:
            address = ip_address(host)
        except ValueError:
            return port == 0
        return port == 0 or any(address in proxy for proxy in self._proxies)


def _networks(name: str, given: str) -> Iterable[_Network]:
    for part in filter(None, map(str.strip, given.split(","))):
        try:
            yield ip_network(part, strict=False)
        except ValueError:
            raise InvalidInput(f"{name}: must be addresses or networks separated by commas, got {part!r}") from None
