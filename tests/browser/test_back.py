"""Back, from a page in whose address something is chosen."""

import re

import pytest
from playwright.sync_api import expect

from storage import open_storage
from tests.browser.conftest import OpenTab, Server, settle
from tests.browser.steps import address, back, by_menu, filter_finished, title
from tests.browser.test_journeys import view
from tests.pages.made_up_results import add_experiment, make_config

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser_links")]


def test_back_leads_to_the_page_of_the_list_whatever_was_asked_meanwhile(open_tab: OpenTab, server: Server) -> None:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        for number in range(16):
            storage.request_cancel(storage.create_experiment(make_config(f"Many {number}")).id)
    page = open_tab("/")
    by_menu(page, "Experiments")
    page.get_by_role("combobox", name="Sort by").click()
    page.get_by_role("option", name="Name").click()
    settle(page)
    page.get_by_role("button", name="Next page").click()
    address(page, "/experiments?page=2&sort=Name")
    settle(page)
    page.get_by_test_id("stMain").get_by_role("link", name=re.compile("^Many")).last.click()
    expect(page).to_have_url(re.compile(r"/results\?experiment=\w+$"))
    settle(page)
    page.get_by_role("button", name="More").click()
    page.get_by_text("Rename", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    back(page, "/experiments?page=2&sort=Name", "Experiments")
    back(page, "/", "Ensemble Lab")


def test_back_from_the_menu_leads_to_the_view_that_was_open(open_tab: OpenTab, server: Server) -> None:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        first = add_experiment(storage, make_config("Viewed"))
    page = open_tab(f"/results?experiment={first}")
    view(page, "Trials")
    by_menu(page, "Home")
    back(page, f"/results?experiment={first}&view=Trials", "Viewed")
    expect(page.get_by_test_id("stMain").get_by_role("radio", name="Trials")).to_be_checked()


def test_after_back_the_filters_are_counted_that_are_set(open_tab: OpenTab, server: Server) -> None:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        add_experiment(storage, make_config("Sifted"))
    page = open_tab("/experiments")
    page.get_by_role("button", name="Experiment", exact=True).click()
    address(page, "/experiments?sort=Name")
    settle(page)
    filter_finished(page)
    back(page, "/experiments", "Experiments")
    expect(page.get_by_role("button", name="Filter", exact=True)).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("button", name="Filter (1)")).to_be_visible()


def test_who_is_sent_away_from_the_application_right_after_it_changed_its_address_gets_there(open_tab: OpenTab) -> None:
    page = open_tab("/experiments")
    settle(page)
    page.evaluate("""() => { history.pushState({}, "", "/experiments?sort=Name"); location.href = "/health"; }""")
    expect(page).to_have_url(re.compile("/health$"))
    expect(page.get_by_text('"status":"ok"')).to_be_visible()


def test_the_menu_leads_from_what_a_page_is_about_to_the_page(open_tab: OpenTab) -> None:
    page = open_tab("/datasets?dataset=iris")
    by_menu(page, "Data sets")
    title(page, "Data sets")
    back(page, "/datasets?dataset=iris", "Iris")


def test_a_form_outlives_its_page_being_loaded_anew(open_tab: OpenTab) -> None:
    page = open_tab("/new?dataset=iris")
    page.get_by_role("textbox", name="Name").fill("Kept by the tab")
    page.get_by_role("radio", name="Given test set").click()
    expect(page.get_by_text("come as two data sets")).to_be_visible()  # so the server has heard of it
    settle(page)
    page.reload()
    expect(page.get_by_text("The form is as you left it.")).to_be_visible()
    settle(page)
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Kept by the tab")
    expect(page.get_by_role("radio", name="Given test set")).to_be_checked()
    page.get_by_role("button", name="Begin anew").click()
    expect(page.get_by_text("The form is as you left it.")).to_have_count(0)
    settle(page)
    page.reload()
    settle(page)
    expect(page.get_by_role("textbox", name="Name")).to_have_value("")
