"""Pages in the colours of a reader's system: what is chosen, ticked or on differs from what is not."""

import pytest
from playwright.sync_api import Locator, expect

from storage import open_storage
from tests.browser.conftest import OpenTab, Server, settle
from tests.pages.made_up_results import add_experiment, make_config

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser_links")]


def ground(one: Locator) -> str:
    return str(one.evaluate("(element) => getComputedStyle(element).backgroundColor"))


def test_what_is_chosen_is_seen_where_the_system_forces_its_colours(open_tab: OpenTab, server: Server) -> None:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        for name in ("Forced one", "Forced two"):
            add_experiment(storage, make_config(name))
    page = open_tab("/experiments?search=Forced&starred=false")
    page.emulate_media(forced_colors="active")
    try:
        page.get_by_role("checkbox", name="Select Forced one").press("Space")
        expect(page.get_by_text("1 experiment ticked")).to_be_visible()
        settle(page)
        boxes = page.get_by_test_id("stCheckbox").locator("label > span + div")
        switch, *_ = boxes.all()
        ticked = page.get_by_test_id("stCheckbox").filter(has=page.get_by_role("checkbox", name="Select Forced one"))
        other = page.get_by_test_id("stCheckbox").filter(has=page.get_by_role("checkbox", name="Select Forced two"))
        assert ground(ticked.locator("label > span + div")) != ground(other.locator("label > span + div"))
        assert switch.evaluate("(element) => getComputedStyle(element).borderTopStyle") == "solid"
        page.goto(f"{server.url}/new")
        settle(page)
        for chosen, rest in (("Cross-validation", "Hold-out"), ("Online bagging", "Wagging")):
            role = "radio" if chosen == "Cross-validation" else "button"
            one, another = (page.get_by_role(role, name=name, exact=True).first for name in (chosen, rest))
            assert ground(one) != ground(another)
    finally:
        page.emulate_media(forced_colors="none")
