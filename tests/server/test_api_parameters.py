"""Parameters that no route of the JSON interface knows."""

import pytest

from storage import Storage
from tests.server.api import client_of
from tests.server.test_api import refused
from tests.storage.conftest import make_config


def test_a_mistyped_parameter_is_refused_and_changes_nothing(storage: Storage) -> None:
    client = client_of(storage, people_sign_in=False)
    document = make_config().to_dict()
    said = refused(client.post("/experiments", json=document, params={"visability": "private"}), 422)
    assert said == "'visability': must be a parameter of this address, visibility, tag"
    assert storage.count_experiments() == 0
    made = client.post("/experiments", json=document, params={"visibility": "private"}).json()
    assert "'x': must be a parameter" in refused(client.get("/experiments", params={"x": 1}), 422)
    assert refused(client.post(f"/experiments/{made['id']}/cancel?now=true"), 422).endswith("of this address, none")
    assert client.head("/experiments?limit=1").status_code == 200


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/experiments?limit=0", "limit: must be at least 1, got '0'"),
        ("/experiments?limit=few", "limit: must be a whole number, got 'few'"),
        ("/experiments?offset=9999999999", "offset: must be at most 1,000,000,000, got '9999999999'"),
        ("/experiments?starred=maybe", "starred: must be true or false, got 'maybe'"),
        ("/datasets?q=" + 201 * "x", "q: must be text of at most 200 characters, got '" + 79 * "x" + "…"),
        ("/experiments?tag=" + "&tag=".join("a" * 21), "tag: must be given at most 20 times, got "),
        (
            "/experiments?state=waiting&state=done",
            "state[1]: must be one of waiting, running, cancelling, finished, cancelled, failed, got 'done'",
        ),
        ("/experiments/a-b", "id: must be letters and digits, at most 64, got 'a-b'"),
        ("/datasets/ABC", "sha256: must be 64 digits and letters from a to f, got 'ABC'"),
    ],
)
def test_a_value_that_cannot_be_is_refused_in_a_sentence(storage: Storage, address: str, sentence: str) -> None:
    assert refused(client_of(storage, people_sign_in=False).get(address), 422).startswith(sentence)


def test_what_else_is_sent_with_a_launch_is_refused_in_a_sentence(storage: Storage) -> None:
    client = client_of(storage, people_sign_in=False)
    said = refused(client.post("/experiments", headers={"Idempotency-Key": "short"}), 422)
    assert said == "Idempotency-Key: must be 16 to 100 letters, digits and signs of ASCII, got 'short'"
    assert refused(client.post("/datasets?filename=", content=b"a"), 422).startswith(
        "filename: must be text that is not"
    )
    assert refused(client.post("/experiments/a/priority"), 422) == "priority: is missing"
    assert refused(client.post("/experiments", json={"name": "x"}), 422) == "datasets: is missing; learners: is missing"


def test_what_lists_are_asked_for_is_not_described_as_null_which_no_address_can_say(storage: Storage) -> None:
    described = client_of(storage).get("/openapi.json").json()["paths"]["/experiments"]["get"]["parameters"]
    assert {one["name"]: one["schema"] for one in described}["archived"]["type"] == "boolean"
