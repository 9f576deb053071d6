"""The JSON interface asked whatever its description allows, and what it does not: no 500, and nothing undeclared.

`make fuzz` asks more: half of `FUZZ_EXAMPLES` over all routes.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import assume, given
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ensembles.data.preview import preview_file
from server.api.routes import api_routes
from storage import Storage, open_storage
from tests.fresh import write_empty_tables
from tests.fuzzing import TRIED, assert_small, tries
from tests.server.api import client_of, headers_of, token_of
from tests.server.test_api import fill
from tests.storage.conftest import make_config, make_dataset

SHARE = 1 / 150  # of each of fifty tests of routes; those that take nothing are asked once
SECONDS = 120  # machines may be busy
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    file: Path = tmp_path_factory.mktemp("fuzz") / "lab.sqlite"
    write_empty_tables(file)
    with open_storage(f"sqlite:///{file}") as opened:
        yield opened


@pytest.fixture(scope="module")
def token(storage: Storage) -> str:
    return token_of(storage, "read", "launch", "data", "admin")


@pytest.fixture(scope="module")
def client(storage: Storage, token: str) -> TestClient:
    return client_of(storage, headers=headers_of(token))


@pytest.fixture(scope="module")
def described(storage: Storage) -> Iterator[schemathesis.BaseSchema]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("server.api.datasets.preview_apart", preview_file)
        app = Starlette(routes=api_routes(lambda: storage, lambda: True))
        yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)


schema = schemathesis.pytest.from_fixture("described")
drawn = tries(6, SHARE)


@schema.parametrize()
@drawn
def test_no_request_brings_it_down(case: schemathesis.Case, token: str) -> None:
    TRIED["calls of the JSON interface"] += 1
    assume("%0A" not in str(case.path_parameters))  # for Starlette a new line is no part of a path
    case.call_and_validate(checks=CHECKS, headers=headers_of(token), timeout=SECONDS)


@schema.include(path_regex=r"\{").parametrize()
@drawn
def test_no_request_about_what_is_there_brings_it_down(case: schemathesis.Case, storage: Storage, token: str) -> None:
    """What is drawn at random is hardly ever there."""
    TRIED["calls of the JSON interface"] += 1
    if "id" in case.path_parameters:
        case.path_parameters["id"] = _experiment(storage)
    else:
        case.path_parameters["sha256"] = storage.save_dataset(make_dataset(seed=6)).sha256
    case.call_and_validate(checks=CHECKS, headers=headers_of(token), timeout=SECONDS)


def _experiment(storage: Storage) -> str:
    """Return an experiment with results, which may have to be made anew."""
    if found := storage.list_experiments(1, names=["Filled"]):
        return found[0].id
    experiment = storage.create_experiment(make_config(name="Filled"), runner="me", n_trials=8).id
    fill(storage, experiment)
    return experiment


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=4,
)


@st.composite
def spoiled(draw: st.DrawFn) -> Any:
    """Draw a document that is right but for one value."""
    document: Any = make_config({"key": "waveform40", "rows": 300}).to_dict()
    place: Any = document
    while True:
        name = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[name], dict | list) or not place[name] or draw(st.booleans()):
            break
        place = place[name]
    place[name] = draw(VALUES | st.sampled_from(NASTY))
    return document


NASTY = (
    "../../etc/passwd",
    "file:///etc/passwd",
    "http://169.254.169.254/",
    "=cmd()",
    "\x00",
    "\ud800",
    2**70,
    1e308,
    -0.0,
)


@tries(60, share=0.15)
@given(spoiled(), st.sampled_from(["application/json", "application/yaml"]))
def test_no_document_brings_it_down(client: TestClient, document: Any, kind: str) -> None:
    TRIED["calls of the JSON interface"] += 1
    answer = client.post("/experiments", content=json.dumps(document), headers={"Content-Type": kind})
    assert answer.status_code in {201, 400, 422}, answer.text
    if answer.status_code == 201:
        assert client.get(f"/experiments/{answer.json()['id']}").json() == answer.json()
        assert client.get(f"/experiments/{answer.json()['id']}/results").status_code == 200
    assert_small()
