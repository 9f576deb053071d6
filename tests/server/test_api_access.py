"""Who may what by the JSON interface: every route, asked by everybody."""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import pytest
from starlette.testclient import TestClient

from ensembles.data.preview import preview_file
from server.api.identity import WrongTokens
from storage import NOBODY, Storage, open_storage
from tests.fresh import write_empty_tables
from tests.server.api import client_of, everybody, headers_of, token_of
from tests.storage.conftest import make_config, make_dataset
from tests.storage.people import sign_in
from tests.storage.postgresql import make_database, postgresql_server

CSV = b"colour,kind\nred,apple\ngreen,pear\nred,apple\ngreen,pear\n"

ASKERS = ["no token", "wrong token", "expired", "revoked"] + [
    *("owner, read", "owner, launch", "owner, data", "owner", "reader", "member", "admin")
]
REFUSED = [401] * 4

#: By route: what is sent, whether it is about something private of Olga's, and what each who has a token is answered, in the
#: order of `ASKERS`.
ROUTES: dict[str, tuple[dict[str, Any], list[int]]] = {
    "GET /experiments": ({}, [200, 403, 403, 200, 200, 200, 200]),
    "POST /experiments": ({"json": make_config().to_dict()}, [403, 201, 403, 201, 403, 201, 201]),
    "GET /experiments/{experiment}": ({}, [200, 403, 403, 200, 404, 404, 200]),
    "GET /experiments/{experiment}/trials": ({}, [200, 403, 403, 200, 404, 404, 200]),
    "GET /experiments/{experiment}/results": ({}, [200, 403, 403, 200, 404, 404, 200]),
    "GET /experiments/{experiment}/export": ({}, [200, 403, 403, 200, 404, 404, 200]),
    "GET /experiments/{experiment}/models": ({}, [200, 403, 403, 200, 404, 404, 200]),
    "POST /experiments/{experiment}/models?learner=Single+model": ({}, [202, 403, 403, 202, 404, 404, 202]),
    "GET /experiments/{experiment}/models/file?learner=Single+model": ({}, [404, 403, 403, 404, 404, 404, 404]),
    "POST /experiments/{experiment}/cancel": ({}, [403, 200, 403, 200, 403, 404, 200]),
    "POST /experiments/{binned}/restore": ({}, [403, 200, 403, 200, 403, 404, 200]),
    "POST /experiments/{experiment}/pause": ({}, [403, 200, 403, 200, 403, 404, 200]),
    "POST /experiments/{experiment}/resume": ({}, [403, 200, 403, 200, 403, 404, 200]),
    "POST /experiments/{experiment}/rename?name=B": ({}, [403, 200, 403, 200, 403, 404, 200]),
    "POST /experiments/{experiment}/visibility?visibility=private": ({}, [403, 200, 403, 200, 403, 404, 200]),
    "POST /experiments/{experiment}/priority?priority=-1": ({}, [403, 200, 403, 200, 403, 404, 200]),
    "POST /experiments/{cancelled}/reopen": ({}, [403, 200, 403, 200, 403, 404, 200]),
    "DELETE /experiments/{experiment}": ({}, [403, 204, 403, 204, 403, 404, 204]),
    "GET /datasets": ({}, [200, 403, 403, 200, 200, 200, 200]),
    "POST /datasets?filename=a.csv": ({"content": CSV}, [403, 403, 201, 201, 403, 201, 201]),
    "GET /datasets/{dataset}": ({}, [200, 403, 403, 200, 404, 404, 200]),
    "GET /datasets/{dataset}/content": ({}, [200, 403, 403, 200, 404, 404, 200]),
    "DELETE /datasets/{dataset}": ({}, [403, 403, 204, 204, 403, 404, 204]),
    "POST /datasets/{dataset}/rename?name=B": ({}, [403, 403, 200, 200, 403, 404, 200]),
    "POST /datasets/{dataset}/visibility?visibility=private": ({}, [403, 403, 200, 200, 403, 404, 200]),
    "POST /datasets/{thrown}/restore": ({}, [403, 403, 200, 200, 403, 404, 200]),
    "GET /bin/experiments": ({}, [200, 403, 403, 200, 200, 200, 200]),
    "GET /bin/datasets": ({}, [200, 403, 403, 200, 200, 200, 200]),
    "GET /learners": ({}, [200] * 7),
    "GET /catalogue": ({}, [200] * 7),
    "GET /whoami": ({}, [200] * 7),
}


