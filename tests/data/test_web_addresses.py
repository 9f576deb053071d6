"""Which hosts may be asked: by name, by number, at the very moment of connecting."""

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ensembles.data import web_addresses
from ensembles.data.download import fetch_file
from ensembles.data.web_addresses import check_name, connect
from ensembles.errors import InvalidData

INSIDE = [
    "127.0.0.1",
    "127.1.2.3",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "2001:0:102:304:0:0:f5ff:fffe",
]
PUBLIC = ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]


@pytest.fixture(autouse=True)
def _no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENSEMBLE_LAB_ADDRESSES", "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


class Names:
    """Names that lead where a test says, one answer after another; `dialled` are the numbers that were connected to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: dict[str, list[list[str]]] = {}
        self.dialled: list[str] = []
        self._resolve, self._connect = socket.getaddrinfo, socket.create_connection
        monkeypatch.setattr(web_addresses.socket, "getaddrinfo", self.resolve)
        monkeypatch.setattr(web_addresses.socket, "create_connection", self.connect)

    def resolve(self, host: str, port: int, *rest: int, **named: int) -> list[tuple[object, ...]]:
        if host not in self.answers:
            return [*self._resolve(host, port, *rest, **named)]
        found = self.answers[host].pop(0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, port)) for number in found]

    def connect(self, address: tuple[str, int], seconds: float) -> socket.socket:
        self.dialled.append(address[0])
        if not ip_address(address[0]).is_loopback:
            raise ConnectionRefusedError(111, "Connection refused")
        return self._connect(address, seconds)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    return Names(monkeypatch)


@pytest.mark.parametrize("number", INSIDE)
def test_what_is_not_public_is_refused_by_number_and_behind_a_name(names: Names, number: str) -> None:
    with pytest.raises(InvalidData, match=r"^here: must lead to a public address, .* does not; ENSEMBLE_LAB_ADDRESSES"):
        check_name("here", number)
    names.answers["files.example"] = [[number]]
    with pytest.raises(InvalidData, match=r"^here: must lead to a public address, files.example does not;"):
        connect("here", "files.example", 80, 1.0)
    assert names.dialled == []


@pytest.mark.parametrize("number", PUBLIC)
def test_what_is_public_is_connected_to(names: Names, number: str) -> None:
    check_name("here", number)
    names.answers["files.example"] = [[number]]
    with pytest.raises(ConnectionRefusedError):
        connect("here", "files.example", 80, 1.0)
    assert names.dialled == [number]


def test_one_inner_number_among_public_ones_is_enough_to_refuse(names: Names) -> None:
    names.answers["files.example"] = [["1.1.1.1", "10.0.0.1"]]
    with pytest.raises(InvalidData, match="must lead to a public address"):
        connect("here", "files.example", 80, 1.0)
    assert names.dialled == []


def test_a_name_that_leads_elsewhere_a_moment_later_is_connected_to_what_was_looked_at(names: Names) -> None:
    names.answers["files.example"] = [["1.1.1.1"], ["127.0.0.1"]]
    with pytest.raises(InvalidData, match="Connection refused"):
        fetch_file("http://files.example/car.csv")
    assert names.dialled == ["1.1.1.1"]


@pytest.mark.parametrize("host", ["127.1", "0x7f.1", "2130706433", "017700000001", "localhost"])
def test_other_ways_to_write_a_number_are_seen_through(host: str) -> None:
    with pytest.raises(InvalidData, match=f"must lead to a public address, {host} does not"):
        fetch_file(f"http://{host}:1/car.csv")


@pytest.mark.parametrize(
    ("setting", "host", "is_allowed"),
    [
        ("*.example.org", "data.example.org", True),
        ("*.example.org", "DATA.example.org", True),
        ("*.example.org", "example.org", False),
        ("*.example.org", "evil.org", False),
        ("*.example.org", "data.example.org.evil.org", False),
        ("*.example.org", "1.1.1.1", False),
        ("*.example.org, 10.0.0.0/8", "10.1.2.3", True),
        ("*.example.org, 10.0.0.0/8", "192.168.1.1", False),
        ("10.0.0.0/8", "anything.example", True),
        ("fd00::/8", "fd00::1", True),
        (" , ", "anything.example", True),
    ],
)
def test_the_setting_says_which(monkeypatch: pytest.MonkeyPatch, setting: str, host: str, is_allowed: bool) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_ADDRESSES", setting)
    if is_allowed:
        check_name("here", host.lower())
    else:
        with pytest.raises(InvalidData, match=r"^here: (the host must be one of|must lead to a public)"):
            check_name("here", host)


@pytest.mark.parametrize("host", ["evil.example%23.example.org", "evil.example%2f.example.org"])
def test_a_name_that_readers_split_differently_leads_nowhere(
    monkeypatch: pytest.MonkeyPatch, names: Names, host: str
) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_ADDRESSES", "*.example.org")
    names.answers["evil.example"] = [["127.0.0.1"]]
    with pytest.raises(InvalidData):
        fetch_file(f"http://{host}/car.csv")
    assert names.dialled == []


def test_a_user_and_a_password_are_refused_and_not_repeated() -> None:
    with pytest.raises(
        InvalidData, match=r"^http://files.example/x: must be an address without a user and a password$"
    ):
        fetch_file("http://me:secret@files.example/x")


@pytest.mark.parametrize(
    "address", ["@\nhttp://files.example", "ftp://a\x00\u2028b", "x" * 10_000, "http://1.1.1.1/?q= " + "x" * 9_999]
)
def test_a_sentence_about_an_address_is_one_line(address: str) -> None:
    with pytest.raises(InvalidData) as refused:
        fetch_file(address)
    assert len(str(refused.value).splitlines()) == 1
    assert len(str(refused.value)) < 800


class _Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.headers["Host"].encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def secure_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Port of a server here whose certificate, which is trusted, is for files.example."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "files.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("files.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    kept = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "both.pem").write_bytes(kept + pem)
    (tmp_path / "trusted.pem").write_bytes(pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "trusted.pem"))
    monkeypatch.setenv("ENSEMBLE_LAB_ADDRESSES", "127.0.0.0/8")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "both.pem")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Hello) as http:
        http.socket = context.wrap_socket(http.socket, server_side=True)
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield http.server_port
        http.shutdown()


def test_a_certificate_must_be_that_of_the_name(names: Names, secure_port: int) -> None:
    names.answers = {"files.example": [["127.0.0.1"]], "others.example": [["127.0.0.1"]]}
    assert fetch_file(f"https://files.example:{secure_port}/x")[0] == f"files.example:{secure_port}".encode()
    with pytest.raises(InvalidData, match=r"cannot be fetched \(.*certificate is not valid for 'others.example'"):
        fetch_file(f"https://others.example:{secure_port}/x")
