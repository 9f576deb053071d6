"""Lists that the client reads page by page, while others launch and delete."""

import httpx2
import pytest

from tests.server.test_client import connection


@pytest.mark.parametrize(("launched", "deleted"), [(0, 0), (1, 0), (150, 0), (0, 1), (0, 150), (2, 4)])
def test_a_list_that_changes_while_it_is_read_gives_each_once_and_leaves_none_out(launched: int, deleted: int) -> None:
    old = [f"{number}" for number in range(500)]
    there = list(old)

    def answers(request: httpx2.Request) -> httpx2.Response:
        offset, limit = (int(request.url.params[name]) for name in ("offset", "limit"))
        told = {"items": [{"id": one} for one in there[offset : offset + limit]], "total": len(there)}
        if there == old:
            there[:deleted] = [f"new {number}" for number in range(launched)]
        return httpx2.Response(200, json=told)

    client, _ = connection(answers)
    assert [one["id"] for one in client.read_all("/experiments", "id")] == old
