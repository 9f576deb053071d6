"""Whoever signs in comes back to where they were, and nowhere else."""

from typing import Any
from urllib.parse import quote

import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp

from server.kept_address import KeptAddress
from tests.asking import run

LEADS_ON = RedirectResponse("/")


def asked(path: str, answer: ASGIApp = LEADS_ON, **headers: str) -> Headers:
    """Return the headers of the answer to a request; without us it leads to `/`."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    named = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": path, "headers": named}
    run(KeptAddress(answer)(scope, None, send))  # type: ignore[arg-type]
    assert sent[0]["status"] in {302, 307}
    return Headers(raw=sent[0]["headers"])


def test_the_page_from_which_one_signs_in_is_the_one_that_one_comes_back_to() -> None:
    noted = asked("/auth/login", referer="https://lab.example/results?experiment=a1&view=Running+time")
    assert noted["location"] == "/"
    cookie, *rules = noted["set-cookie"].split("; ")
    assert rules == ["Path=/", "Max-Age=900", "HttpOnly", "SameSite=Lax"]
    back = asked("/oauth2callback", cookie=f"other=1; {cookie}")
    assert back["location"] == "/results?experiment=a1&view=Running+time"
    came_back, forgotten = back.getlist("set-cookie")
    assert came_back == "ensemble_lab_came_back=1; Path=/; Max-Age=30; HttpOnly; SameSite=Lax"
    assert forgotten.startswith("ensemble_lab_wanted=; Path=/; Max-Age=0")


def test_who_cannot_be_sent_to_the_provider_stays_where_they_were_and_can_be_told() -> None:
    fails = PlainTextResponse("Authentication error", 400)
    back = asked("/auth/login", fails, referer="https://lab.example/results?experiment=a1")
    assert back["location"] == "/results?experiment=a1"
    assert back.getlist("set-cookie")[0].startswith("ensemble_lab_came_back=1")


@pytest.mark.parametrize(("user", "kept"), [("2|a|b", ""), ("", "1")])
def test_who_has_signed_in_is_not_told_later_that_it_was_in_vain(user: str, kept: str) -> None:
    """Nor is who loses the session a moment later; a cookie with nothing in it is one that is forgotten."""
    answer = PlainTextResponse("", 302, {"location": "/"})
    answer.set_cookie("_streamlit_user", user, max_age=100 if user else 0)
    back = asked("/oauth2callback", answer, cookie="ensemble_lab_wanted=/results")
    assert back["location"] == "/results"
    assert back.getlist("set-cookie")[1].startswith(f"ensemble_lab_came_back={kept}; ")


def test_who_signs_out_has_not_come_back_in_vain() -> None:
    forgotten = asked("/auth/logout").getlist("set-cookie")
    assert [cookie.partition(";")[0] for cookie in forgotten] == ["ensemble_lab_came_back=", "ensemble_lab_wanted="]
    assert all("Max-Age=0" in cookie for cookie in forgotten)


@pytest.mark.parametrize(
    "address",
    [
        "https://lab.example//evil.example/",
        "https://lab.example/\\evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "https://lab.example/a\nb c",
        "https://lab.example/" + "a" * 4000,
        "http://[",
        "",
    ],
)
def test_nobody_is_led_elsewhere(address: str) -> None:
    assert "set-cookie" not in asked("/auth/login", referer=address)
    back = asked(
        "/oauth2callback", cookie=f"ensemble_lab_wanted={quote(address.removeprefix('https://lab.example'), safe='/')}"
    )
    assert back["location"] == "/"


def test_other_requests_pass_untouched() -> None:
    assert (
        asked("/results", referer="https://lab.example/new", cookie="ensemble_lab_wanted=/new").get("set-cookie")
        is None
    )
