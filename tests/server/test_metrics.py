"""What Prometheus reads: true numbers, few questions to the database, and nothing for strangers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from ensembles.errors import InvalidInput, StorageError
from server.metrics import Metrics, RequestMeter, metrics_token
from storage import Statistics, Storage

HERE = ("127.0.0.1", 40000)
NUMBERS = {"trials_done": 7, "trials_failed": 2, "trials_waiting": 11, "runners": 2, "workers": 8, "busy": 5}
FOUND = Statistics({"waiting": 3, "running": 1}, 1, **NUMBERS, datasets=4, dataset_bytes=1000, database_bytes=5000)


class Lab:
    """A storage that counts how often it is asked, and a clock that stands."""

    def __init__(self) -> None:
        self.seconds, self.asked, self.is_there = 0.0, 0, True

    def __call__(self) -> "Lab":
        return self

    def get_statistics(self) -> Statistics:
        self.asked += 1
        if not self.is_there:
            raise StorageError("the database cannot be reached")
        return FOUND


@pytest.fixture
def lab() -> Lab:
    return Lab()


async def talk(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.receive_text()


def fail(_: Request) -> None:
    raise RuntimeError("broken")


def asking(lab: Lab, token: str | None = None, client: tuple[str, int] = HERE) -> TestClient:
    """Return a client of an application with routes of all kinds."""

    def answer(_: Request) -> PlainTextResponse:
        return PlainTextResponse("hello")

    metrics = Metrics(lab, token, lambda: lab.seconds)  # type: ignore[arg-type]
    inner = Route("/experiments/{id}", answer)
    plain = [Route("/share/{token}", answer), Route("/broken", fail), WebSocketRoute("/talk", talk)]
    routes = [*plain, Mount("/api", routes=[inner]), Mount("/files", PlainTextResponse("hello")), *metrics.routes()]
    app = Starlette(routes=routes, middleware=[Middleware(RequestMeter, metrics)])
    return TestClient(app, client=client, raise_server_exceptions=False)


def numbers(client: TestClient, **headers: str) -> dict[str, float]:
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=")
    families = text_string_to_metric_families(answer.text)
    return {named(one.name, one.labels): one.value for family in families for one in family.samples}


def named(name: str, labels: dict[str, str]) -> str:
    told = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    return f"{name}{{{told}}}" if told else name


def test_the_database_is_told_in_numbers(lab: Lab) -> None:
    found = numbers(asking(lab))
    told = {name.removeprefix("ensemble_lab_"): value for name, value in found.items() if "ensemble_lab_" in name}
    assert told == {
        "database_up": 1,
        "experiments{state=waiting}": 3,
        "experiments{state=running}": 1,
        "experiments_paused": 1,
        "trials{outcome=done}": 5,
        "trials{outcome=failed}": 2,
        "trials_waiting": 11,
        "runners": 2,
        "workers": 8,
        "workers_busy": 5,
        "datasets": 4,
        "dataset_bytes": 1000,
        "database_bytes": 5000,
    }
    assert found["process_resident_memory_bytes"] > 10e6
    assert found["process_cpu_seconds_total"] > 0


def test_the_database_is_asked_once_in_a_few_seconds_and_may_be_away(lab: Lab) -> None:
    client = asking(lab)
    assert lab.asked == 0
    for _ in range(3):
        numbers(client)
    assert lab.asked == 1
    lab.seconds, lab.is_there = 6.0, False
    for _ in range(2):
        found = numbers(client)
        assert found["ensemble_lab_database_up"] == 0
        assert "ensemble_lab_runners" not in found
    assert lab.asked == 2


def test_requests_are_counted_by_the_pattern_of_their_route(lab: Lab) -> None:
    client = asking(lab)
    for path in ("/share/secret-1", "/share/secret-2", "/api/experiments/x", "/nowhere/y", "/broken", "/files/z"):
        client.get(path)
    client.request("BREW", "/share/secret-3")
    found = numbers(client)
    counted = {name: value for name, value in found.items() if name.startswith("http_requests_total")}
    assert {name[len("http_requests_total") :]: value for name, value in counted.items()} == {
        "{method=GET,route=/share/{token},status=200}": 2,
        "{method=GET,route=/api/experiments/{id},status=200}": 1,
        "{method=GET,route=none,status=404}": 1,
        "{method=GET,route=/broken,status=500}": 1,
        "{method=GET,route=/files,status=200}": 1,
        "{method=other,route=/share/{token},status=405}": 1,
    }
    assert found["http_request_seconds_count{method=GET,route=/share/{token}}"] == 2
    assert not [name for name in found if "secret" in name]


def test_open_websockets_are_counted(lab: Lab) -> None:
    client = asking(lab)
    with client.websocket_connect("/talk") as one:
        with client.websocket_connect("/talk") as other:
            assert numbers(client)["websocket_sessions"] == 2
            other.send_text("bye")
        one.send_text("bye")
    assert numbers(client)["websocket_sessions"] == 0


def test_without_a_token_only_this_machine_is_answered(lab: Lab) -> None:
    assert asking(lab, client=("::1", 1)).get("/metrics").status_code == 200
    for client, headers in (
        (("192.168.1.5", 1), {}),
        (("somewhere", 1), {}),
        (HERE, {"X-Forwarded-For": "203.0.113.9"}),
        (HERE, {"Forwarded": "for=203.0.113.9"}),
    ):
        answer = asking(lab, client=client).get("/metrics", headers=headers)
        assert answer.status_code == 403
        assert answer.text.startswith(
            "/metrics must be asked from this machine; elsewhere with ENSEMBLE_LAB_METRICS_TOKEN"
        )


def test_with_a_token_whoever_shows_it_is_answered(lab: Lab) -> None:
    far = asking(lab, "open sesame", ("192.168.1.5", 1))
    assert "ensemble_lab_runners" in numbers(far, Authorization="Bearer open sesame")
    for shown in ("", "Bearer", "Bearer open", "Bearer öpen sesame", "Basic open sesame"):
        for client in (far, asking(lab, "open sesame")):
            answer = client.get("/metrics", headers={"Authorization": shown.encode()})
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
            assert "sesame" not in answer.text


@pytest.fixture
def _no_token(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("ENSEMBLE_LAB_METRICS_TOKEN", raising=False)
    return


@pytest.mark.usefixtures("_no_token")
def test_the_token_stands_in_the_environment_or_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert metrics_token() is None
    (tmp_path / "token").write_text(" secret\n")
    (tmp_path / "empty").write_text("\n")
    for given, token in (("secret", "secret"), (f"@{tmp_path / 'token'}", "secret"), ("", None)):
        monkeypatch.setenv("ENSEMBLE_LAB_METRICS_TOKEN", given)
        assert metrics_token() == token
    for name in ("empty", "nowhere"):
        monkeypatch.setenv("ENSEMBLE_LAB_METRICS_TOKEN", f"@{tmp_path / name}")
        with pytest.raises(InvalidInput, match="must name a file with a token in it, got"):
            metrics_token()


def test_two_applications_share_no_numbers(lab: Lab, storage: Storage) -> None:
    first, second = Metrics(lab), Metrics(lambda: storage)  # type: ignore[arg-type]
    first.sessions.inc()
    assert second.registry.get_sample_value("websocket_sessions") == 0
    assert second.registry.get_sample_value("ensemble_lab_experiments", {"state": "finished"}) == 0
