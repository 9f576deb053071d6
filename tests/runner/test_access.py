"""Who may talk to the processes of a cluster: nobody but the cluster."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from distributed import Security, rpc

from tests.asking import run
from tests.runner.conftest import children_of, is_running, wait_until

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("access")]

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from runner.cluster.cluster import Cluster
cluster = Cluster(n_workers=1)
print(len(cluster.threads()), flush=True)
sys.stdin.read()
cluster.close()
"""


@pytest.fixture(scope="module")
def ports() -> Iterator[list[int]]:
    """Return the ports on which a cluster in another process listens."""
    process = subprocess.Popen([sys.executable, "-c", SCRIPT], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    family = {process.pid} | children_of(process.pid)
    yield [
        connection.laddr.port
        for pid in family
        for connection in psutil.Process(pid).net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    process.stdin.close()
    process.stdout.close()
    process.wait(120)
    wait_until(lambda: not any(map(is_running, family)), "the cluster ends")


def test_no_port_answers_http(ports: list[int]) -> None:
    assert len(ports) >= 3, "scheduler, nanny and worker"
    answers = []
    for port in ports:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as stranger:
            stranger.sendall(b"GET /info/main/workers.html HTTP/1.0\r\n\r\n")
            try:
                answers.append(stranger.recv(1000))
            except ConnectionResetError:
                answers.append(b"")
    assert not [answer for answer in answers if answer.startswith(b"HTTP")]


async def identity(address: str, security: Security) -> object:
    """Ask a process of Dask who it is, as its own first question to any other one is."""
    async with rpc(address, connection_args=security.get_connection_args("client"), timeout=2.0) as process:
        return await asyncio.wait_for(process.identity(), 10)


@pytest.mark.parametrize("scheme", ["tcp", "tls"])
def test_a_stranger_cannot_connect(ports: list[int], scheme: str) -> None:
    stranger = Security() if scheme == "tcp" else Security.temporary()
    for port in ports:
        with pytest.raises((OSError, TimeoutError)):
            run(identity(f"{scheme}://127.0.0.1:{port}", stranger))
