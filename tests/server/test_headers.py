"""Every answer carries the security headers."""

from typing import Any

from starlette.responses import PlainTextResponse

from server.headers import SecurityHeaders
from tests.asking import run


def test_every_answer_carries_the_security_headers() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    wrapped = SecurityHeaders(PlainTextResponse("hello"))
    run(wrapped({"type": "http"}, None, send))  # type: ignore[arg-type]
    headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "frame-ancestors 'self'" in headers["content-security-policy"]
    assert sent[1]["body"] == b"hello"


def test_websockets_pass_untouched() -> None:
    passed: list[Any] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        passed.append((scope, receive, send))

    run(SecurityHeaders(inner)({"type": "websocket"}, 1, 2))  # type: ignore[arg-type]
    assert passed == [({"type": "websocket"}, 1, 2)]
