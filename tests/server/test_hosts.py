"""By which names, and from which pages, a server may be asked."""

from socket import gethostname
from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from server.hosts import AllowedHosts
from tests.asking import run


def answer_of(headers: dict[str, str], kind: str = "http", hosts: tuple[str, ...] = ()) -> tuple[int, str]:
    """Return status and text of what a guarded application answers: 200 of itself."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    guarded = AllowedHosts(PlainTextResponse("hello"), hosts)
    run(guarded({"type": kind, "headers": raw}, None, send))  # type: ignore[arg-type]
    return sent[0]["status"], sent[1]["body"].decode()


OWN = ("localhost", "localhost:8501", "LocalHost.:8501", "127.0.0.1:8501", "[::1]:8501", "192.168.1.5", gethostname())


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_a_server_is_asked_by_its_own_names_only(kind: str) -> None:
    for host in OWN:
        assert answer_of({"host": host}, kind) == (200, "hello"), host
    for host in (
        "evil.example",
        "evil.example:8501",
        "localhost.evil.example",
        "localhost@evil.example",
        "",
        "a/b",
        "[::1",
    ):
        status, text = answer_of({"host": host}, kind)
        assert status == 400, host
        assert text == f"Host must be a name of this server, got {host!r}; ENSEMBLE_LAB_HOSTS lists more names\n"
    assert answer_of({}, kind)[0] == 400


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_only_own_pages_may_ask(kind: str) -> None:
    for host, origin in (
        ("localhost:8501", "http://localhost:8501"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("localhost", "https://localhost:443"),
        ("[::1]:8501", "http://[::1]:8501"),
    ):
        assert answer_of({"host": host, "origin": origin}, kind)[0] == 200, origin
    for origin in ("http://evil.example", "http://localhost:3000", "null", "https://localhost:8501.evil.example", ""):
        status, text = answer_of({"host": "localhost:8501", "origin": origin}, kind)
        assert status == 403, origin
        assert "Origin must be the address that is asked, 'localhost:8501', got" in text


def test_more_names_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ("lab.example.org", "*.lab.example")
    for host in ("lab.example.org", "LAB.example.org:443", "a.lab.example"):
        assert answer_of({"host": host, "origin": f"https://{host}"}, hosts=given)[0] == 200, host
    for host in ("lab.example", "evil.example", "elab.example.org"):
        assert answer_of({"host": host}, hosts=given)[0] == 400, host
    assert answer_of({"host": "lab:8501", "origin": "https://lab.example.org"}, hosts=(*given, "lab"))[0] == 200
    assert answer_of({"host": "whatever"}, hosts=("*",))[0] == 200
    assert answer_of({"host": "whatever", "origin": "http://evil.example"}, hosts=("*",))[0] == 403
    monkeypatch.setenv("ENSEMBLE_LAB_HOSTS", " Lab.Example.org , other.example")
    guarded = AllowedHosts(PlainTextResponse("hello"))
    assert {"lab.example.org", "other.example"} == guarded._given


@pytest.mark.parametrize(
    "name", ["*", "*.lab.example", "Lab.Example.", "my_lab", "büro.example", "10.0.0.7", "::1", "[fd00::1]"]
)
def test_names_and_numbers_may_be_given(name: str) -> None:
    assert answer_of({"host": "localhost"}, hosts=("", name)) == (200, "hello")
