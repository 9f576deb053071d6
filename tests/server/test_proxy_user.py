"""Who may say in a header who comes."""

from typing import Any

import pytest

from ensembles.errors import InvalidInput
from server.proxy_user import ProxyUser
from tests.asking import run

HEADER = (b"x-forwarded-user", b"ann")


def kept(
    client: tuple[str, int] | None, *headers: tuple[bytes, bytes], kind: str = "websocket", **given: str
) -> list[Any]:
    """Return the headers that come through, of a request from `client`."""
    seen: list[Any] = []

    async def inner(scope: Any, *_: Any) -> None:
        seen.extend(scope["headers"])

    wrapped = ProxyUser(inner, "X-Forwarded-User", **{"forwarders": "127.0.0.1,::1", **given})
    run(wrapped({"type": kind, "client": client, "headers": [*headers]}, None, None))  # type: ignore[arg-type]
    return seen


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_the_proxy_on_this_machine_is_believed_and_nobody_else(kind: str) -> None:
    other = (b"accept", b"*/*")
    for host in ("127.0.0.1", "::1"):
        assert kept((host, 4000), HEADER, other, kind=kind) == [HEADER, other]
    for client in (("10.0.0.7", 4000), ("fe80::1", 4000), ("stranger", 4000), None):
        assert kept(client, HEADER, other, kind=kind) == [other]


def test_networks_of_proxies_can_be_named() -> None:
    proxies = "10.0.0.0/8, 127.0.0.1, ::1"
    assert kept(("10.0.0.7", 4000), HEADER, proxies=proxies) == [HEADER]
    assert kept(("11.0.0.7", 4000), HEADER, proxies=proxies) == []


def test_a_browser_whose_address_uvicorn_has_from_a_proxy_is_believed() -> None:
    assert kept(("203.0.113.9", 0), HEADER) == [HEADER]


def test_a_header_that_came_beside_that_of_the_proxy_counts_as_little_as_this_one() -> None:
    assert kept(("127.0.0.1", 4000), HEADER, (b"x-forwarded-user", b"admin")) == []


@pytest.mark.parametrize("forwarders", ["*", "0.0.0.0/0", "127.0.0.1,10.0.0.1"])
def test_strangers_cannot_write_the_address_of_a_proxy(forwarders: str) -> None:
    with pytest.raises(InvalidInput, match="FORWARDED_ALLOW_IPS: must"):
        kept(("127.0.0.1", 4000), HEADER, forwarders=forwarders)


def test_what_is_no_network_is_told() -> None:
    with pytest.raises(
        InvalidInput, match=r"ENSEMBLE_LAB_PROXIES: must be addresses or networks .*, got 'proxy.example'"
    ):
        kept(("127.0.0.1", 4000), proxies="proxy.example")


def test_without_a_header_nothing_is_looked_at() -> None:
    seen: list[Any] = []

    async def inner(scope: Any, *_: Any) -> None:
        seen.append(scope)

    scope = {"type": "websocket", "client": ("10.0.0.7", 4000), "headers": [HEADER]}
    run(ProxyUser(inner, "", "nonsense", "*")(scope, None, None))  # type: ignore[arg-type]
    assert seen == [scope]
