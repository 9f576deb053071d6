"""What goes on by itself while a page is open."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from storage import open_storage
from tests.browser.conftest import OpenTab, Server
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
