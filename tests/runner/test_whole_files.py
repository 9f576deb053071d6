"""What a command writes into a file is there as a whole, or not at all."""

import errno
import os
from pathlib import Path

import pytest

from runner.command_line import main
from storage import open_storage
from tests.runner.fakes import make_config

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def exported() -> list[str]:
    """The command that exports the document of an experiment, but for where to."""
    with open_storage() as storage:
        return ["export", storage.create_experiment(make_config(name="Kept")).id, "--format", "yaml", "--output"]


def test_what_stood_there_stays_where_the_disk_is_full(
    exported: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write_half(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "old.yaml").write_text("of yesterday")
    monkeypatch.setattr(Path, "write_bytes", write_half)
    for name in ("old.yaml", "new.yaml"):
        assert main([*exported, str(folder / name)]) == 2
        assert capsys.readouterr().err.endswith(f"{name}: cannot be written (No space left on device)\n")
    assert [(one.name, one.read_text()) for one in folder.iterdir()] == [("old.yaml", "of yesterday")]


def test_a_file_keeps_its_permissions_and_a_link_what_it_leads_to(exported: list[str], tmp_path: Path) -> None:
    file, link = tmp_path / "private.yaml", tmp_path / "link.yaml"
    file.write_text("of yesterday")
    file.chmod(0o600)
    link.symlink_to(file)
    assert main([*exported, str(link)]) == 0
    assert link.is_symlink()
    assert "name: Kept" in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_device_and_a_folder_are_taken_for_what_they_are(
    exported: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*exported, os.devnull]) == 0
    assert main([*exported, str(tmp_path)]) == 2
    assert main([*exported, str(tmp_path / "not" / "there.yaml")]) == 2
    assert capsys.readouterr().err.count("cannot be written") == 2
