"""Providers that cannot work are told at the start of the server."""

from contextlib import nullcontext

import pytest

from ensembles.errors import InvalidInput
from pages.parts import who

AUTH = {
    "redirect_uri": "https://lab.example.org/oauth2callback",
    "cookie_secret": "long and random",
    "client_id": "lab",
    "client_secret": "secret",
    "server_metadata_url": "https://id.example.org/.well-known/openid-configuration",
}
SHARED = {name: AUTH[name] for name in ("redirect_uri", "cookie_secret")}


@pytest.mark.parametrize(
    ("auth", "refusal"),
    [
        (AUTH, ""),
        ({**SHARED, "google": AUTH, "okta": AUTH}, ""),
        ("yes", r"\[auth\] of secrets.toml must have redirect_uri and cookie_secret, got none"),
        (SHARED, r"\[auth\] of secrets.toml must have client_id and client_secret and server_metadata_url, got none"),
        ({**AUTH, "client_secret": ""}, r"\[auth\] of secrets.toml must have client_secret, got none"),
        (
            {**SHARED, "okta": {"client_id": "lab"}},
            r"\[auth.okta\] of .* client_secret and server_metadata_url, got none",
        ),
        ({**SHARED, "my_id": AUTH}, r"\[auth.my_id\] of secrets.toml must have no underscore in its name"),
        (
            {**AUTH, "redirect_uri": "https://lab.example.org/"},
            "redirect_uri of secrets.toml must end with .*, got 'https://lab",
        ),
    ],
)
def test_a_sign_in_that_cannot_work_is_told_at_the_start(
    monkeypatch: pytest.MonkeyPatch, auth: object, refusal: str
) -> None:
    monkeypatch.setattr(who.st, "secrets", {"auth": auth})
    with pytest.raises(InvalidInput, match=f"^sign-in: {refusal}") if refusal else nullcontext():
        who.check_providers()
