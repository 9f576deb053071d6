"""What a killed server left of uploads goes when the next one starts."""

import os
import time
from pathlib import Path

import pytest

from server import left_uploads
from server.left_uploads import UPLOAD_PREFIX, remove_left_uploads


def test_only_what_no_request_can_be_at_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(left_uploads, "gettempdir", lambda: str(tmp_path))
    left, recent, other = f"{UPLOAD_PREFIX}left", f"{UPLOAD_PREFIX}now", "ensemble-lab-0"
    for name in (left, recent, other):
        (tmp_path / name).mkdir()
        (tmp_path / name / "upload").write_bytes(b"a,class")
        if name != recent:
            os.utime(tmp_path / name, times=(time.time() - 90_000,) * 2)
    remove_left_uploads()
    assert sorted(path.name for path in tmp_path.iterdir()) == [other, recent]
