"""What is shown of streams that run, and what can be done with them."""

from dataclasses import replace

import pytest

from ensembles.evaluation.stream_watch import StreamNews
from ensembles.experiments.records import TrialPlan, TrialResult
from pages.parts.live import ask_anew
from pages.parts.results import live_stream, status
from storage import ExperimentRecord, Storage
from tests.pages.conftest import OpenPage, press
from tests.pages.made_up import tiny_config
from tests.pages.made_up_results import figures, texts

PLAN = TrialPlan("a" * 32, 0, 0, 0, 0, 0)
NEWS = [StreamNews(n, 0.5, 0.25, 0.125, n / 1000, 0.0, 2**20) for n in (1_000, 2_000, 3_000)]
BUTTONS = {"Pause", "Snapshot now", "Go on", "Restart from snapshot"}


@pytest.fixture
def record(storage: Storage) -> ExperimentRecord:
    """Return an experiment with a stream that runs."""
    config = tiny_config(protocol={"kind": "prequential", "shuffle": False}, measures=["accuracy"])
    made = storage.create_experiment(config, n_trials=1, runner="me", lease_seconds=1000.0)
    storage.save_streams(made.id, [(PLAN, NEWS)])
    return made


def offered(app) -> set[str]:
    return BUTTONS & {button.label for button in app.button}


def test_a_running_stream_is_shown_with_its_numbers(record, open_results):
    app = open_results(experiment=record.id)
    [figure] = figures(app)
    assert figure["data"][0]["y"] == [0.25] * 3
    assert "The first trials are under way" not in texts(app)
    assert offered(app) == {"Pause", "Snapshot now"}
    app.segmented_control(key="live").set_value("speed").run()
    for shown in (app, open_results(experiment=record.id, live="Speed")):
        [figure] = figures(shown)
        assert figure["data"][0]["y"] == pytest.approx([1000.0] * 3)


def test_the_figure_stays_for_a_while_where_it_would_hardly_differ(storage, record, open_results, monkeypatch):
    """Streamlit builds a figure that differs anew, which is blank for a moment."""
    many = [replace(NEWS[0], seen=n) for n in range(1_000, 101_000, 1_000)]
    storage.save_streams(record.id, [(PLAN, many)])
    app = open_results(experiment=record.id)

    def shown_after(news: int) -> int:
        more = [replace(NEWS[0], seen=1_000_000 + n) for n in range(news)]
        storage.save_streams(record.id, [(PLAN, [*many, *more])])
        ask_anew()
        [figure] = figures(app.run())
        return len(figure["data"][0]["y"])

    before = shown_after(0)
    assert shown_after(5) == before
    assert shown_after(20) == before + 20
    assert shown_after(21) == before + 20
    monkeypatch.setattr(live_stream, "_SECONDS_A_FIGURE", 0.0)
    assert shown_after(21) == before + 21


def test_a_stream_that_goes_on_from_a_snapshot_is_drawn_no_further_than_it_is(storage, record, open_results):
    app = open_results(experiment=record.id)
    storage.save_streams(record.id, [(PLAN, NEWS[:2])])
    ask_anew()
    [figure] = figures(app.run())
    assert figure["data"][0]["x"] == [1_000, 2_000]


def test_a_stream_is_paused_and_goes_on(storage, record, open_results):
    app = open_results(experiment=record.id)
    press(app, "Pause")
    assert storage.get_experiment(record.id).paused
    assert offered(app) == {"Go on"}
    assert "Pauses with a snapshot of each stream" in [bar.text for bar in app.get("progress")]
    storage.release(record.id, "me")
    app.run()
    assert "It is paused. *Go on* lets it wait for its turn again." in texts(app)
    press(app, "Go on")
    assert not storage.get_experiment(record.id).paused


def test_a_stream_that_failed_is_not_shown_as_one_that_runs(storage, record, open_results):
    other = replace(PLAN, key="b" * 32, order=1)
    storage.save_streams(record.id, [(other, NEWS[:1])])
    storage.save_trials(record.id, [(PLAN, TrialResult(PLAN.key, error="it gave up"))])
    app = open_results(experiment=record.id)
    [figure] = figures(app)
    assert [line["x"] for line in figure["data"]] == [[1_000]]
    assert figure["layout"]["yaxis"]["rangemode"] == "nonnegative"
    storage.save_trials(record.id, [(other, TrialResult(other.key, error="it gave up too"))])
    app = open_results(experiment=record.id)
    assert figures(app) == []
    storage.finish(record.id, "finished", runner="me")
    assert ":red-badge[:material/error: All failed]" in texts(open_results(experiment=record.id))


def test_a_snapshot_is_wished_for(storage, record, open_results):
    press(open_results(experiment=record.id), "Snapshot now")
    assert storage.get_holdings("me", [record.id])[record.id].snapshots_wanted == 1


def test_what_was_cancelled_goes_on_from_its_snapshot(storage, record, open_results):
    storage.save_snapshot(record.id, PLAN, b"state", 3_000)
    storage.finish(record.id, "cancelled", runner="me")
    app = open_results(experiment=record.id)
    assert "the furthest after 3,000 examples (5 bytes in all)" in texts(app)
    assert offered(app) == {"Restart from snapshot"}
    press(app, "Restart from snapshot")
    assert storage.get_experiment(record.id).state == "waiting"
    assert storage.load_snapshot(record.id, PLAN.key) == b"state"


def test_who_may_not_change_it_sees_the_stream_and_no_button(storage: Storage, record, open_as: OpenPage):
    app = open_as("Rita", "results.py", experiment=record.id)
    assert len(figures(app)) == 1
    assert offered(app) == set()
    storage.save_snapshot(record.id, PLAN, b"state", 3_000)
    storage.finish(record.id, "cancelled", runner="me")
    assert offered(open_as("Rita", "results.py", experiment=record.id)) == set()


def test_the_page_is_drawn_anew_when_the_first_stream_is_heard(storage, monkeypatch, record):
    monkeypatch.setattr(status, "experiment_now", storage.get_experiment)
    monkeypatch.setattr(status, "draw_status", lambda _: None)
    monkeypatch.setattr(status, "draw_live_streams", lambda _: None)
    monkeypatch.setattr(status, "has_live_streams", lambda _: True)
    reruns: list[bool] = []
    monkeypatch.setattr(status.st, "rerun", lambda: reruns.append(True))
    status._draw_live(record, True)
    assert reruns == []
    status._draw_live(record, False)
    assert reruns == [True]
