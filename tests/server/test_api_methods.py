"""What is said where an address does not answer a method."""

import pytest

from storage import Storage
from tests.server.api import client_of


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/experiments", "GET, HEAD, POST"),
        ("/experiments/abc", "DELETE, GET, HEAD"),
        ("/experiments/abc/cancel", "POST"),
        ("/experiments/abc/models", "GET, HEAD, POST"),
        ("/whoami", "GET, HEAD"),
    ],
)
def test_all_methods_that_an_address_answers_are_named(storage: Storage, path: str, methods: str) -> None:
    answer = client_of(storage, people_sign_in=False).patch(path)
    assert (answer.status_code, answer.headers["allow"]) == (405, methods)
