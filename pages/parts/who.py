"""Who looks at the pages: everybody alike where nobody signs in, else who signed in, or whoever has a link.

Sign-in is on where the secrets of Streamlit have a section `[auth]` (any provider of OpenID Connect), or where
`ENSEMBLE_LAB_USER_HEADER` names the header in which a proxy says who comes (and nobody else: `server.proxy_user`).
"""

import ipaddress
import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import streamlit as st

from ensembles.errors import Forbidden, InvalidInput
from pages.parts.shared import Shared
from storage import NOBODY, PROGRAM, Actor, Storage

__all__ = ["Identity", "check_providers", "forget_actors", "is_open_to_all", "open_by_link", "sign_in_mode", "who_asks"]

Mode = Literal["none", "proxy", "oidc"]

_SHARED = ("redirect_uri", "cookie_secret")
_OF_A_PROVIDER = ("client_id", "client_secret", "server_metadata_url")
_LINK = "who_link"  # the actor of a link, while its page is shown
_IDENTITY = "who_identity"
_MODE = "who_mode"
_SECONDS = 2.0  # after which a new role, or a lock, is noticed at the latest
_people = Shared(_SECONDS)


class Identity(NamedTuple):
    """Who somebody is to whoever vouches for them."""

    subject: str
    name: str
    email: str | None


def sign_in_mode() -> Mode:
    """Return how people sign in.

    Raises
    ------
    InvalidInput
        There is a file of secrets that cannot be read: it may ask for a sign-in.
    """
    if _header():
        return "proxy"
    return "oidc" if _has_provider() else "none"


def check_providers() -> None:
    """Raise `InvalidInput` where `[auth]` lacks what signing in needs: else people would meet it, at the button."""
    if sign_in_mode() != "oidc":
        return
    auth = st.secrets["auth"]
    settings = auth if isinstance(auth, Mapping) else {}
    named = {f"auth.{name}": values for name, values in settings.items() if isinstance(values, Mapping)}
    providers = {"auth": settings} if "client_id" in settings or not named else named
    for section, values, needed in (
        ("auth", settings, _SHARED),
        *((*one, _OF_A_PROVIDER) for one in providers.items()),
    ):
        if missing := [name for name in needed if not values.get(name)]:
            raise InvalidInput(f"sign-in: [{section}] of secrets.toml must have {' and '.join(missing)}, got none")
    if underlined := next((section for section in providers if "_" in section), None):
        raise InvalidInput(f"sign-in: [{underlined}] of secrets.toml must have no underscore in its name")
    if not str(settings["redirect_uri"]).endswith("/oauth2callback"):
        got = settings["redirect_uri"]
        raise InvalidInput(f"sign-in: redirect_uri of secrets.toml must end with /oauth2callback, got {got!r}")


def is_open_to_all() -> bool:
    """Return whether other machines reach the server and nobody has to sign in."""
    address = st.get_option("server.address")
    return sign_in_mode() == "none" and not _is_this_machine(address)


def who_asks(storage: Storage) -> Callable[[], Actor]:
    """Return what tells, now and later, who looks at this session's pages; it raises `Forbidden` for one who is locked out.

    Parameters
    ----------
    storage : Storage
        Acting for the program.
    """
    if (link := st.session_state.get(_LINK)) is not None:
        return lambda: link
    if _mode_of_session() == "none":
        return lambda: PROGRAM
    identity = _identity()
    if st.session_state.get(_IDENTITY, identity) != identity:
        st.session_state.clear()  # what somebody else was about to do
    st.session_state[_IDENTITY] = identity
    if identity is None:
        return lambda: NOBODY
    return lambda: _people.get(identity, lambda: storage.sign_in(*identity))


def forget_actors() -> None:
    """Ask anew what everybody may do."""
    _people.clear()


def open_by_link(actor: Actor | None) -> None:
    """Let this session see what a link shows and nothing else; None: no longer."""
    if actor is None:
        st.session_state.pop(_LINK, None)
    else:
        st.session_state[_LINK] = actor


def _mode_of_session() -> Mode:
    """Return how people sign in, looked up once: a server must be started anew when that changes."""
    if _MODE not in st.session_state:
        st.session_state[_MODE] = sign_in_mode()
    mode: Mode = st.session_state[_MODE]
    return mode


def _header() -> str:
    return os.environ.get("ENSEMBLE_LAB_USER_HEADER", "").strip()


def _has_provider() -> bool:
    try:
        return "auth" in st.secrets
    except FileNotFoundError as error:
        if any(_says_something(Path(file)) for file in st.get_option("secrets.files")):
            raise InvalidInput("sign-in: secrets.toml must be a TOML file, got one that cannot be read") from error
        return False


def _says_something(file: Path) -> bool:
    """Return whether a file of secrets is there and not empty, or cannot be read: to Streamlit, an empty one is none."""
    try:
        return file.exists() and bool(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return True


def _identity() -> Identity | None:
    if header := _header():
        user = st.context.headers.get(header, "").strip()
        return Identity(f"proxy {user}", user, user if "@" in user else None) if user else None
    return _identity_of(st.user.to_dict()) if st.user.get("is_logged_in") else None


def _identity_of(claims: Mapping[str, object]) -> Identity:
    """Return who the claims of a provider are about; an e-mail address counts only where the provider has verified it."""
    subject, issuer = claims.get("sub"), claims.get("iss")
    if not isinstance(subject, str) or not subject or not isinstance(issuer, str):
        raise Forbidden("sign-in: the provider must name issuer and subject, got neither or one of them")
    email = claims.get("email") if claims.get("email_verified") is True else None
    names = (claims.get(key) for key in ("name", "preferred_username", "email", "sub"))
    return Identity(f"{issuer} {subject}", str(next(filter(None, names))), str(email) if email else None)


def _is_this_machine(address: str | None) -> bool:
    if not address:
        return False
    try:
        return address == "localhost" or ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
