"""`datasets add`: a file or a web address becomes a stored data set, or one sentence says why not."""

import gzip
import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ensembles.data import download
from ensembles.data.download import fetch_file
from ensembles.errors import InvalidData
from runner.command_line import main
from storage import open_storage

CAR = b"buying,doors,price,class\nlow,2,1.5,good\nhigh,4,2.5,bad\nhigh,2,-9,bad\nlow,4,4.5,good\n"


@pytest.fixture(autouse=True)
def _a_home_and_no_proxy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATABASE_URL", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ENSEMBLE_LAB_ADDRESSES", "127.0.0.1")


@pytest.fixture
def car(tmp_path: Path) -> Path:
    path = tmp_path / "car.csv"
    path.write_bytes(CAR)
    return path


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path.startswith("/hop"):
            self._answer(b"", 302, Location=f"/hop{int(path[4:]) - 1}" if path != "/hop0" else "/data/my%20car.csv")
        elif path == "/away":
            self._answer(b"", 302, Location="ftp://127.0.0.1/car.csv")
        elif path == "/inside":
            self._answer(b"", 302, Location="http://127.0.0.2/car.csv")
        elif path == "/local":
            self._answer(b"", 302, Location="file:///etc/hostname")
        elif path == "/packed":
            self._answer(gzip.compress(CAR), **{"Content-Encoding": "gzip"})
        elif path == "/short":
            self._answer(CAR, **{"Content-Length": "5000"})
        elif path == "/nonsense":
            self.wfile.write(b"good day\r\n\r\n")
        elif self.path.endswith("?slowly"):
            for _ in range(200):  # each of them in time
                self.wfile.write(b"HTTP/1.0 200 OK\r\nX: " if not _ else b"y")
                time.sleep(0.02)
        elif path.endswith("car.csv"):
            self._answer(CAR)
        else:
            self._answer(b"", 404)

    def handle(self) -> None:
        with suppress(ConnectionError):  # from who hangs up
            super().handle()

    def _answer(self, content: bytes, code: int = 200, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as http:
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def test_a_file_is_stored_as_the_page_would(car: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "add", str(car), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    with open_storage() as storage:
        [record] = storage.list_datasets()
        assert storage.get_dataset(record.sha256).y.tolist() == ["good", "bad", "bad", "good"]
    assert printed == {
        "name": "car", "sha256": record.sha256, "rows": 4, "nominal": 2, "numeric": 1, "classes": 2, "target": "class",
        "stored": True,
    }  # fmt: skip


def test_what_is_there_already_is_said(car: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "add", str(car), "--name", "My cars"]) == 0
    assert main(["datasets", "add", str(car)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Stored My cars, 4 examples, 3 attributes, 2 classes, class class",
        "Already there: My cars, 4 examples, 3 attributes, 2 classes, class class",
    ]


def test_what_is_left_out_unasked_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{i},{i % 7 / 2},{i % 3},{'' if i == 4 else 'no' if i % 2 else 'yes'}" for i in range(40)]
    path = tmp_path / "titled.csv"
    path.write_text("\n".join(["A great table", "id,size,doors,class", *rows]))
    columns = "Left out: “id” (Counts the rows)."
    for options in ([], ["--json"]):
        assert main(["datasets", "add", str(path), *options]) == 0
        assert capsys.readouterr().err.splitlines() == [
            "The first row is a title above the table and left out; --skip-rows changes that.",
            "1 row without a class (column “class”) left out.",
            columns,
        ]
    assert main(["datasets", "add", str(path), "--skip-rows", "1", "--ignore", "id"]) == 0
    assert capsys.readouterr().err == "1 row without a class (column “class”) left out.\n"
    assert main(["datasets", "add", str(path), "--skip-rows", "1", "--stream", "--name", "Stream"]) == 0
    assert capsys.readouterr().err == f"{columns}\n"


def test_the_user_may_know_better(car: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'team.sqlite'}"
    options = ["--target", "price", "--bins", "2", "--nominal", "all", "--ignore", "buying, class", "--missing", "-9"]
    assert main(["datasets", "add", str(car), *options, "--database", url]) == 0
    with open_storage(url) as storage:
        dataset = storage.get_dataset(storage.list_datasets()[0].sha256)
    assert [(attribute.name, attribute.kind) for attribute in dataset.attributes] == [("doors", "nominal")]
    assert dataset.y.tolist() == ["up to 2.5", "up to 2.5", "over 2.5"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--target", "klass"], "car.csv: there is no column 'klass'; the columns are buying, doors, price, class"),
        (["--numeric", "buying"], "car.csv: column 'buying' cannot be numeric: found 'low' in line 2"),
        (["--bins", "3"], "car.csv: column 'class' cannot be numeric: found 'good' in line 2"),
    ],
)
def test_bad_input_ends_with_one_sentence_and_stores_nothing(
    car: Path, options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["datasets", "add", str(car), *options]) == 2
    assert capsys.readouterr().err == f"{sentence}\n"
    with open_storage() as storage:
        assert storage.list_datasets() == []


def test_the_catalogue_is_listed_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "--json"]) == 0
    assert "iris" in {entry["key"] for entry in json.loads(capsys.readouterr().out)}


