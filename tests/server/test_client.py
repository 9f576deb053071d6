"""The client of the JSON interface: what it sends again, what it makes of refusals, and a whole life of an experiment."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import run
from typing import Any

import httpx2
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from ensembles.client import Lab, RemoteExperiment
from ensembles.client.connection import Connection
from ensembles.errors import Conflict, Forbidden, InvalidConfig, InvalidData, InvalidInput, LabUnreachable, NotFound
from ensembles.reports.tables import trial_table
from runner.command_line import main
from storage import Storage
from tests.browser.conftest import Server
from tests.server.api import headers_of, token_of
from tests.server.test_api import fill
from tests.storage.conftest import make_config, make_dataset
from tests.storage.people import sign_in

Answers = Callable[[httpx2.Request], httpx2.Response]


def connection(answers: Answers) -> tuple[Connection, list[float]]:
    """Return a connection that is answered so, and the pauses that it makes."""
    pauses: list[float] = []
    transport = httpx2.MockTransport(answers)
    return Connection("http://lab", "lab_x", timeout=1, transport=transport, sleep=pauses.append), pauses


def test_experiments_are_launched_found_and_cancelled(storage: Storage, lab: Lab, tmp_path: Path) -> None:
    config = make_config(name="By config")
    file = tmp_path / "experiment.yaml"
    file.write_text(config.to_yaml().replace("By config", "By file"))
    launched = [
        lab.launch(config, visibility="private", tags=["nightly"]),
        lab.launch(file),
        lab.launch(config.to_dict()),
    ]
    assert [one.name for one in launched] == ["By config", "By file", "By config"]
    assert [one.id for one in lab.experiments()] == [one.id for one in reversed(launched)]
    assert [one.id for one in lab.experiments("by FILE")] == [launched[1].id]
    assert [one.id for one in lab.experiments(tag=["nightly"], state=["waiting"])] == [launched[0].id]
    assert [one.id for one in lab.experiments(tag="nightly", state="waiting")] == [launched[0].id]
    assert lab.launch(config, tags="weekly").facts["tags"] == ["weekly"]
    assert storage.get_experiment(launched[0].id).config == config
    assert [launched[0].pause().facts["paused"], launched[0].resume().facts["paused"]] == [True, False]
    assert launched[0].cancel().state == "cancelled"
    assert lab.experiment(launched[0].id).wait().state == "cancelled"
    launched[0].delete()
    with pytest.raises(NotFound, match="there is no experiment"):
        launched[0].refresh()
    assert launched[0].restore().refresh().state == "cancelled"
    assert launched[1].url == f"http://localhost/results?experiment={launched[1].id}"
    assert repr(launched[1]) == f"<By file ({launched[1].id}): waiting, 0 of 8 trials>"


@pytest.mark.parametrize("id", ["../datasets", "a/b", "", "x?y", "ä"])
def test_what_can_be_no_experiment_is_not_there(lab: Lab, id: str) -> None:
    with pytest.raises(NotFound, match="there is no experiment"):
        lab.experiment(id)


def test_what_may_become_of_an_experiment(storage: Storage, lab: Lab) -> None:
    experiment = lab.launch(make_config(name="First"))
    assert experiment.rename(" Second ").name == "Second"
    assert experiment.set_visibility("private").facts["visibility"] == "private"
    assert experiment.set_priority(-2).facts["priority"] == -2
    with pytest.raises(Forbidden, match=r"only admins, .* may give a priority above 0, got 1"):
        experiment.set_priority(1)
    with pytest.raises(InvalidInput, match=r"priority: must be at most 2, got .3"):
        experiment.set_priority(3)
    assert experiment.cancel().reopen().state == "waiting"
    fill(storage, experiment.cancel().id)
    assert experiment.reopen().facts["failed"] == 1
    with pytest.raises(Conflict, match="Second: is not over, it waits for its turn"):
        experiment.reopen(retry=True)
    assert experiment.cancel().reopen(retry=True).facts["failed"] == 0
    stored = storage.get_experiment(experiment.id)
    assert (stored.name, stored.visibility, stored.priority, stored.done) == ("Second", "private", -2, 7)
    storage.take_experiment(experiment.id, "me", 60.0)
    with pytest.raises(Conflict, match="is being run by another program"):
        experiment.reopen()


def test_what_was_deleted_is_listed_and_taken_back(lab: Lab) -> None:
    experiments = [lab.launch(make_config(name=name)) for name in ("First", "Second")]
    stored = lab.upload(make_dataset("Fruit").to_frame(), target="kind", name="Fruit")
    assert stored.rename("Pears").set_visibility("link").facts["visibility"] == "link"
    assert lab.deleted_experiments() == lab.deleted_datasets() == []
    for one in (*experiments, stored):
        one.delete()
    assert [one.name for one in lab.deleted_experiments()] == ["Second", "First"]
    assert lab.deleted_experiments()[0].facts["deleted"] is not None
    (back,) = lab.deleted_datasets()
    assert back.restore().name == "Pears"
    assert lab.deleted_experiments()[1].restore().facts["deleted"] is None
    assert [one.name for one in lab.experiments()] == ["First"]
    assert [one.name for one in lab.datasets()] == ["Pears"]


def test_data_sets_come_back_as_they_went(lab: Lab) -> None:
    frame = make_dataset("Fruit").to_frame()
    stored = lab.upload(frame, target="kind", name="Fruit")
    assert_frame_equal(stored.to_frame(), frame, check_dtype=False, check_categorical=False)
    assert [one.sha256 for one in lab.datasets("FRU")] == [stored.sha256]
    lab.launch(make_config(stored.reference))
    with pytest.raises(Conflict, match="1 experiment uses it"):
        stored.delete()
    other = lab.upload(make_dataset("Other", seed=2).to_frame(), target="kind", name="Other")
    other.delete()
    assert [one.name for one in lab.datasets()] == ["Fruit"]
    assert other.restore().to_frame().shape == frame.shape


def test_results_are_tables(storage: Storage, lab: Lab) -> None:
    experiment = storage.create_experiment(make_config(), runner="me", n_trials=8).id
    fill(storage, experiment)
    remote, results = lab.experiment(experiment), storage.load_results(experiment)
    means = remote.results().set_index(["measure", "learner"])["mean"]
    assert [means["accuracy"][name] for name in results.learners] == results.mean("accuracy").to_numpy()[0].tolist()
    assert_frame_equal(remote.trials(), trial_table(results), check_dtype=False)
    waiting = lab.launch(make_config())
    assert waiting.results()["n"].tolist() == [0] * 4
    assert waiting.trials().empty


def test_refusals_are_errors_of_ours(storage: Storage, lab: Lab, carried: httpx2.MockTransport) -> None:
    with pytest.raises(Forbidden, match="the token is unknown, expired or revoked"):
        Lab("http://localhost", "lab_wrong", transport=carried).whoami()
    reader = Lab("http://localhost", token_of(sign_in(storage, "Olga"), "read"), transport=carried)
    with pytest.raises(Forbidden, match="a token must have the scope 'launch'"):
        reader.launch(make_config())
    with pytest.raises(InvalidInput, match="datasets: is missing"):
        lab.launch({"name": "x"})
    for url in ("lab.example.org", "", "ftp://x", "http://", 5):
        with pytest.raises(InvalidInput, match="Lab: the url must be one such as"):
            Connection(url, None, timeout=1)  # type: ignore[arg-type]
    with pytest.raises(NotFound, match="there is no experiment None; an id is made of letters and digits"):
        lab.experiment(None)  # type: ignore[arg-type]
    assert "lab_" not in repr(lab)


def test_what_is_too_much_or_away_for_now_is_asked_again() -> None:
    statuses = iter([503, 429, 200])

    def answer(_: httpx2.Request) -> httpx2.Response:
        status = next(statuses)
        return httpx2.Response(status, json={"error": "later"}, headers={"Retry-After": "7"} if status == 429 else {})

    asked, pauses = connection(answer)
    assert asked.ask("POST", "/x").status_code == 200
    assert 0.3 < pauses[0] < 0.7
    assert pauses[1:] == [7.0]


def test_who_never_answers_is_given_up() -> None:
    def refuse(_: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("Connection refused")

    asked, pauses = connection(refuse)
    with pytest.raises(LabUnreachable, match="http://lab does not answer: Connection refused"):
        asked.read("/x")
    assert len(pauses) == 6
    assert sorted(pauses) == pauses
    busy, pauses = connection(lambda _: httpx2.Response(503, json={"error": "the database cannot be reached"}))
    with pytest.raises(ConnectionError, match="the database cannot be reached"):
        busy.read("/x")


def test_an_answer_that_was_lost_is_asked_for_again_where_that_does_no_harm() -> None:
    heard: list[Any] = []

    def lose(request: httpx2.Request) -> httpx2.Response:
        heard.append((request.headers["idempotency-key"], request.read()))
        if len(heard) == 1:
            raise httpx2.ReadError("reset by peer")
        return httpx2.Response(201, json={"id": "abc", "name": "x", "state": "waiting"})

    lab = Lab("http://lab", transport=httpx2.MockTransport(lose))
    lab._connection._sleep = lambda _: None
    assert lab.launch(make_config()).id == "abc"
    assert heard[0] == heard[1]
    assert len(heard[0][0]) == 32


def test_a_frame_that_no_file_can_hold_is_refused_before_it_is_sent() -> None:
    lab = Lab("http://lab", transport=httpx2.MockTransport(lambda _: pytest.fail("it was sent")))
    for cells in ([1, "a"], [1j, 2j]):
        with pytest.raises(
            InvalidData, match="column 'x' must hold texts, truth values, numbers or dates, all of one kind"
        ):
            lab.upload(
                pd.DataFrame({"x": pd.Series(cells, dtype=object if "a" in cells else None), "class": ["a", "b"]})
            )


@pytest.mark.parametrize("deed", [RemoteExperiment.delete, RemoteExperiment.restore])
def test_what_is_not_there_any_more_the_second_time_is_asked_for_once(
    deed: Callable[[RemoteExperiment], object],
) -> None:
    heard: list[str] = []

    def lose(request: httpx2.Request) -> httpx2.Response:
        heard.append(request.url.path)
        raise httpx2.ReadError("reset by peer")

    with pytest.raises(LabUnreachable):
        deed(RemoteExperiment(connection(lose)[0], {"id": "abc"}))
    assert len(heard) == 1


def test_a_token_may_be_read_of_a_file_with_its_line_feed() -> None:
    shown: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        shown.append(request.headers["authorization"])
        return httpx2.Response(200, json={})

    lab = Lab("http://lab", token=" lab_x\n", transport=httpx2.MockTransport(answer))
    lab.whoami()
    assert shown == ["Bearer lab_x"]


@pytest.mark.parametrize("token", ["lab_é", "lab_x\nlab_y", "lab_x lab_y", "lab_\0"])
def test_what_is_no_token_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(InvalidInput, match=r"^Lab: the token must be one such as .*, got signs that no token has$"):
        Lab("http://lab", token=token)


def test_who_is_no_lab_is_named() -> None:
    page, _ = connection(lambda _: httpx2.Response(200, text="<html>"))
    with pytest.raises(LabUnreachable, match="http://lab does not answer as an Ensemble Lab does"):
        page.read("/x")
    sign_in_page, _ = connection(lambda _: httpx2.Response(302, headers={"Location": "https://id.example"}))
    with pytest.raises(LabUnreachable, match="http://lab answers 302"):
        sign_in_page.read("/x")


def states(*told: tuple[str, int]) -> RemoteExperiment:
    """Return an experiment that stands so each time it is asked."""
    facts = {"id": "abc", "name": "x", "trials": 4, "seconds_left": None, "message": "iris: too small"}
    answers: Iterator[dict[str, Any]] = iter({**facts, "state": state, "done": done} for state, done in told)
    return RemoteExperiment(connection(lambda _: httpx2.Response(200, json=next(answers)))[0], facts)


def test_waiting_tells_of_progress_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ensembles.client.remote.time.sleep", lambda _: None)
    told: list[Any] = []
    moving = states(("waiting", 0), ("running", 0), ("running", 2), ("finished", 4))
    assert moving.wait(on_progress=lambda *facts: told.append(facts)).state == "finished"
    assert told == [(0, 4, None), (2, 4, None), (4, 4, None)]
    with pytest.raises(TimeoutError, match=r"x \(abc\) is running, not over after 0 s"):
        states(("running", 1)).wait(timeout=0)
    with pytest.raises(InvalidConfig, match="could not be run: iris: too small"):
        states(("failed", 0)).wait()


def test_the_library_is_not_slower_to_import() -> None:
    code = "import sys, ensembles; assert not {'httpx2', 'pandas', 'ensembles.client'} & sys.modules.keys()"
    run([sys.executable, "-c", code], check=True)


@pytest.mark.xdist_group("processes")
def test_a_life_of_an_experiment_on_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Launched, waited for, read: the same bits as on the command line."""
    (tmp_path / "fruit.csv").write_text("kind,weight\n" + "apple,1.5\npear,2.5\npear,1.25\n" * 10)
    file = tmp_path / "experiment.yaml"
    file.write_text(
        "name: A life\ndatasets: [iris, {file: fruit.csv, target: kind}]\n"
        "learners: [{method: single, base: naive_bayes}, {method: online_bagging, base: naive_bayes, n_estimators: 5}]\n"
        "protocol: {kind: cross_validation, repeats: 2, folds: 2, orders: 2}\nmeasures: [accuracy, mse]\n"
    )
    server = Server(tmp_path)
    server.start()
    try:
        told: list[int] = []
        with Lab(server.url) as lab:
            ended = lab.launch(file).wait(timeout=600, on_progress=lambda done, *_: told.append(done))
            ours, trials = ended.summary(), ended.trials()
        denied = httpx2.get(f"{server.url}/api/v1/whoami", headers=headers_of("lab_wrong"))
    finally:
        server.stop()
    assert (
        main(["run", str(file), "--json", "--workers", "1", "--database", f"sqlite:///{tmp_path / 'own.sqlite'}"]) == 0
    )
    theirs = json.loads(capsys.readouterr().out)
    assert ended.state == "finished"
    assert told[-1] == len(trials) == theirs["trials"] == 24
    assert ours["results"] == theirs["results"]
    assert pd.DataFrame(theirs["results"])["mean"].notna().all()
    assert (denied.status_code, denied.headers["x-frame-options"]) == (401, "SAMEORIGIN")
