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


def test_a_field_given_twice_is_refused_as_in_yaml(client: TestClient) -> None:
    text = json.dumps(make_config().to_dict()).replace('"name"', '"seed": 5, "seed": 6, "name"', 1)
    for kind in ("application/json", "application/yaml"):
        answer = client.post("/experiments", content=text, headers={"Content-Type": kind})
        assert answer.status_code == 422
        assert "'seed' is given twice" in answer.json()["error"]


@pytest.mark.parametrize("sent", ["NaN", "-Infinity", "1e400"])
def test_numbers_that_json_does_not_have_are_refused(client: TestClient, sent: str) -> None:
    """They became texts, which a name may be."""
    text = json.dumps(make_config(name="Name").to_dict()).replace('"Name"', sent)
    answer = client.post("/experiments", content=text, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (
        400,
        "the body must be JSON, as its Content-Type says, it is not",
    )
