"""A fresh database for each test of the server, and a client of the interface over it."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from ensembles.client import Lab
from ensembles.data.preview import preview_file
from storage import Storage, open_storage
from tests.fresh import write_empty_tables
from tests.server.api import client_of, token_of
from tests.storage.people import sign_in


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    write_empty_tables(tmp_path / "test.sqlite")
    with open_storage(f"sqlite:///{tmp_path / 'test.sqlite'}") as opened:
        yield opened


@pytest.fixture
def carried(storage: Storage) -> httpx2.MockTransport:
    """Carry requests to the interface over `storage`, without a network."""
    server = client_of(storage)

    def carry(request: httpx2.Request) -> httpx2.Response:
        answer = server.request(
            request.method,
            str(request.url),
            content=request.read(),
            headers=dict(request.headers),
            follow_redirects=False,
        )
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)

    return httpx2.MockTransport(carry)


@pytest.fixture
def lab(storage: Storage, carried: httpx2.MockTransport, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setattr("server.api.datasets.preview_apart", preview_file)
    return Lab("http://localhost/", token_of(sign_in(storage, "Olga"), "read", "launch", "data"), transport=carried)
