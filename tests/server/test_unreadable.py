"""What the interface tells of an experiment that this installation cannot read: lists have it, and it can be deleted."""

from storage import Storage
from tests.server.api import client_of
from tests.storage.made_up import launch
from tests.storage.test_unreadable import BASE, launch_of_tomorrow


def test_it_is_listed_beside_others_and_can_be_deleted(storage: Storage) -> None:
    client = client_of(storage, people_sign_in=False)
    strange, ours = launch_of_tomorrow(storage), launch(storage).id
    page = client.get("/experiments").json()
    assert [(one["id"], one["unreadable"]) for one in page["items"]] == [(ours, None), (strange, BASE)]
    assert page["total"] == 2
    for address in ("", "/trials", "/results", "/export?format=yaml"):
        answer = client.get(f"/experiments/{strange}{address}")
        assert (answer.status_code, answer.json()) == (422, {"error": BASE}), address
    cancelled = client.post(f"/experiments/{strange}/cancel")
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    assert client.delete(f"/experiments/{strange}").status_code == 204
    [binned] = client.get("/bin/experiments").json()["items"]
    assert (binned["id"], binned["unreadable"]) == (strange, BASE)
    assert [one["id"] for one in client.get("/experiments").json()["items"]] == [ours]
    assert client.post(f"/experiments/{strange}/restore").status_code == 200
