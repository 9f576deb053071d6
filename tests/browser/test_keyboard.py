"""Where the focus goes for who has a keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from storage import open_storage
from tests.browser.conftest import OpenTab, Server, settle
from tests.pages.made_up_results import add_experiment, make_config

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser_links")]


def test_tab_leads_from_a_button_into_what_it_opens_and_out_of_it(open_tab: OpenTab, server: Server) -> None:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        add_experiment(storage, make_config("By keys"))
    page = open_tab("/experiments")
    opener, first = page.get_by_role("button", name=re.compile("^Filter")), page.get_by_role("combobox", name="State")
    opener.press("Enter")
    expect(first).to_be_visible()
    opener.press("Tab")
    expect(first).to_be_focused()
    first.press("Shift+Tab")
    expect(opener).to_be_focused()
    last = page.get_by_role("combobox", name="Published tables run again")
    last.press("Tab")
    expect(page.get_by_role("switch", name="Starred")).to_be_focused()


def test_tab_leads_out_of_a_menu_to_what_follows_its_button(open_tab: OpenTab, server: Server) -> None:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        experiment = add_experiment(storage, make_config("By keys through a menu"))
    page = open_tab(f"/results?experiment={experiment}")
    menu = page.get_by_role("menu")
    after, before = page.get_by_role("radio", name="Summary"), page.get_by_role("button", name="Clone").first
    for key, neighbour in (("Tab", after), ("Shift+Tab", before)):
        page.get_by_role("button", name="More").press("Enter")
        expect(menu).to_be_visible()
        page.get_by_role("menuitem").first.press(key)
        expect(menu).to_have_count(0)
        expect(neighbour).to_be_focused()


def test_the_focus_goes_back_to_where_it_was(open_tab: OpenTab, server: Server) -> None:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        add_experiment(storage, make_config("Asked by keys"))
    page = open_tab("/experiments?search=Asked+by+keys")
    menu = page.get_by_role("button", name="Actions with Asked by keys")
    menu.press("Enter")
    page.get_by_role("menuitem", name="Rename").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    settle(page)
    dialog.press("Escape")
    expect(dialog).to_have_count(0)
    expect(menu).to_be_focused()
    page.get_by_role("button", name="Give a star to Asked by keys").press("Enter")
    expect(page.get_by_role("button", name="Take the star of Asked by keys")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Select Asked by keys")).to_be_focused()


def test_the_page_says_by_which_keys_a_data_set_is_opened(open_tab: OpenTab) -> None:
    page = open_tab("/datasets?search=balance")
    expect(
        page.get_by_text("1 data set. Tick a row, or press Shift and Space on it, to open its card.")
    ).to_be_visible()
    page.get_by_test_id("data-grid-canvas").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Space")
    expect(page).to_have_url(re.compile(r"/datasets\?dataset=balance_scale$"))
