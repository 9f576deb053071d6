"""Data sets from OpenML: fetched once, checked, kept whole or not at all, and every failure is one sentence."""

import gc
import hashlib
import json
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.datasets._openml as asking

from ensembles.data import catalogue, load_dataset, openml, read_stored
from ensembles.data.catalogue import CatalogueEntry
from ensembles.data.openml import OpenMLSource
from ensembles.errors import InvalidData

ARFF = """% Made up
@RELATION weather
@ATTRIBUTE outlook {sunny, overcast, rainy, foggy}
@ATTRIBUTE 'wind%3F' {0, 1}
@ATTRIBUTE weight REAL
@ATTRIBUTE degrees INTEGER
@ATTRIBUTE play {yes, no}
@DATA
sunny,1,0.5,20,no
overcast,0,0.5,21,yes
rainy,?,0.5,?,yes
rainy,0,0.5,-3,yes
'sunny',1,0.5,25,no
"""
SPARSE = """@RELATION sparse
@ATTRIBUTE x1 NUMERIC
@ATTRIBUTE x2 NUMERIC
@ATTRIBUTE y {-1, 1}
@DATA
{0 2.5,2 1}
{1 -1}
{0 1,1 1,2 1}
"""
COLUMNS = {
    ARFF: (("outlook", "nominal"), ("wind%3F", "nominal"), ("weight", "numeric"), ("degrees", "numeric")),
    SPARSE: (("x1", "numeric"), ("x2", "numeric")),
}
TARGETS = {ARFF: "play", SPARSE: "y"}
ENTRY = CatalogueEntry(
    key="weather",
    name="Weather",
    origin="OpenML",
    rows=5,
    attributes=3,
    classes=2,
    citation="Made up",
    licence="None",
    nominal_positions=(0, 1),
    class_sizes=(3, 2),
    openml=OpenMLSource(77, drop=(3,)),
)


class OpenML:
    """What the local server answers; a test changes it to go wrong."""

    def __init__(self):
        self.arff = ARFF
        self.md5 = None
        self.status = {}
        self.cut = False
        self.seconds_a_piece = 0.0
        self.asked = []

    def answer(self, path):
        """Return the bytes for a path of OpenML."""
        if path == "/data/v1/download/5/weather.arff":
            return self.arff.encode()
        md5 = self.md5 or hashlib.md5(self.arff.encode()).hexdigest()
        features = [*COLUMNS[self.arff], (TARGETS[self.arff], "nominal")]
        described = [
            {
                "index": str(index),
                "name": name,
                "data_type": kind,
                "is_target": str(name == TARGETS[self.arff]).lower(),
                "is_ignore": "false",
                "is_row_identifier": "false",
                "number_of_missing_values": "0",
            }
            for index, (name, kind) in enumerate(features)
        ]
        answers = {
            "/api/v1/json/data/77": {
                "data_set_description": {
                    "id": "77",
                    "name": "weather",
                    "version": "1",
                    "status": "active",
                    "description": "Made up",
                    "format": "Sparse_ARFF" if self.arff == SPARSE else "ARFF",
                    "url": "https://openml.org/data/v1/download/5/weather.arff",
                    "md5_checksum": md5,
                }
            },
            "/api/v1/json/data/features/77": {"data_features": {"feature": described}},
            "/api/v1/json/data/qualities/77": {
                "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "5.0"}]}
            },
        }
        return json.dumps(answers[path]).encode()


@pytest.fixture
def server(monkeypatch, tmp_path):
    """Serve a made-up OpenML on this machine and send scikit-learn there."""
    openml_here = OpenML()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            openml_here.asked.append(self.path)
            status = next((code for part, code in openml_here.status.items() if part in self.path), 200)
            content = openml_here.answer(self.path) if status == 200 else b"{}"
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if openml_here.cut and self.path.endswith(".arff"):
                content = content[: len(content) // 2]
            for start in range(0, len(content), 64):
                time.sleep(openml_here.seconds_a_piece if self.path.endswith(".arff") else 0)
                self.wfile.write(content[start : start + 64])

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()

    def send_here(request, *rest, **named):
        path = request.full_url.split("openml.org", 1)[1]
        here = urllib.request.Request(f"http://127.0.0.1:{http.server_port}{path}", headers=dict(request.headers))
        return urllib.request.urlopen(here, *rest, **named)

    monkeypatch.setattr(asking, "urlopen", send_here)
    monkeypatch.setattr(asking, "time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setattr(openml, "_LOOK_SECONDS", 0.01)
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path))
    yield openml_here
    http.shutdown()
    http.server_close()
    thread.join()
    gc.collect()  # a connection that was left open is told of here, and not in some later test


