"""Who is answered by a real server, over HTTP and over a websocket, and what it takes."""

import http.client
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from server import upload_bound
from tests.browser.conftest import OpenTab, Server

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

WEBSOCKET = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
PATHS = {"/": 200, "/health": 200, "/_stcore/stream": 101}


def ask(server: Server, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """Return status, headers and text of what a server answers."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("GET", path, headers={**(WEBSOCKET if path.endswith("stream") else {}), **headers})
        answer = connection.getresponse()
        text = "" if answer.status == 101 else answer.read().decode()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text
    finally:
        connection.close()


@pytest.mark.parametrize("path", PATHS)
def test_a_server_answers_to_its_own_names_and_its_own_pages(server: Server, path: str) -> None:
    for name in (f"localhost:{server.port}", f"127.0.0.1:{server.port}"):
        assert ask(server, path, Host=name)[0] == PATHS[path]
        assert ask(server, path, Host=name, Origin=f"http://{name}")[0] == PATHS[path]


@pytest.mark.parametrize("path", PATHS)
def test_a_server_does_not_answer_to_a_name_that_was_pointed_at_it(server: Server, path: str) -> None:
    host = f"evil.example:{server.port}"
    status, headers, text = ask(server, path, Host=host, Origin=f"http://{host}")
    assert status == 400
    assert text == f"Host must be a name of this server, got '{host}'; ENSEMBLE_LAB_HOSTS lists more names\n"
    if path == "/":
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", PATHS)
def test_a_server_does_not_answer_to_pages_of_others(server: Server, path: str) -> None:
    for origin in ("http://evil.example", f"http://localhost:{server.port + 1}", "null"):
        assert ask(server, path, Host=f"localhost:{server.port}", Origin=origin)[0] == 403


def test_the_server_knows_how_much_it_holds_of_uploaded_files(
    open_tab: OpenTab, server: Server, tmp_path: Path
) -> None:
    page = open_tab("/datasets?shelf=Upload")
    file = tmp_path / "table.csv"
    file.write_text("a,b,class\n" + "1,2,x\n3,4,y\n" * 1000)
    page.locator('input[type="file"]').set_input_files(file)
    expect(page.get_by_text("Recognised: 2,000 rows")).to_be_visible()
    end = time.monotonic() + 120
    while held_by(server) < file.stat().st_size:
        assert time.monotonic() < end
        time.sleep(1)  # it is worked out once in some seconds


def held_by(server: Server) -> int:
    found = upload_bound._HELD.search(ask(server, "/_stcore/metrics")[2].encode())
    return int(found[1]) if found else 0