@pytest.fixture(autouse=True)
def _read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no process be started to read a small file."""
    monkeypatch.setattr("server.api.datasets.preview_apart", preview_file)


class Matrix(NamedTuple):
    """A database with people, who ask by tokens of theirs; made once, as that takes longer than to ask."""

    storage: Storage
    asked: dict[str, dict[str, str]]
    client: TestClient
    seeds: Iterator[int]


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Matrix]:
    file = tmp_path_factory.mktemp("matrix") / "lab.sqlite"
    write_empty_tables(file)
    with (
        open_storage(f"sqlite:///{file}") as storage,
        client_of(storage) as client,
    ):  # entered, it keeps one loop for all
        yield Matrix(storage, everybody(storage), client, count())


@pytest.fixture
def server_matrix() -> Iterator[Matrix]:
    """The same on PostgreSQL, for those whom queries tell apart; an answer takes three times as long there."""
    with postgresql_server() as server, open_storage(make_database(server, "matrix")) as storage:
        asked = {who: headers for who, headers in everybody(storage).items() if who in {"owner", "reader", "member"}}
        yield Matrix(storage, asked, client_of(storage), count())


def thing_of(matrix: Matrix, kind: str) -> str:
    """Return something private of Olga's, in the bin or not, cancelled or not."""
    owner = sign_in(matrix.storage, "Olga")
    if kind in {"experiment", "binned", "cancelled"}:
        made = owner.create_experiment(make_config(), visibility="private").id
        delete = owner.delete_experiment
    else:
        made = owner.save_dataset(make_dataset(seed=next(matrix.seeds)), visibility="private").sha256
        delete = owner.delete_dataset
    if kind in {"binned", "thrown"}:
        delete(made)
    if kind == "cancelled":
        owner.request_cancel(made)
    return made


@pytest.mark.parametrize("route", ROUTES)
def test_each_may_what_storage_lets_them(matrix: Matrix, route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WrongTokens, "wait_after", lambda *_: 0.0)  # many wrong ones come from here
    assert answered(matrix, route) == expected_of(matrix, route)


def test_each_may_the_same_on_a_server(server_matrix: Matrix) -> None:
    routes = [route for route in ROUTES if route.split()[1] not in {"/learners", "/catalogue"}]
    found = {route: answered(server_matrix, route) for route in routes}
    assert found == {route: expected_of(server_matrix, route) for route in routes}


def expected_of(matrix: Matrix, route: str) -> dict[str, int]:
    expected = dict(zip(ASKERS, REFUSED + ROUTES[route][1], strict=True))
    return {who: expected[who] for who in matrix.asked}


def answered(matrix: Matrix, route: str) -> dict[str, int]:
    """Return what each who asks is answered, about something that was made for them."""
    method, path = route.split()
    kinds = re.findall(r"\{(\w+)\}", path)
    found = {}
    for who, headers in matrix.asked.items():
        address = path.format(**{kind: thing_of(matrix, kind) for kind in kinds})
        answer = matrix.client.request(method, address, headers=headers, **ROUTES[route][0])
        found[who] = answer.status_code
        assert not answer.is_error or list(answer.json()) == ["error"]
    return found


def test_every_route_is_in_the_matrix(storage: Storage) -> None:
    described = client_of(storage).get("/openapi.json").json()["paths"]
    known = {route.partition("?")[0] for route in ROUTES}
    known = {
        route.format(experiment="{id}", dataset="{sha256}", binned="{id}", cancelled="{id}", thrown="{sha256}")
        for route in known
    } | {"GET /health"}
    assert {f"{method.upper()} {path}" for path, methods in described.items() for method in methods} == known


def test_what_teams_share_is_seen_and_not_changed(storage: Storage) -> None:
    asked, client = everybody(storage), client_of(storage)
    experiment = sign_in(storage, "Olga").create_experiment(make_config()).id
    for who in ("reader", "member"):
        assert client.get(f"/experiments/{experiment}", headers=asked[who]).json()["owner"] == "Olga"
    refused = client.post(f"/experiments/{experiment}/cancel", headers=asked["member"])
    assert refused.status_code == 403
    assert refused.json() == {"error": "Trial run: only its owner and admins may change it; it belongs to Olga"}


def test_lists_hold_what_one_may_see(storage: Storage) -> None:
    asked, client = everybody(storage), client_of(storage)
    owner = sign_in(storage, "Olga")
    owner.create_experiment(make_config(name="Mine"), visibility="private")
    owner.create_experiment(make_config(name="Ours"))
    owner.save_dataset(make_dataset("Mine"), visibility="private")
    seen = {who: client.get("/experiments", headers=asked[who]).json() for who in ("owner", "member", "admin")}
    names = {who: [item["name"] for item in page["items"]] for who, page in seen.items()}
    assert names == {"owner": ["Ours", "Mine"], "member": ["Ours"], "admin": ["Ours", "Mine"]}
    assert seen["member"]["total"] == 1
    assert client.get("/datasets", headers=asked["member"]).json()["total"] == 0


