"""What goes on by itself while a page is open."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from ensembles.experiments.config import ExperimentConfig
from storage import open_storage
from tests.browser.conftest import OpenTab, Server, settle
from tests.pages.made_up_results import add_experiment, make_config

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture
def running(server: Server) -> Iterator[str]:
    """Return the id of an experiment that a runner beyond this server is at."""
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        experiment = add_experiment(storage, make_config("It runs"), share=0.5, state="running")
        yield experiment
        storage.finish(experiment, "finished", runner="test")


def test_a_list_goes_on_and_ends_without_a_touch(open_tab: OpenTab, server: Server, running: str) -> None:
    page = open_tab("/experiments?search=runs")  # nobody asked for these a moment ago, so no answer is kept
    row = page.locator(f".st-key-experiments_row_{running}")
    expect(row.get_by_text("12 of 24 trials")).to_be_visible()
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        storage.heartbeat(running, "test", lease_seconds=3600.0, seconds_left=19.0)
        expect(row.get_by_text("12 of 24 trials · about 19 s left")).to_be_visible()
        storage.finish(running, "finished", runner="test")
        expect(row.get_by_text("Finished")).to_be_visible()
        another = add_experiment(storage, make_config("It runs too, launched by somebody else"))
    expect(page.locator(f".st-key-experiments_row_{another}")).to_be_visible()
    for width in (1000, 1210, 1600):
        page.set_viewport_size({"width": width, "height": 1000})
        page.wait_for_timeout(300)
        when, actions = (
            found.bounding_box()
            for found in (row.get_by_text(re.compile("^today|^yesterday")), row.get_by_text("Actions"))
        )
        assert when is not None
        assert actions is not None
        assert abs(when["y"] - actions["y"]) < 15, f"at {width} all cells of a row stand in a line"


def test_a_stream_without_end_is_cancelled_once_the_question_is_answered(open_tab: OpenTab, server: Server) -> None:
    document = {
        "name": "On and on",
        "datasets": [{"key": "led24", "rows": 100_000_000}],
        "learners": [{"method": "single", "base": "naive_bayes"}],
        "protocol": {"kind": "prequential", "shuffle": False},
    }
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        experiment = storage.create_experiment(ExperimentConfig.from_dict(document)).id
    page = open_tab("/experiments?search=On+and+on")
    row = page.locator(f".st-key-experiments_row_{experiment}")
    expect(row.get_by_text("left")).to_be_visible()
    row.get_by_role("button", name="Actions with On and on").click()
    page.get_by_text("Cancel", exact=True).click()
    page.get_by_role("button", name="Cancel the rest").click()
    settle(page)
    page.goto(f"{server.url}/results?experiment={experiment}")
    expect(page.get_by_test_id("stMain").get_by_text(re.compile("Cancelled$"))).to_be_visible()
