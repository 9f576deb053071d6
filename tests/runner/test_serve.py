"""The command that starts the web application."""

import errno
import runpy
import socket
import subprocess
import sys
from typing import Any
from unittest.mock import Mock

import pytest

from runner.command_line import main

HANDSHAKE = """
from websockets.server import ServerProtocol
protocol = ServerProtocol()
cookies = "Cookie: " + "; ".join(f"_streamlit_user_{part}=" + "x" * 4000 for part in range(15))
protocol.receive_data(f"GET / HTTP/1.1\\r\\nHost: lab\\r\\n{cookies}\\r\\n\\r\\n".encode())
print(protocol.events_received(), protocol.handshake_exc)
"""


def test_a_tab_opens_for_who_signed_in_with_hundreds_of_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the provider says of them stands in cookies of 4 KB, and all of these in one line of a request."""
    monkeypatch.setenv("WEBSOCKETS_MAX_LINE_LENGTH", "")  # put back afterwards, as it was
    monkeypatch.delenv("WEBSOCKETS_MAX_LINE_LENGTH")
    said: list[str] = []

    def start(*_: Any, **__: Any) -> None:
        program = [sys.executable, "-c", HANDSHAKE]
        said.append(subprocess.run(program, capture_output=True, text=True, check=True).stdout)

    monkeypatch.setattr(sys, "argv", ["ensemble-lab"])
    monkeypatch.setattr(runpy, "run_module", start)
    assert main(["serve"]) == 0
    assert said[0].startswith("[Request(")


@pytest.mark.parametrize(
    "error",
    [socket.gaierror(-2, "Name or service not known"), OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")],
)
def test_an_address_of_another_machine_is_named(
    error: OSError, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBSOCKETS_MAX_LINE_LENGTH", "")  # put back afterwards, as it was
    monkeypatch.setattr(sys, "argv", ["ensemble-lab"])
    monkeypatch.setattr(runpy, "run_module", Mock(side_effect=error))
    assert main(["serve", "--address", "lab.example.org"]) == 2
    said = f"address: must be one of this machine, got lab.example.org ({error.strerror})\n"
    assert capsys.readouterr().err == said
