"""Files in buckets: what stores remember and raise, and a whole S3 server where one is installed."""

import threading
import time

import pytest

from ensembles.data.files import describe_file
from ensembles.data.files.buckets import ask
from ensembles.data.files.places import list_offered
from ensembles.errors import InvalidData

fsspec = pytest.importorskip("fsspec")
memory = pytest.importorskip("fsspec.implementations.memory")

ROWS = b"size,class\n" + b"1,x\n2,y\n" * 50
OTHERS = b"size,class\n" + b"1,x\n3,y\n" * 50


class Remembering(memory.MemoryFileSystem):
    """A store that tells of files as they were when it looked last, as those of fsspec do that are far away."""

    seen: dict = {}

    def info(self, path, **more):
        return self.seen.setdefault(("info", path), super().info(path, **more))

    def find(self, path, *more, **options):
        return self.seen.setdefault(("find", path), super().find(path, *more, **options))

    def invalidate_cache(self, path=None):  # noqa: ARG002
        self.seen.clear()


class NobodyAnswersError(Exception):
    """Of a library that is not ours, and no `OSError`."""


class Away(fsspec.AbstractFileSystem):
    """A store that does not answer."""

    protocol = "away"

    def info(self, *_, **__):
        raise NobodyAnswersError("nobody answers at 10.0.0.1")

    find = ls = info


class Slow(fsspec.AbstractFileSystem):
    """A store that takes its time."""

    protocol = "slow"
    may_answer = threading.Event()
    asked = 0

    def find(self, path, **_):
        Slow.asked += 1
        Slow.may_answer.wait(30.0)
        return {f"{path}/b.csv": {"size": 7}}


@pytest.fixture
def _stores():
    Slow.may_answer.clear()
    fsspec.register_implementation("slow", Slow, clobber=True)
    fsspec.register_implementation("away", Away, clobber=True)
    fsspec.register_implementation("memory", Remembering, clobber=True)
    yield
    fsspec.register_implementation("memory", memory.MemoryFileSystem, clobber=True)
    memory.MemoryFileSystem.store.clear()


@pytest.mark.usefixtures("_stores")
def test_what_comes_later_or_changes_is_seen(monkeypatch):
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", "memory://lab")
    store = fsspec.filesystem("memory")
    store.pipe("/lab/a.csv", ROWS)
    assert [file.path for file in list_offered(9.0).files] == ["memory://lab/a.csv"]
    store.pipe("/lab/b.csv", ROWS)
    assert [file.path for file in list_offered(9.0).files] == ["memory://lab/a.csv", "memory://lab/b.csv"]
    source = describe_file("memory://lab/b.csv").source
    store.pipe("/lab/b.csv", OTHERS)
    with pytest.raises(InvalidData, match=r"b\.csv: the file has changed since it was described"):
        source.batches()
    store.pipe("/lab/b.csv", ROWS)
    assert sum(len(labels) for _, labels in source.batches()) == 100


@pytest.mark.usefixtures("_stores")
def test_what_a_store_raises_is_said_in_a_sentence(monkeypatch):
    with pytest.raises(InvalidData, match=r"a\.csv: the file cannot be read \(nobody answers at 10\.0\.0\.1\)"):
        describe_file("away://lab/a.csv")
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", "away://lab")
    offer = list_offered(9.0)
    assert (offer.files, offer.silent) == ([], ())
    assert offer.failed == ("away://lab: what lies there cannot be listed (nobody answers at 10.0.0.1)",)


@pytest.mark.usefixtures("_stores")
def test_a_store_that_does_not_answer_keeps_nobody_waiting_and_is_asked_once(monkeypatch, tmp_path):
    (tmp_path / "a.csv").write_bytes(ROWS)
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", f"slow://lab:{tmp_path}:away://lab")
    for _ in range(2):
        offer = list_offered(0.3)
        assert [file.path for file in offer.files] == [str(tmp_path / "a.csv")]
        assert (offer.silent, len(offer.failed)) == (("slow://lab",), 1)
    assert not ask("slow://lab").done()
    Slow.may_answer.set()
    assert [file.path for file in list_offered(9.0).files] == ["slow://lab/b.csv", str(tmp_path / "a.csv")]
    assert Slow.asked == 1
    assert list_offered(9.0).silent == ()
    assert Slow.asked == 2
    begun, monotonic = ask("slow://lab"), time.monotonic
    assert begun.result(9.0) == {"slow://lab/b.csv": 7}
    assert ask("slow://lab") is begun
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + 61.0)
    assert ask("slow://lab") is not begun  # what nobody has heard for a minute may have changed


@pytest.fixture
def s3(monkeypatch):
    """A bucket `tables` of an S3 server on this machine."""
    server, boto3 = pytest.importorskip("moto.server"), pytest.importorskip("boto3")
    pytest.importorskip("s3fs")
    running = server.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    settings = {"ACCESS_KEY_ID": "testing", "SECRET_ACCESS_KEY": "testing", "DEFAULT_REGION": "us-east-1"}
    for name, value in {**settings, "ENDPOINT_URL": f"http://{host}:{port}"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    client = boto3.client("s3")
    client.create_bucket(Bucket="tables")
    yield client
    running.stop()


def test_files_in_an_s3_bucket_are_offered_read_and_known_again(s3, monkeypatch):
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", "s3://tables/deep")
    s3.put_object(Bucket="tables", Key="deep/a.csv", Body=ROWS)
    s3.put_object(Bucket="tables", Key="notes/b.csv", Body=ROWS)
    [offered] = list_offered(9.0).files
    assert (offered.path, offered.n_bytes) == ("s3://tables/deep/a.csv", len(ROWS))
    source = describe_file(offered.path).source
    assert sum(len(labels) for _, labels in source.batches(40)) == 60
    s3.put_object(Bucket="tables", Key="deep/a.csv", Body=OTHERS)
    with pytest.raises(InvalidData, match="the file has changed since it was described"):
        source.batches()
    s3.delete_object(Bucket="tables", Key="deep/a.csv")
    with pytest.raises(InvalidData, match="there is no such file"):
        source.batches()
    assert list_offered(9.0).files == []
