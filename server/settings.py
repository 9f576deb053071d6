"""Settings of the environment that are read only when somebody comes: looked through as the server starts."""

from starlette.routing import Router

from ensembles.data.web_addresses import check_addresses
from ensembles.errors import InvalidInput, StorageError
from runner.cluster.limits import check_limits
from runner.logs import log_form
from runner.switches import WARM, WORKER, is_on
from server.hosts import AllowedHosts
from server.proxy_user import ProxyUser
from storage import default_visibility
from storage.location import is_sqlite
from storage.people.limits import default_limits
from storage.people.people import default_role

__all__ = ["check_settings"]


def check_settings() -> None:
    """Raise `InvalidInput` for a setting that cannot be meant: else people would meet it, at a page or a launch."""
    for read in (log_form, default_limits, default_role, default_visibility, check_addresses):
        read()
    for name in (WORKER, WARM):
        is_on(name)
    try:
        is_sqlite()  # looks at the address alone: a database that is away is waited for
    except StorageError as error:
        raise InvalidInput(f"DATABASE_URL: {error.detail}") from error
    for made in (ProxyUser, AllowedHosts):
        made(Router())
    check_limits(None, None, None)
