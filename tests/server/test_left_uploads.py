"""What a killed server left of uploads goes when the next one starts."""

import os
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from ensembles.data import reading_child
from ensembles.data.temporary import TEMPORARY_PREFIX
from server import left_uploads
from server.left_uploads import remove_left_uploads


def test_only_what_no_request_can_be_at_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(left_uploads, "gettempdir", lambda: str(tmp_path))
    left, recent, other = f"{TEMPORARY_PREFIX}left", f"{TEMPORARY_PREFIX}now", "ensemble-lab-0"
    for name in (left, recent, other):
        (tmp_path / name).mkdir()
        (tmp_path / name / "upload").write_bytes(b"a,class")
        if name != recent:
            os.utime(tmp_path / name, times=(time.time() - 90_000,) * 2)
    remove_left_uploads()
    assert sorted(path.name for path in tmp_path.iterdir()) == [other, recent]


def test_what_a_page_was_reading_goes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with open(os.devnull, "wb") as pipe:
        monkeypatch.setattr(reading_child, "started", lambda *_: nullcontext(SimpleNamespace(stdin=pipe)))
        child = reading_child.take_child(1, 1.0)
    os.utime(child.folder, times=(time.time() - 90_000,) * 2)
    remove_left_uploads()
    assert not child.folder.exists()
    child.end()
