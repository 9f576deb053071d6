"""What a visitor does: by the menu, by a link, back; and what they look for."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import settle


def title(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text([words])


def address(page: Page, end: str) -> None:
    """Wait until the address ends so."""
    expect(page).to_have_url(re.compile(f"{re.escape(end)}$"))


def sign_in(page: Page, name: str) -> None:
    page.get_by_role("button", name="Sign in").click()
    page.get_by_placeholder("sub").fill(name)
    page.get_by_role("button", name="Authorize", exact=True).click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    settle(page)


def filter_finished(page: Page) -> None:
    """Leave among the experiments those that have finished."""
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("combobox", name="State").click()
    page.get_by_role("option", name="Finished").click()
    expect(page.get_by_role("button", name="Filter (1)")).to_be_visible()
    page.keyboard.press("Escape")
    settle(page)


def by_menu(page: Page, name: str) -> None:
    link = page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True)
    wanted = str(link.get_attribute("href"))
    link.click()
    expect(page).to_have_url(wanted)  # until then the page before stands there, with links of the same names
    settle(page)


def by_link(page: Page, name: str) -> None:
    link = page.get_by_test_id("stMain").get_by_role("link", name=name, exact=True).first
    asked = str(link.get_attribute("href")).rpartition("/")[2]
    link.click()
    expect(page).to_have_url(re.compile(re.escape(asked)))  # a slow server has not begun when the press is over
    settle(page)


def back(page: Page, end: str, words: str) -> None:
    """Press the browser's Back once, and look where it leads."""
    page.go_back()
    address(page, end)
    settle(page)
    title(page, words)


def first_row(page: Page) -> None:
    """Tick the first row of the table of data sets; its canvas hears a press and a release, not a click in one breath."""
    table = page.get_by_test_id("stDataFrame")
    page.wait_for_timeout(500)  # the table of the shelf before may stand beside the new one for a moment
    settle(page)
    expect(table).to_have_count(1)
    box = table.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 15, box["y"] + 55)
    page.mouse.down()
    page.wait_for_timeout(100)
    page.mouse.up()
