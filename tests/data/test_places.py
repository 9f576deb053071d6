"""Which files people may name: those in the folders and buckets that the operator allows, whatever path they write."""

import os

import pytest

from ensembles.data.files.places import allowed_path, list_offered, places
from ensembles.errors import InvalidData

REFUSED = "only files in the folders of ENSEMBLE_LAB_DATA may be named, and this one is not there"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Two folders that are allowed, one beside them that is not, and links from here to there."""
    for name in ("data/deep", "more", "data_of_others", "secret"):
        (tmp_path / name).mkdir(parents=True)
    for name in (
        "data/a.csv",
        "data/deep/b.csv.gz",
        "more/c.parquet",
        "data/note.pdf",
        "data/.hidden.csv",
        "secret/s.csv",
    ):
        (tmp_path / name).write_text("x,class\n")
    (tmp_path / "data_of_others/d.csv").write_text("x,class\n")
    (tmp_path / "data/out.csv").symlink_to(tmp_path / "secret/s.csv")
    (tmp_path / "data/away").symlink_to(tmp_path / "secret")
    (tmp_path / "data/in.csv").symlink_to(tmp_path / "more/c.parquet")
    (tmp_path / "data/round.csv").symlink_to(tmp_path / "data/round.csv")
    os.mkfifo(tmp_path / "data/pipe.csv")  # who opens it waits for ever
    (tmp_path / "data/nowhere.csv").symlink_to(tmp_path / "none.csv")
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", os.pathsep.join([f"{tmp_path}/data", "", f" {tmp_path}/more/"]))
    return tmp_path


def test_files_that_may_be_named_are_listed_with_where_they_lie(folders):
    offered = {file.label: file.path for file in list_offered(9.0).files}
    assert offered == {
        "data/a.csv": f"{folders}/data/a.csv",
        "data/in.csv": f"{folders}/more/c.parquet",
        "data/deep/b.csv.gz": f"{folders}/data/deep/b.csv.gz",
        "more/c.parquet": f"{folders}/more/c.parquet",
    }
    assert {file.n_bytes for file in list_offered(9.0).files} == {8}


@pytest.mark.parametrize(
    "path",
    [
        "secret/s.csv",
        "data/../secret/s.csv",
        "data/out.csv",
        "data/away/s.csv",
        "data/round.csv",
        "data/nowhere.csv",
        "data/none.csv",
        "data/pipe.csv",
        "data/deep",
        "data_of_others/d.csv",
        "data",
        "",
        "data/a\0.csv",
        "data/a.csv/../../secret/s.csv",
    ],
)
def test_no_other_file_is_reached_whatever_path_is_written(folders, path):
    for named in (path, f"{folders}/{path}", os.path.relpath(folders / "secret/s.csv")):
        with pytest.raises(InvalidData) as error:
            allowed_path(named)
        assert str(error.value) == REFUSED


def test_links_within_what_is_allowed_are_followed(folders):
    assert allowed_path(f"{folders}/data/in.csv") == f"{folders}/more/c.parquet"
    assert allowed_path(f"{folders}/more/../data/deep/../a.csv") == f"{folders}/data/a.csv"


def test_nothing_is_allowed_unless_the_operator_says_so(folders, monkeypatch):
    monkeypatch.delenv("ENSEMBLE_LAB_DATA")
    assert (places(), list_offered().files) == ((), [])
    for path in (f"{folders}/data/a.csv", "file:///etc/hostname", "s3://bucket/a.csv"):
        with pytest.raises(InvalidData, match="only files in the folders"):
            allowed_path(path)


@pytest.mark.skipif(os.pathsep != ":", reason="addresses are told from drives by another sign")
@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("https://files.lab:8443/public:/data", ["https://files.lab:8443/public", "/data"]),
        (" /data : https://files.lab:8443/public ", ["/data", "https://files.lab:8443/public"]),
        ("http://[::1]:80:s3://bucket:/8080/a", ["http://[::1]:80", "s3://bucket", "/8080/a"]),
        ("https://files.lab:8443", ["https://files.lab:8443"]),
        ("s3://bucket:80a/x:b", ["s3://bucket", "80a/x", "b"]),
        ("s3+x://bucket/a:8080/b::c", ["s3+x://bucket/a", "8080/b", "c"]),
    ],
)
def test_the_port_of_a_server_belongs_to_its_address(monkeypatch, said, meant):
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", said)
    assert list(places()) == meant


@pytest.mark.skipif(os.pathsep != ":", reason="addresses are told from drives by another sign")
def test_of_a_server_with_a_port_only_what_was_named_is_allowed(monkeypatch):
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", "https://files.lab:8443/public:/data")
    assert allowed_path("https://files.lab:8443/public/ok.csv") == "https://files.lab:8443/public/ok.csv"
    for path in (
        "https://files.lab/secret.csv",
        "https://files.lab:8443/secret.csv",
        "https://files.lab:80/public/a.csv",
    ):
        with pytest.raises(InvalidData, match="only files in the folders"):
            allowed_path(path)


@pytest.mark.skipif(os.pathsep != ":", reason="addresses are told from drives by another sign")
def test_buckets_are_allowed_by_address(monkeypatch, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/lab/open/a.csv": b"x,class\n", "/lab/open/deep/b.parquet": b"", "/lab/closed/c.csv": b""})
    monkeypatch.setenv("ENSEMBLE_LAB_DATA", f"memory://lab/open:{tmp_path}:strange://bucket")
    assert places() == ("memory://lab/open", str(tmp_path), "strange://bucket")
    assert [file.path for file in list_offered(9.0).files] == [
        "memory://lab/open/a.csv",
        "memory://lab/open/deep/b.parquet",
    ]
    assert allowed_path("memory://lab/open/a.csv") == "memory://lab/open/a.csv"
    for path in ("memory://lab/closed/c.csv", "memory://lab/open/../closed/c.csv", "memory://lab/open_too/c.csv"):
        with pytest.raises(InvalidData, match="only files in the folders"):
            allowed_path(path)
    for path in ("file:///etc/hostname", "memory://lab/open/a::file:///etc/hostname", "memory://lab/open"):
        with pytest.raises(InvalidData, match="only files in the folders"):
            allowed_path(path)
    memory.rm("/lab", recursive=True)
