"""Ways through the application by links: what is clicked next stays there, and Back goes back by one press."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from ensembles.data import build_dataset, preview_file
from storage import open_storage
from tests.browser.conftest import OpenTab, Server, settle
from tests.browser.steps import address, back, by_link, by_menu, filter_finished, first_row, title
from tests.browser.test_journeys import upload, view
from tests.pages.made_up import tiny_dataset
from tests.pages.made_up_results import add_experiment, make_config

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser_links")]


@pytest.fixture(scope="module")
def first_and_second(server: Server) -> tuple[str, str]:
    """Return the ids of two experiments, called "First" and "Second"."""
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        first, second = (add_experiment(storage, make_config(name)) for name in ("First", "Second"))
        return first, second


@pytest.fixture
def stored(server: Server) -> str:
    """Return the content hash of a data set called "Tiny"."""
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        return storage.save_dataset(tiny_dataset()).sha256


def test_results_from_the_menu_stay_open_when_a_view_is_chosen(
    open_tab: OpenTab, first_and_second: tuple[str, str]
) -> None:
    first, second = first_and_second
    page = open_tab("/")
    for name in ("Home", "All experiments"):  # in the menu, and on the page
        page.get_by_role("link", name=name).focus()
        page.keyboard.press("Shift")  # by keys, not by a press
        expect(page.get_by_role("link", name=name)).to_have_css("outline", "rgb(15, 107, 109) solid 2px")
    by_menu(page, "Results")
    by_link(page, "First")
    address(page, f"/results?experiment={first}")
    view(page, "Running time")
    title(page, "First")
    address(page, f"/results?experiment={first}&view=Running+time")
    page.get_by_role("radio", name="Prediction").click()
    settle(page)
    title(page, "First")
    page.reload()
    settle(page)
    title(page, "First")
    expect(page.get_by_test_id("stMain").get_by_role("radio", name="Running time")).to_be_checked()
    back(page, "/results", "Results")
    by_link(page, "Second")
    view(page, "Trials")
    title(page, "Second")
    address(page, f"/results?experiment={second}&view=Trials")
    back(page, "/results", "Results")
    back(page, "/", "Ensemble Lab")


def test_a_link_that_is_pressed_twice_keeps_its_address(open_tab: OpenTab, first_and_second: tuple[str, str]) -> None:
    page = open_tab("/results")
    page.get_by_role("link", name="First", exact=True).first.dblclick()
    settle(page)
    title(page, "First")
    address(page, f"/results?experiment={first_and_second[0]}")
    view(page, "Trials")
    title(page, "First")
    back(page, "/results", "Results")


def test_links_open_in_a_new_tab_and_by_the_keyboard(open_tab: OpenTab, first_and_second: tuple[str, str]) -> None:
    page = open_tab("/results")
    link = page.get_by_role("link", name="First", exact=True).first
    with page.context.expect_page() as opened:
        link.click(button="middle")
    settle(opened.value)
    title(opened.value, "First")
    with page.context.expect_page() as opened:
        link.click(modifiers=["ControlOrMeta"])
    expect(opened.value).to_have_url(re.compile(f"/results.experiment={first_and_second[0]}$"))
    title(page, "Results")
    link.focus()
    page.keyboard.press("Enter")
    title(page, "First")
    address(page, f"/results?experiment={first_and_second[0]}")


def test_a_published_table_stays_open_when_its_view_is_chosen(open_tab: OpenTab) -> None:
    page = open_tab("/")
    by_menu(page, "Papers")
    by_link(page, "1 Weighing fixed perceptrons")
    title(page, "Bai et al. 2016, table 1")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith("/papers?table=bai2016%2F1")
    view(page, "Figure")
    title(page, "Bai et al. 2016, table 1")
    page.reload()
    settle(page)
    title(page, "Bai et al. 2016, table 1")
    expect(page.get_by_test_id("stMain").get_by_role("radio", name="Figure")).to_be_checked()
    by_link(page, "All tables")
    title(page, "Papers")
    address(page, "/papers")
    back(page, "/papers?comparison=Figure&table=bai2016%2F1", "Bai et al. 2016, table 1")
    back(page, "/papers", "Papers")
    back(page, "/", "Ensemble Lab")


def test_a_published_table_stays_open_at_another_scale(open_tab: OpenTab) -> None:
    page = open_tab("/papers")
    by_link(page, "1 Weighing fixed perceptrons")
    page.get_by_role("combobox", name="Scale").click()
    page.get_by_role("option", name="A fiftieth").click()
    settle(page)
    title(page, "Bai et al. 2016, table 1")
    address(page, "/papers?scale=A+fiftieth&table=bai2016%2F1")


@pytest.mark.parametrize("shelf", ["", "?shelf=Yours"])
def test_back_from_the_card_of_a_data_set_takes_one_press(open_tab: OpenTab, stored: str, shelf: str) -> None:  # noqa: ARG001
    page = open_tab("/")
    by_menu(page, "Data sets")
    if shelf:
        view(page, "Yours")
    title(page, "Data sets")
    first_row(page)
    expect(page).to_have_url(re.compile(r"/datasets\?dataset=\w+$"))
    expect(page.get_by_role("heading", level=1)).not_to_have_text(["Data sets"])
    settle(page)
    back(page, f"/datasets{shelf}", "Data sets")
    expect(page.get_by_test_id("stMain").get_by_role("radio", name="Yours")).to_be_checked(checked=bool(shelf))
    page.wait_for_timeout(500)
    title(page, "Data sets")
    back(page, "/", "Ensemble Lab")


def test_the_card_of_a_data_set_stays_open_and_leads_back_to_its_shelf(open_tab: OpenTab, stored: str) -> None:
    page = open_tab(f"/datasets?dataset={stored}")
    view(page, "Missing values")
    title(page, "Tiny")
    address(page, f"/datasets?card=Missing+values&dataset={stored}")
    by_link(page, "All data sets")
    address(page, "/datasets?shelf=Yours")
    title(page, "Data sets")
    back(page, f"/datasets?card=Missing+values&dataset={stored}", "Tiny")
    expect(page.get_by_test_id("stMain").get_by_role("radio", name="Missing values")).to_be_checked()
    fresh = open_tab("/datasets?dataset=iris")
    by_link(fresh, "All data sets")
    address(fresh, "/datasets")
    view(fresh, "Upload")
    back(fresh, "/datasets?dataset=iris", "Iris")


def test_a_file_that_is_known_opens_its_card_which_stays(open_tab: OpenTab, server: Server, tmp_path: Path) -> None:
    content = b"size,class\n" + b"".join(b"%d.5,%s\n" % (i, b"yes" if i % 3 else b"no") for i in range(30))
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        known = build_dataset(preview_file(content, filename="known.csv"), name="Known", target="class")
        stored = storage.save_dataset(known).sha256
    page = open_tab("/datasets?shelf=Upload")
    upload(page, "known.csv", content, tmp_path)
    expect(page.get_by_text("The same content is stored already, as Known.")).to_be_visible()
    by_link(page, "Open it")
    title(page, "Known")
    address(page, f"/datasets?dataset={stored}")
    view(page, "Missing values")
    title(page, "Known")
    page.reload()
    settle(page)
    title(page, "Known")
    back(page, "/datasets?shelf=Upload", "Data sets")


def test_a_data_set_is_deleted_whatever_view_of_it_is_open(open_tab: OpenTab, server: Server) -> None:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        ref = storage.save_dataset(tiny_dataset("To be deleted", shift=0.25)).sha256
    page = open_tab(f"/datasets?dataset={ref}")
    view(page, "Missing values")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    title(page, "Data sets")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_a_clone_keeps_its_address_and_back_leads_to_the_original(
    open_tab: OpenTab, first_and_second: tuple[str, str]
) -> None:
    first, _ = first_and_second
    page = open_tab(f"/results?experiment={first}")
    page.get_by_role("button", name="Clone").click()
    address(page, f"/new?clone={first}")
    settle(page)
    name = page.get_by_role("textbox", name="Name")
    expect(name).to_have_value("First (copy)")
    page.get_by_role("radio", name="Prequential").click()
    expect(page.get_by_text("each is predicted, then learned")).to_be_visible()  # so the server has heard of it
    settle(page)
    expect(name).to_have_value("First (copy)")
    page.reload()
    expect(page.get_by_text("The form is as you left it.")).to_be_visible()  # so the tab has given back what it kept
    settle(page)
    expect(name).to_have_value("First (copy)")
    back(page, f"/results?experiment={first}", "First")


def test_back_from_what_was_opened_in_the_list_of_experiments_leads_to_the_list(
    open_tab: OpenTab, first_and_second: tuple[str, str]
) -> None:
    page = open_tab("/experiments")
    assert first_and_second
    by_link(page, "Second")
    title(page, "Second")
    view(page, "Trials")
    title(page, "Second")
    back(page, "/experiments", "Experiments")
    for action, end in {"Open": "/results?experiment=", "Clone": "/new?clone="}.items():
        page.get_by_role("button", name="Actions").first.click()
        page.get_by_text(action, exact=True).last.click()
        expect(page).to_have_url(re.compile(re.escape(end)))
        settle(page)
        back(page, "/experiments", "Experiments")


def test_ticked_experiments_are_compared_and_nothing_is_ticked_when_one_comes_back(
    open_tab: OpenTab, first_and_second: tuple[str, str]
) -> None:
    page = open_tab("/experiments?sort=Oldest+first")
    filter_finished(page)
    for name in ("First", "Second"):
        page.locator("label", has=page.get_by_role("checkbox", name=f"Select {name}", exact=True)).click()
    page.get_by_role("button", name="Compare").click()
    address(page, "/results?experiments=" + "%2C".join(first_and_second))
    settle(page)
    view(page, "Scatterplots")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    for one in (page, open_tab(page.evaluate("navigator.clipboard.readText()"))):
        title(one, "Comparison of 2 experiments")
        expect(one.get_by_text("Whether a point is filled")).to_be_visible()
        expect(one.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(2)
    page.go_back()
    expect(page).to_have_url(re.compile("/experiments"))
    settle(page)
    title(page, "Experiments")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Compare")).to_have_count(0)


def test_what_was_chosen_for_one_experiment_is_not_chosen_for_the_next(
    open_tab: OpenTab, first_and_second: tuple[str, str]
) -> None:
    first, second = first_and_second
    page = open_tab(f"/results?experiment={first}&view=Running+time&learners=Bagging")
    by_link(page, "Experiments")
    by_link(page, "Second")
    address(page, f"/results?experiment={second}")
    expect(page.get_by_test_id("stMain").get_by_role("radio", name="Summary")).to_be_checked()
    back(page, "/experiments", "Experiments")
    by_link(page, "First")
    back(page, "/experiments", "Experiments")


def test_back_from_a_launch_leads_to_the_form_and_from_there_to_the_data_set(open_tab: OpenTab, server: Server) -> None:
    page = open_tab("/datasets?dataset=iris")
    page.get_by_role("button", name="Use in a new experiment").click()
    address(page, "/new?dataset=iris")
    settle(page)
    page.get_by_role("radio", name="Hold-out").click()
    settle(page)
    page.keyboard.press("Control+Enter")  # though a choice in segments keeps Enter to itself
    expect(page).to_have_url(re.compile(r"/results\?experiment=\w+$"))
    with open_storage(
        f"sqlite:///{server.home}/ensemble-lab.sqlite"
    ) as storage:  # else it takes a minute of processors
        storage.request_cancel(page.url.split("experiment=")[1])
    settle(page)
    page.reload()
    settle(page)
    expect(page.get_by_role("button", name="Share")).to_be_visible()
    back(page, "/new?dataset=iris", "New experiment")
    back(page, "/datasets?dataset=iris", "Iris")