def test_an_address_is_fetched_and_named_by_its_path(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "add", f"{server}/data/my%20car.csv?version=2", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["name"], printed["rows"]) == ("my car", 4)


def test_redirects_are_followed_and_what_the_server_packs_is_unpacked(server: str) -> None:
    assert fetch_file(f"{server}/hop2") == (CAR, "hop2")
    assert fetch_file(f"{server}/packed") == (CAR, "packed")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/nothing", r"cannot be fetched \(the server answers 404, Not Found\)$"),
        ("/hop9", r"cannot be fetched \(the server answers 302, .*redirect"),
        ("/away", r"cannot be fetched \(it leads to ftp://127.0.0.1/car.csv: must be an address that starts"),
        ("/inside", r"cannot be fetched \(it leads to http://127.0.0.2/car.csv: must lead to a public address"),
        ("/local", r"cannot be fetched \(the server answers 302, .*file:///etc/hostname.* is not allowed\)$"),
        ("/short", r"the file broke off after \d+ of 5,000 bytes$"),
        ("/nonsense", r"cannot be fetched \(good day\)$"),
    ],
)
def test_a_server_that_gives_no_file_gets_one_sentence(server: str, path: str, sentence: str) -> None:
    with pytest.raises(InvalidData, match=f"^{server}{path}: {sentence}") as caught:
        fetch_file(server + path)
    assert "\n" not in str(caught.value)


def test_a_file_over_the_limit_is_refused_packed_and_unpacked(server: str) -> None:
    with pytest.raises(InvalidData, match=r"car.csv: the file has more than the 50 bytes that are allowed$"):
        fetch_file(f"{server}/car.csv", max_bytes=50)
    with pytest.raises(InvalidData, match=r"packed: the file (has|unpacks to) more than the 80 bytes"):
        fetch_file(f"{server}/packed", max_bytes=80)


def test_a_server_that_takes_too_long_is_left(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_DEADLINE", 0.2)
    with pytest.raises(InvalidData, match=r"car.csv: the file did not arrive within 0.2 seconds$"):
        fetch_file(f"{server}/car.csv?slowly")


@pytest.mark.parametrize(
    "url", ["ftp://host/car.csv", "file:///etc/passwd", "http:///car.csv", "http://[/x", "http://x:y/"]
)
def test_other_addresses_are_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "add", url]) == 2
    error = capsys.readouterr().err
    assert error.startswith(url)
    assert error.count("\n") == 1


def test_a_server_that_is_not_there_gets_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "add", "http://127.0.0.1:1/car.csv?key=secret"]) == 2
    error = capsys.readouterr().err
    assert error == "http://127.0.0.1:1/car.csv: cannot be fetched (Connection refused)\n"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (["--sheet", "2001"], "car.csv: sheet cannot go with it, as it is no workbook\n"),
        (["--name", ""], "car.csv: the name of the data set must have a character, got ''\n"),
        (["--name", " ", "--stream"], "car.csv: the name of the data set must have a character, got ' '\n"),
    ],
)
def test_what_would_not_be_heeded_is_refused(
    said: list[str], sentence: str, car: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["datasets", "add", str(car), *said]) == 2
    assert capsys.readouterr().err == sentence
