"""Logs: a line an event, JSON where it is wished, and no secret whatever happens."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ensembles.errors import InvalidInput
from runner.logs import JsonFormatter, SafeFormatter, set_up_logs

ROOT = Path(__file__).parents[2]


def line_of(message: str, *given: object, formatter: logging.Formatter | None = None, **more: object) -> dict[str, str]:
    record = logging.getLogger("runner.test").makeRecord(
        "runner.test", logging.WARNING, __file__, 1, message, given, None, extra=more or None
    )
    found: dict[str, str] = json.loads((formatter or JsonFormatter()).format(record))
    return found


def test_a_line_tells_when_who_and_what() -> None:
    told = line_of("experiment %s: let go after %.1f s\nwell", "abc", 1.25)
    moment = told.pop("time")
    assert (len(moment), moment[-6:]) == (29, "+00:00")
    message = "experiment abc: let go after 1.2 s\nwell"
    assert told == {"level": "WARNING", "logger": "runner.test", "message": message, "experiment": "abc"}


@pytest.mark.parametrize(
    ("message", "given", "fields"),
    [
        ("%d trials of experiment %s, trial %s", (3, "abc", "k1"), {"experiment": "abc", "trial": "k1"}),
        ("100%% of experiment %s by user %s", ("abc", 7), {"experiment": "abc", "user": "7"}),
        ("subexperiment %s", ("abc",), {}),
        ("experiment %(id)s", ({"id": "abc"},), {}),
        ("experiments: %s", (3,), {}),
    ],
)
def test_what_a_message_names_is_a_field(message: str, given: tuple[object, ...], fields: dict[str, str]) -> None:
    told = line_of(message, *given)
    assert {name: told[name] for name in ("experiment", "trial", "user") if name in told} == fields


def test_fields_can_be_given() -> None:
    assert line_of("stopped", experiment="abc", user="Ada")["experiment"] == "abc"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql+psycopg://lab:S3SAME@host/lab refuses",
        "postgresql://lab:a/S3SAME@b@host:5432/lab",
        "host=h user=lab password=S3SAME dbname=lab",
        "{'password': 'S3SAME with blanks', 'user': 'lab'}",
        "Authorization: Bearer S3SAME.a-b",
        "headers {'authorization': 'Basic S3SAME=='}",
        "Cookie: _streamlit_xsrf=2|S3SAME; _streamlit_user=S3SAME",
        "token lab_S3SAMES3SAMES3SAMES3SAME-_x is unknown",
        "GET /results?link=S3SAMES3SAMES3SAME&x=1",
        "client_secret=S3SAME&grant=x",
        "ENSEMBLE_LAB_METRICS_TOKEN=S3SAME",
    ],
)
def test_no_line_holds_a_secret(text: str) -> None:
    for formatter in (JsonFormatter(), SafeFormatter()):
        try:
            raise ValueError(text)
        except ValueError:
            record = logging.LogRecord("x", logging.ERROR, "x", 1, "it failed: %s", (text,), sys.exc_info())
        line = formatter.format(record)
        assert "S3SAME" not in line
        assert "it failed: " in line
        assert "ValueError" in line


def test_what_is_no_secret_stays() -> None:
    text = "experiment abc: https://lab.example.org/results?experiment=abc is over, 3 tokens: a, b; sqlite:////tmp/x.db"
    assert line_of("%s", text)["message"] == text
    assert line_of("see 12345", formatter=JsonFormatter(["12345"]))["message"] == "see ***"


LIBRARY = """
import logging, sys
from runner.logs import set_up_logs
library = logging.getLogger("a.library")
library.propagate = False
library.addHandler(logging.StreamHandler(sys.stderr))
set_up_logs()
library.error("refused: open sesame")
logging.getLogger("runner.x").info("experiment %s: begun", "abc")
logging.getLogger("another").info("chatter")
"""


def test_libraries_that_write_to_the_terminal_write_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql://lab:open%20sesame@host/lab\n")
    settings = {"DATABASE_URL": f"@{tmp_path / 'url'}", "ENSEMBLE_LAB_LOG": "json"}
    command = [sys.executable, "-c", LIBRARY]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True, check=True, timeout=240
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["message"] for line in lines] == ["refused: ***", "experiment abc: begun"]


def test_another_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_LOG", "xml")
    with pytest.raises(InvalidInput, match="ENSEMBLE_LAB_LOG: must be json or text, got 'xml'"):
        set_up_logs()


def test_a_worker_whose_database_refuses_tells_no_password(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("postgresql://lab:S3SAME@127.0.0.1:1/lab?sslpassword=S3SAME&unknown=S3SAME")
    settings = {"DATABASE_URL": f"@{tmp_path / 'url'}", "ENSEMBLE_LAB_LOG": "json"}
    command = [sys.executable, "-m", "runner", "worker"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 2
    [told] = map(json.loads, done.stderr.splitlines())
    assert told["message"].startswith("the database postgresql+psycopg://lab:***@127.0.0.1:1/lab cannot be used")
    assert "S3SAME" not in done.stderr + done.stdout