def test_what_is_new_is_seen_as_the_operator_says(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.api.datasets.preview_apart", preview_file)
    monkeypatch.setenv("ENSEMBLE_LAB_VISIBILITY", "private")
    asked, client = everybody(storage), client_of(storage)
    table = make_dataset("Fruit").to_frame().to_csv(index=False)
    answers = [
        client.post(f"/{path}", headers=asked["owner"], content=content)
        for said in ("", "&visibility=team")
        for path, content in (
            (f"experiments?tag=a{said}", make_config().to_yaml()),
            (f"datasets?filename=fruit.csv&target=kind{said}", table.replace("0", "1" if said else "0")),
        )
    ]
    assert [answer.json()["visibility"] for answer in answers] == ["private", "private", "team", "team"]
    seen = [client.get(f"/{path}", headers=asked["member"]).json()["total"] for path in ("experiments", "datasets")]
    assert seen == [1, 1]


def test_who_is_locked_or_has_lost_a_role_can_do_no_more(storage: Storage) -> None:
    owner, admin = sign_in(storage, "Olga"), sign_in(storage, "Ada", "admin")
    token, client = headers_of(token_of(owner, "read", "launch")), client_of(storage)
    assert client.post("/experiments", headers=token, json=make_config().to_dict()).status_code == 201
    number = owner.actor.user_id
    assert number is not None
    admin.set_role(number, "reader")
    assert client.post("/experiments", headers=token, json=make_config().to_dict()).status_code == 403
    admin.set_locked(number, True)
    assert client.get("/experiments", headers=token).status_code == 401


def test_where_nobody_signs_in_this_machine_needs_no_token(storage: Storage) -> None:
    def asked(address: str = "127.0.0.1", **headers: str) -> int:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        client = client_of(storage, people_sign_in=False, address=address)
        return client.get("/experiments", headers=named).status_code

    assert [asked(), asked("::1"), asked("::ffff:127.0.0.1"), asked(Sec_Fetch_Site="same-origin")] == [200] * 4
    assert [asked("10.0.0.7"), asked("testclient"), asked("")] == [401] * 3
    assert [asked(X_Forwarded_For="10.0.0.7"), asked(Forwarded="for=10.0.0.7"), asked(X_Real_IP="10.0.0.7")] == [
        401
    ] * 3
    assert asked(Sec_Fetch_Site="cross-site") == 401
    assert asked(Authorization="Basic YTpi") == 401
    assert asked(Cookie="_streamlit_user=somebody", X_Forwarded_For="10.0.0.7") == 401


def test_a_token_of_the_program_does_what_its_scopes_say(storage: Storage) -> None:
    client = client_of(storage, people_sign_in=False, address="10.0.0.7")
    token = headers_of(token_of(storage, "read"))
    told = client.get("/whoami", headers=token).json()
    assert told == {"kind": "program", "name": "program by token test", "role": None, "scopes": ["read"]}
    assert client.post("/experiments", headers=token, json=make_config().to_dict()).status_code == 403


def test_pages_of_somebody_else_do_not_narrow_what_a_token_may(storage: Storage) -> None:
    """The storage of the web server may act for whoever looks at a page just now."""
    client = client_of(storage.acting_as(NOBODY))
    assert client.get("/experiments", headers=headers_of(token_of(storage, "read"))).status_code == 200


def test_wrong_tokens_are_slowed_down_and_right_ones_are_not(storage: Storage) -> None:
    client, right = client_of(storage), headers_of(token_of(storage, "read"))
    found = [client.get("/whoami", headers=headers_of(f"lab_{number}")) for number in range(12)]
    assert [answer.status_code for answer in found] == [401] * 10 + [429] * 2
    assert 1 <= int(found[-1].headers["retry-after"]) <= 60
    assert found[-1].json()["error"].startswith("too many wrong tokens came from here")
    assert client.get("/whoami", headers=right).status_code == 200


def test_wrong_tokens_are_forgotten_and_counted_by_address() -> None:
    moments = [0.0]
    tokens = WrongTokens(most=2, seconds=60.0, clock=lambda: moments[0])
    assert [tokens.wait_after("a") for _ in range(3)] == [0.0, 0.0, 60.0]
    assert tokens.wait_after("b") == 0.0
    moments[0] = 45.0
    assert tokens.wait_after("a") == 15.0
    moments[0] = 60.0
    assert tokens.wait_after("a") == 0.0


def test_numbers_of_users_and_leases_stay_inside(storage: Storage) -> None:
    storage.create_experiment(make_config(), runner="somebody")
    (item,) = client_of(storage, people_sign_in=False).get("/experiments").json()["items"]
    assert not {"user_id", "runner", "config"} & item.keys()


def test_limits_of_users_hold_here_too(storage: Storage) -> None:
    owner, admin = sign_in(storage, "Olga"), sign_in(storage, "Ada", "admin")
    token, client = headers_of(token_of(owner, "read", "launch", "data")), client_of(storage)
    assert owner.actor.user_id is not None
    admin.set_limits(owner.actor.user_id, {"upload_bytes": len(CSV) - 1, "experiments": 1, "trials": 8})
    answer = client.post("/datasets?filename=a.csv", content=CSV, headers=token)
    assert (answer.status_code, answer.json()["error"]) == (
        422,
        f"you may have at most {len(CSV) - 1} bytes in a file (limit upload_bytes), got {len(CSV)}",
    )
    assert client.post("/experiments", json=make_config().to_dict(), headers=token).status_code == 201
    assert client.post("/experiments", json=make_config().to_dict(), headers=token).status_code == 403
