"""The folder of worker processes: nobody else can get at it."""

import stat
import tempfile
from pathlib import Path

import pytest

from runner.worker_process.scratch import scratch_folder

pytestmark = pytest.mark.skipif("os.name == 'nt'", reason="no numbers of users")


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_it_is_one_for_all_clusters_and_of_this_user_alone(tmp_path: Path) -> None:
    with scratch_folder() as first, scratch_folder() as second:
        assert first == second
        assert stat.S_IMODE(first.stat().st_mode) == 0o700
    assert [*tmp_path.iterdir()] == [first], "it stays, and nothing else does"


@pytest.mark.parametrize("made", ["open", "link", "file"])
def test_what_others_could_have_put_there_is_not_used(tmp_path: Path, made: str) -> None:
    with scratch_folder() as usual:
        usual.rmdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    match made:
        case "open":
            usual.mkdir()
            usual.chmod(0o770)
        case "link":
            usual.symlink_to(elsewhere)
        case "file":
            usual.touch()
    with scratch_folder() as ours:
        assert ours not in {usual, elsewhere}
        assert stat.S_IMODE(ours.stat().st_mode) == 0o700
    assert not ours.exists()
