"""A real browser on a real server, each test session with a database of its own."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Response, expect, sync_playwright

from tests.ports import free_port

ROOT = Path(__file__).parents[2]
UPLOAD_LIMIT_MB = 1
_SECONDS_TO_START = 180  # machines may be busy

expect.set_options(timeout=60_000)

OpenTab = Callable[..., Page]


class Server:
    """The application as a process of its own, as a user starts it."""

    def __init__(self, home: Path, most_mb: int = UPLOAD_LIMIT_MB, secrets: Path | None = None) -> None:
        self.port = free_port()
        self.secrets = secrets
        self.url = f"http://127.0.0.1:{self.port}"
        self.home = home
        self._most_mb = most_mb
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        flags = ["--server.port", str(self.port), "--server.maxUploadSize", str(self._most_mb)]
        if self.secrets:
            flags += ["--secrets.files", str(self.secrets)]
        with (self.home / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), *flags],
                env={**os.environ, "ENSEMBLE_LAB_HOME": str(self.home)},
                stdout=log,
                stderr=log,
            )
        end = time.monotonic() + _SECONDS_TO_START
        while not self._answers():
            assert self._process.poll() is None, self.log()
            assert time.monotonic() < end, self.log()
            time.sleep(0.1)

    def stop(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def log(self) -> str:
        return (self.home / "server.log").read_text()

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False


def chromium() -> str | None:
    """Return the machine's own Chromium (`CHROMIUM` names another); None: the one that Playwright installed."""
    known = (os.environ.get("CHROMIUM"), *map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    return next((path for path in known if path), None)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("browser"))
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"]
        )
        yield running
        running.close()


@pytest.fixture(scope="session")
def first_tab(browser: Browser) -> Page:
    """Return the tab that every test begins in: the application is fetched and compiled once, not for each of them."""
    return browser.new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()


@pytest.fixture
def open_tab(first_tab: Page, server: Server) -> Iterator[OpenTab]:
    """Return a function that opens an address in a tab: the first that all tests share, and then new ones.

    At the end of the test no page may have thrown or logged an error, missed a file or asked another host, and what they
    stored is forgotten.
    """
    complaints: list[str] = []
    heard = {
        "pageerror": lambda error: complaints.append(str(error)),
        "console": lambda said: complaints.append(said.text) if _is_error(said) else None,
        "response": lambda answer: complaints.append(answer.url) if _is_missing(answer) else None,
        "request": lambda asked: complaints.append(asked.url) if _is_foreign(asked.url, server) else None,
    }
    tabs: list[Page] = []

    def open_it(path: str, *, width: int = 1440, scheme: Literal["light", "dark"] = "light") -> Page:
        page = first_tab.context.new_page() if tabs else first_tab
        tabs.append(page)
        page.set_viewport_size({"width": width, "height": 1000})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_default_timeout(60_000)
        for event, hear in heard.items():
            page.on(event, hear)  # type: ignore[call-overload]
        page.goto(f"{server.url}{path}" if path.startswith("/") else path)
        if not path.startswith("file:"):
            settle(page)
        return page

    yield open_it
    for page in first_tab.context.pages:
        page.evaluate("location.protocol === 'http:' && localStorage.clear()")
        if page is not first_tab:
            page.close()
    for event, hear in heard.items() if tabs else ():
        first_tab.remove_listener(event, hear)
    first_tab.goto("about:blank")
    assert complaints == []


def settle(page: Page) -> None:
    """Wait until the script has run, also if it begins a moment after what asked for it, and nothing is loading.

    A server that answers has heard what was pressed before it was asked.
    """
    for _ in range(2):
        page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        page.evaluate("fetch('/health')")
        page.wait_for_timeout(100)
    page.wait_for_function("!document.querySelector('[data-testid=\"stSkeleton\"]')")


def _is_error(said: ConsoleMessage) -> bool:
    return said.type == "error" and "Failed to load resource" not in said.text


def _is_missing(answer: Response) -> bool:
    """Whether a file is not there; Streamlit looks for its own routes below the page first, and then at the root."""
    return answer.status >= 400 and "/_stcore/" not in answer.url


def _is_foreign(url: str, server: Server) -> bool:
    parts = urlsplit(url)
    return parts.scheme in {"http", "https", "ws", "wss"} and parts.netloc != f"127.0.0.1:{server.port}"
