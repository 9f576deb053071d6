"""Parameters that no route of the JSON interface knows."""

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
