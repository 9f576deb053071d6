"""Documents in JSON: what they may hold that YAML may not, and what neither may."""

import json

import pytest
from starlette.testclient import TestClient

from storage import Storage
from tests.server.api import client_of
from tests.storage.conftest import make_config


@pytest.fixture
def client(storage: Storage) -> TestClient:
    return client_of(storage, people_sign_in=False)


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (r"half \ud800 a pair", "half \ufffd a pair"),
        (r"a pair \ud83d\ude00", "a pair 😀"),
        (r"deleted \u007f", "deleted \ufffd"),
        (r"no sign \uffff", "no sign \uffff"),
    ],
)
def test_signs_that_yaml_does_not_take_may_stand_in_json(client: TestClient, sent: str, stored: str) -> None:
    text = json.dumps(make_config(name="Name").to_dict()).replace('"Name"', f'"{sent}"')
    answer = client.post("/experiments", content=text, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json().get("name")) == (201, stored)
