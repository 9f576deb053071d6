"""A provider of OpenID Connect, as a process of its own."""

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.browser.conftest import ROOT
from tests.ports import free_port

__all__ = ["run_provider", "write_secrets"]

_SECONDS_TO_START = 180


@contextmanager
def run_provider(names: Iterable[str], log: Path) -> Iterator[str]:
    """Run a provider that knows people by name, and give its address; it demands PKCE, and believes whoever says a name."""
    port = free_port()
    with log.open("wb") as said:
        command = [sys.executable, "-m", "tests.browser.pkce_provider", str(port), *names]
        process = subprocess.Popen(command, cwd=ROOT, stdout=said, stderr=said)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/.well-known/openid-configuration", process, log)
        yield address
    finally:
        process.terminate()
        process.wait()


def write_secrets(file: Path, provider: str, server: str) -> None:
    """Write what Streamlit has to know of a provider, for a server that is to be started at an address."""
    settings = {
        "redirect_uri": f"{server}/oauth2callback",
        "cookie_secret": "a secret of the tests, long enough to be taken for one",
        "client_id": "lab",
        "client_secret": "another secret of the tests",
        "server_metadata_url": f"{provider}/.well-known/openid-configuration",
    }
    file.write_text("[auth]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items()))


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _SECONDS_TO_START
    while True:
        try:
            urlopen(address, timeout=5).close()
        except (URLError, OSError):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.1)
        else:
            return
