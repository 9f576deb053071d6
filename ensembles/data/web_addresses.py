"""Which hosts may be asked for a file: public ones, and those that `ENSEMBLE_LAB_ADDRESSES` names.

Whoever may name an address could else have this machine ask others that only it can reach. So what counts is the number that
a name leads to, and the connection goes to the very number that was looked at: a name may lead elsewhere a moment later.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from ensembles.errors import InvalidData, InvalidInput

__all__ = ["check_addresses", "check_name", "connect"]

_SETTING = "ENSEMBLE_LAB_ADDRESSES"
_IN_NO_NAME = frozenset("/:@")  # which addresses hold, and networks that are none
_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network

#: IPv6 addresses that stand for the IPv4 address in their last four bytes: compatible ones, and two of NAT64.
_WITH_IPV4 = (IPv6Network("::/96"), IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))


def check_name(place: str, host: str) -> None:
    """Refuse a host by its name alone, before anybody is asked what it leads to.

    Parameters
    ----------
    place : str
        What messages call the address.

    Raises
    ------
    InvalidData
        It is not among those of `ENSEMBLE_LAB_ADDRESSES`, or is the number of a host that is not public.
    """
    patterns, networks = _allowed()
    number = _number(host)
    if number is not None and not _may_be_asked(number, networks):
        raise _not_public(place, host)
    is_listed = number is not None and any(number in network for network in networks)
    if patterns and not is_listed and not any(fnmatchcase(host, pattern) for pattern in patterns):
        raise InvalidData(f"{place}: the host must be one of {_SETTING} ({', '.join(patterns)}), got {host}")


def connect(place: str, host: str, port: int, seconds: float | None) -> socket.socket:
    """Return a connection to a host, each of whose numbers may be asked.

    Raises
    ------
    InvalidData
        As `check_name`, or a number of the host is not public, and in no network of `ENSEMBLE_LAB_ADDRESSES`.
    OSError
        There is no such host, or none of its numbers answers within `seconds`.
    """
    check_name(place, host)
    _, networks = _allowed()
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    numbers = [str(place_[0]) for *_, place_ in found]
    if not all(_may_be_asked(ip_address(number), networks) for number in numbers):
        raise _not_public(place, host)
    problem = OSError("no address")
    for number in dict.fromkeys(numbers):
        try:
            return socket.create_connection((number, port), seconds)
        except OSError as error:
            problem = error
    raise problem


def check_addresses() -> None:
    """Raise `InvalidInput` where `ENSEMBLE_LAB_ADDRESSES` lists what is neither the name of a host nor a network."""
    _allowed()


def _allowed() -> tuple[list[str], list[_Network]]:
    """Return the patterns of names and the networks of the setting."""
    patterns, networks = list[str](), list[_Network]()
    for word in os.environ.get(_SETTING, "").split(","):
        try:
            networks.append(ip_network(word.strip(), strict=False))
        except ValueError:
            if _IN_NO_NAME.intersection(word):
                said = "must list names of hosts, like *.example.org, and networks, like 10.0.0.0/8"
                raise InvalidInput(f"{_SETTING}: {said}, got {word.strip()!r}") from None
            patterns += [word.strip().lower()] if word.strip() else []
    return patterns, networks


def _may_be_asked(number: _Address, networks: list[_Network]) -> bool:
    return any(number in network for network in networks) or all(map(_is_public, _meant(number)))


def _is_public(number: _Address) -> bool:
    is_special = number.is_multicast or number.is_reserved or number.is_unspecified or number.is_loopback
    return number.is_global and not (is_special or number.is_link_local or getattr(number, "is_site_local", False))


def _meant(number: _Address) -> Iterator[_Address]:
    """Give the addresses that a number leads to: an IPv6 address may stand for one of IPv4."""
    if isinstance(number, IPv4Address):
        yield number
        return
    inner = [number.ipv4_mapped, number.sixtofour, *(number.teredo or ())]
    if any(number in network for network in _WITH_IPV4):
        inner.append(IPv4Address(int(number) & 0xFFFFFFFF))
    stand_ins = [one for one in inner if one is not None]
    yield from stand_ins or [number]


def _number(host: str) -> _Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _not_public(place: str, host: str) -> InvalidData:
    return InvalidData(
        f"{place}: must lead to a public address, {host} does not; {_SETTING} lists networks that are allowed besides"
    )
