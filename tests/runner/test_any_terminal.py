"""What a command prints arrives, whatever the terminal can write, and whether there is one at all."""

import io
import sys

import pytest

from runner.command_line import main

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize(
    ("encoding", "shown"), [("utf-8", "Zoë's 😀 λ"), ("latin-1", "Zoë's ? ?"), ("ascii", "Zo?'s ? ?")]
)
def test_signs_that_a_terminal_has_not_are_left_out(
    encoding: str, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", "create", "--scopes", "read", "Zoë's 😀 λ"]) == 0
    assert capsys.readouterr().out.startswith("lab_")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    assert main(["token", "list"]) == 0
    assert shown in written.getvalue().decode(encoding)


def test_a_command_needs_no_output(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert main(["datasets"]) == 0
    assert main(["import", "not-there.zip"]) == 2
    for stream in (sys.stdout, sys.stderr):
        stream.close()