def kept(tmp_path):
    """Return the names of what is in the folder."""
    return sorted(path.name for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.usefixtures("server")
def test_what_comes_gets_the_kinds_of_the_catalogue_and_is_kept(tmp_path):
    dataset = openml.load(ENTRY, ENTRY.openml)
    assert [(a.name, a.kind, a.categories) for a in dataset.attributes] == [
        ("outlook", "nominal", ("overcast", "rainy", "sunny")),
        ("wind?", "nominal", ("0", "1")),
        ("degrees", "numeric", ()),
    ]
    assert dataset.table.codes.tolist() == [[2, 1], [0, 0], [1, -1], [1, 0], [2, 1]]
    assert np.array_equal(dataset.table.numbers[:, 0], [20, 21, np.nan, -3, 25], equal_nan=True)
    assert dataset.y.tolist() == ["no", "yes", "yes", "yes", "no"]
    assert (dataset.name, dataset.source) == ("Weather", "OpenML, data set 77")
    assert kept(tmp_path) == ["weather.parquet"]
    assert read_stored(tmp_path / "openml" / "weather.parquet").sha256 == dataset.sha256


def test_what_is_kept_is_not_fetched_again(server):
    assert not ENTRY.here
    first = openml.load(ENTRY, ENTRY.openml)
    server.asked.clear()
    assert openml.load(ENTRY, ENTRY.openml).sha256 == first.sha256
    assert ENTRY.here
    assert server.asked == []


def test_a_kept_file_that_is_damaged_or_of_another_kind_is_fetched_again(server, tmp_path):
    first = openml.load(ENTRY, ENTRY.openml)
    path = tmp_path / "openml" / "weather.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    assert openml.load(ENTRY, ENTRY.openml).sha256 == first.sha256
    other = CatalogueEntry(**{**vars(ENTRY), "nominal_positions": (0, 1, 2)})
    changed = openml.load(other, ENTRY.openml)
    assert changed.attributes[2].categories == ("-3", "20", "21", "25")
    assert server.asked.count("/data/v1/download/5/weather.arff") == 3


@pytest.mark.usefixtures("server")
def test_names_of_the_catalogue_win():
    dataset = openml.load(ENTRY, OpenMLSource(77, drop=(3,), columns=("sky", "wind", "warmth")))
    assert [attribute.name for attribute in dataset.attributes] == ["sky", "wind", "warmth"]


def test_the_sparse_format_is_read(server):
    server.arff = SPARSE
    facts = {"rows": 3, "attributes": 2, "nominal_positions": (), "class_sizes": (2, 1)}
    dataset = openml.load(CatalogueEntry(**{**vars(ENTRY), **facts}), OpenMLSource(77))
    assert dataset.table.numbers.tolist() == [[2.5, 0], [0, -1], [1, 1]]
    assert dataset.y.tolist() == ["1", "-1", "1"]


def test_progress_is_told_while_bytes_come(server):
    server.seconds_a_piece = 0.05
    told = []
    openml.load(ENTRY, ENTRY.openml, told.append)
    assert told
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"status": {"/data/77": 404}}, r"cannot be had: OpenML answers 404 \(Not Found\)$"),
        ({"status": {".arff": 500}}, r"cannot be had: OpenML answers 500 \(Internal Server Error\)$"),
        ({"status": {"/data/77": 412}}, r"cannot be read, its answer is broken: Dataset with data_id 77 not found.$"),
        (
            {"md5": "0" * 32},
            r"cannot be read, its answer is broken: (The md5 checksum of the|md5 checksum of local) file",
        ),
        ({"cut": True}, r"cannot be read, its answer is broken: "),
    ],
    ids=["unknown", "failing", "refused", "wrong checksum", "cut off"],
)
def test_a_bad_answer_is_one_sentence_and_leaves_nothing(server, tmp_path, change, sentence):
    vars(server).update(change)
    with pytest.raises(InvalidData, match=rf"^Weather: data set 77 of OpenML {sentence}") as caught:
        openml.load(ENTRY, ENTRY.openml)
    assert "\n" not in str(caught.value)
    assert kept(tmp_path) == []


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rows": 6}, "it must have 6 rows and 3 attributes, got 5 and 3"),
        ({"class_sizes": (4, 1)}, r"examples by class must be \[4, 1\], got \[3, 2\]"),
        ({"class_sizes": (), "classes": 3}, r"examples by class must be 3 classes, got \[3, 2\]"),
        ({"nominal_positions": ()}, "could not convert string to float|Unable to parse string"),
        ({"sha256": "0" * 64}, "its content has changed"),
    ],
    ids=["rows", "classes", "number of classes", "kinds", "content"],
)
def test_another_data_set_than_the_catalogue_says_is_refused(tmp_path, change, sentence):
    entry = CatalogueEntry(**{**vars(ENTRY), **change})
    with pytest.raises(InvalidData, match=rf"^Weather: data set 77 of OpenML is not what it should be: ({sentence})"):
        openml.load(entry, ENTRY.openml)
    assert kept(tmp_path) == []


def test_without_a_network_there_is_one_sentence(monkeypatch, tmp_path):
    def refuse(*_):
        raise urllib.error.URLError(OSError(-2, "Name or service not known"))

    monkeypatch.setattr(asking, "urlopen", refuse)
    monkeypatch.setattr(asking, "time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path))
    with pytest.raises(
        InvalidData,
        match=r"^Mushroom: data set 24 of OpenML cannot be fetched: OpenML cannot be reached \(Name or service not known\)$",
    ):
        load_dataset("mushroom")


def test_a_server_that_falls_silent_is_given_up(server, monkeypatch):
    monkeypatch.setattr(openml, "_PATIENCE_SECONDS", 0.3)
    server.seconds_a_piece = 2
    with pytest.raises(
        InvalidData, match=r"^Weather: data set 77 of OpenML does not come: nothing was sent for 0.3 sec"
    ):
        openml.load(ENTRY, ENTRY.openml)


@pytest.mark.usefixtures("server")
def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "openml").write_text("a file is in the way")
    with pytest.raises(InvalidData, match=r"^Weather: it cannot be kept in .*openml: "):
        openml.load(ENTRY, ENTRY.openml)


def test_entries_on_demand_have_each_their_own_number_at_openml():
    numbers = [entry.openml.data_id for entry in catalogue().values() if entry.openml]
    assert len(numbers) == len(set(numbers)) > 10
    assert all((entry.openml is None) == entry.offline == (entry.origin != "OpenML") for entry in catalogue().values())
    for entry in catalogue().values():
        if entry.openml and entry.openml.columns:
            assert len(entry.openml.columns) == entry.attributes
