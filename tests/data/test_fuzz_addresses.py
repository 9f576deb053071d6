"""Whatever address is given, and whatever answers: a file or one sentence, and nothing inside is ever asked."""

import socket
import ssl
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles.data import download, web_addresses
from ensembles.data.download import fetch_file
from ensembles.errors import InvalidData
from tests.data.test_web_addresses import INSIDE, PUBLIC
from tests.fuzzing import TRIED, assert_small, tries

NUMBERS = [
    *INSIDE,
    "0",
    "127.1",
    "0x7f.1",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "1.1.1.1.",
    "256.1.1.1",
    "١٢٧.٠.٠.١",
]
NAMES = [
    "files.example",
    "localhost",
    "LOCALHOST.",
    "a.b.",
    "bücher.example",
    "xn--bcher-kva.example",
    "１２７.0.0.1",
    "ⓛocalhost",
]
PIECES = [
    "@",
    ":",
    "/",
    "?",
    "#",
    "[",
    "]",
    "\\",
    "%",
    "%00",
    "%2e",
    "%0d%0aHost: x",
    "..",
    " ",
    "\t",
    "\n",
    "\x00",
    "\ud800",
    "😀",
    "。",
]
STARTS = [
    "http://",
    "https://",
    "HTTP://",
    "http:",
    "http:/",
    "http:///",
    "file://",
    "ftp://",
    "gopher://",
    "//",
    "://",
    "http://me:secret@",
]
ENDS = [
    "",
    "/",
    "/car.csv",
    "/a b",
    "/../x.csv",
    ":80/x",
    ":0/x",
    ":65536/x",
    ":-1/x",
    ":x/",
    ":２２/x",
    "/?q=" + "x" * 70_000,
]


def hosts() -> st.SearchStrategy[str]:
    numbers = st.ip_addresses().map(str) | st.sampled_from(NUMBERS) | st.sampled_from(PUBLIC)
    known = numbers.map(lambda host: f"[{host}]" if ":" in host else host) | st.sampled_from(NAMES)
    return known | st.text(max_size=12)


@st.composite
def addresses(draw: st.DrawFn) -> str:
    """Return an address with up to two pieces where they do not belong."""
    start = draw(st.sampled_from([*STARTS[:1] * 12, *STARTS[1:2] * 4, *STARTS]))
    address = start + draw(hosts()) + draw(st.sampled_from(ENDS))
    for _ in range(draw(st.sampled_from([0, 0, 0, 0, 1, 2]))):
        place = draw(st.integers(0, min(len(address), 60)))
        address = address[:place] + draw(st.sampled_from(PIECES)) + address[place:]
    return address


HEADERS = [
    "Content-Length: -1",
    "Content-Length: 99",
    "Content-Encoding: gzip",
    "Transfer-Encoding: chunked",
    "X",
    "x" * 70_000,
    ": ",
]
ANSWERS = (
    st.just(b"HTTP/1.1 200 OK\r\n\r\na,c\n1,x\n")
    | st.binary(max_size=60)
    | st.tuples(
        st.sampled_from([200, 204, 301, 302, 307, 308, 404, 999]), st.lists(st.sampled_from(HEADERS), max_size=2)
    ).map(
        lambda told: (
            f"HTTP/1.1 {told[0]} X\r\n{''.join(one + chr(13) + chr(10) for one in told[1])}\r\na,c\n1,x\n".encode()
        )
    )
    | addresses().map(lambda there: f"HTTP/1.0 302 X\r\nLocation: {there}\r\n\r\n".encode(errors="replace"))
)


class Network:
    """Names that lead to what is drawn, and servers that answer what is drawn."""

    def __init__(self) -> None:
        self.numbers: list[str] = []
        self.answers: list[bytes] = []
        self.dialled: list[str] = []
        self.opened: list[socket.socket] = []
        self._resolve = socket.getaddrinfo

    def resolve(self, host: str, port: int, **_: int) -> list[tuple[object, ...]]:
        """Numbers are told from names as the system does; no name is asked of anybody."""
        try:
            return [*self._resolve(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)]
        except socket.gaierror:
            return [(0, 0, 0, "", (number, port)) for number in self.numbers]

    def connect(self, address: tuple[str, int], _: float) -> socket.socket:
        self.dialled.append(address[0])
        if not self.answers:
            raise ConnectionRefusedError(111, "Connection refused")
        here, there = socket.socketpair()
        there.setblocking(False)
        there.send(self.answers.pop())
        there.shutdown(socket.SHUT_WR)
        self.opened += [here, there]  # the other end stays open, so that what is sent arrives
        return here

    def hang_up(self) -> None:
        """Close what is open, on both ends: whether ours were closed is not what is asked here."""
        while self.opened:
            self.opened.pop().close()


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    for name in ("ENSEMBLE_LAB_ADDRESSES", "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    made, context = Network(), ssl.create_default_context()
    monkeypatch.setattr(web_addresses.socket, "getaddrinfo", made.resolve)
    monkeypatch.setattr(web_addresses.socket, "create_connection", made.connect)
    monkeypatch.setattr(download.ssl, "create_default_context", lambda: context)  # to read all certificates takes 10 ms
    return made


def is_outside(number: str) -> bool:
    """Say whether a number is nobody's inside, by another way than the code does: what IANA lists as global."""
    address = ip_address(number)
    inner = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None) or address
    return inner.is_global and not inner.is_multicast


@pytest.mark.timeout(0)
def test_any_address_ends_in_a_file_or_in_one_sentence(network: Network) -> None:
    outcomes = set()

    @tries(300)
    @given(
        address=addresses(),
        numbers=st.lists(
            st.sampled_from(PUBLIC) | st.sampled_from(INSIDE) | st.ip_addresses().map(str), min_size=1, max_size=2
        ),
        answers=st.lists(ANSWERS, max_size=3),
    )
    def check(address: str, numbers: list[str], answers: list[bytes]) -> None:
        TRIED["web addresses"] += 1
        network.numbers, network.answers, network.dialled = numbers, answers, []
        refused = ""
        try:
            fetch_file(address, max_bytes=10_000)
        except InvalidData as error:
            refused = str(error)
        network.hang_up()
        outcomes.add(bool(refused))
        assert len(refused.splitlines()) <= 1
        assert len(refused) < 2_000
        assert "me:secret" not in refused
        assert all(is_outside(number) for number in network.dialled), network.dialled

    check()
    assert outcomes == {True, False}
    assert_small()
