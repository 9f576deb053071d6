"""The way to a Dask scheduler that is already there: encrypted, unless it is this machine's or somebody insists."""

import ipaddress
import os
from dataclasses import dataclass

from distributed import Client, Security
from distributed.comm.addressing import get_address_host_port

from ensembles.errors import InvalidInput

__all__ = ["TLSFiles", "connect"]

_CONNECT_SECONDS = 15
_WANTED = "the address of a running Dask scheduler, tls://host:port"


@dataclass(frozen=True)
class TLSFiles:
    """Files in PEM format that say who we are and whom we trust; what is not given, Dask's own settings give.

    Attributes
    ----------
    ca, cert, key : str, optional
        The certificate of the authority that signed those of the cluster; ours; and the private key of ours.
    """

    ca: str | None = None
    cert: str | None = None
    key: str | None = None


def connect(scheduler: str, tls: TLSFiles | None = None, *, is_insecure: bool = False) -> Client:
    """Connect to a scheduler.

    Parameters
    ----------
    scheduler : str
        `tls://host:port`; `tcp://host:port` on this machine only.
    tls : TLSFiles, optional
        What `tls://` needs.
    is_insecure : bool
        Let `tcp://` go to other machines too.

    Raises
    ------
    InvalidInput
        No scheduler answers there, it is not to be trusted, or a file is missing.
    """
    security = _security(tls or TLSFiles())
    try:
        host, _ = get_address_host_port(scheduler)  # a client made with no address at all is never closed
    except ValueError as error:
        raise InvalidInput(f"scheduler must be {_WANTED}, got {scheduler!r}") from error
    if scheduler.startswith("tls://"):
        if not (security.tls_ca_file and security.tls_client_cert):
            raise InvalidInput(
                f"scheduler: {scheduler} needs --tls-ca and --tls-cert (or Dask's distributed.comm.tls settings)"
            )
    elif not (is_insecure or _is_here(host)):
        raise InvalidInput(
            f"scheduler must be tls://host:port on another machine, got {scheduler!r}: without encryption whoever "
            "reaches the network can run code in it and in this process; --insecure accepts that"
        )
    try:
        return Client(scheduler, security=security, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError, RuntimeError) as error:
        raise InvalidInput(f"scheduler must be {_WANTED}, got {scheduler!r}: {_first_line(error)}") from error


def _security(tls: TLSFiles) -> Security:
    files = {"tls_ca_file": tls.ca, "tls_client_cert": tls.cert, "tls_client_key": tls.key}
    given = {name: path for name, path in files.items() if path is not None}
    for name, path in given.items():
        if not os.access(path, os.R_OK):
            flag = name.removeprefix("tls_").removeprefix("client_").removesuffix("_file")
            raise InvalidInput(f"--tls-{flag} must be a file that can be read, got {path!r}")
    try:
        return Security(**given)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"the TLS settings of Dask cannot be used: {_first_line(error)}") from error


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
