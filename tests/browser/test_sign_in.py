"""People sign in at a real provider, in a real browser, and see what is theirs."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from storage import Actor, Storage, open_storage
from tests.browser.conftest import Server, settle
from tests.browser.provider import run_provider, write_secrets
from tests.browser.steps import by_menu, sign_in, title
from tests.browser.test_journeys import check_view
from tests.pages.made_up import tiny_dataset
from tests.pages.made_up_results import add_experiment, make_config

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

Visit = Callable[[str], Page]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server at which people sign in; Ada looks after it."""
    home = tmp_path_factory.mktemp("signed_in")
    lab = Server(home, secrets=home / "secrets.toml")
    with run_provider(["Ada", "Ben"], home / "provider.log") as provider, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENSEMBLE_LAB_ADMINS", "Ada@example.org")
        (home / "provider").write_text(provider)
        write_secrets(home / "secrets.toml", provider, lab.url)
        try:
            lab.start()
            yield lab
        finally:
            lab.stop()


@pytest.fixture
def storage(lab: Server) -> Iterator[Storage]:
    with open_storage(f"sqlite:///{lab.home / 'ensemble-lab.sqlite'}") as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser, lab: Server) -> Iterator[Visit]:
    """Return a function that opens an address in a browser of its own, as somebody who was never here."""
    contexts = []

    def open_it(path: str) -> Page:
        contexts.append(browser.new_context())
        page = contexts[-1].new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{lab.url}{path}")
        settle(page)
        return page

    yield open_it
    for context in contexts:
        context.close()


def test_a_link_leads_through_the_sign_in_to_its_page(visit: Visit, storage: Storage) -> None:
    experiment = add_experiment(storage, make_config("Made by nobody"))
    page = visit(f"/results?experiment={experiment}&view=Running+time")
    title(page, "Ensemble Lab")
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
    expect(page.get_by_text("Made by nobody")).to_have_count(0)
    sign_in(page, "Ada")
    title(page, "Made by nobody")
    assert page.url.endswith(f"/results?experiment={experiment}&view=Running+time")
    expect(page.get_by_role("radio", name="Running time")).to_be_checked()


def make_link(page: Page) -> str:
    """Press what makes a link, and return its address."""
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_text("Copy it now")).to_be_visible()
    return page.get_by_test_id("stCode").inner_text().strip()


def test_a_link_shows_a_stranger_its_view_and_leads_nowhere_else(visit: Visit, storage: Storage, lab: Server) -> None:
    experiment = add_experiment(storage, make_config("Shown to people outside"))
    storage.set_experiment_visibility(experiment, "private")
    data = storage.save_dataset(tiny_dataset("Kept inside"), visibility="team").sha256
    ada = visit(f"/results?experiment={experiment}&view=Running+time")
    sign_in(ada, "Ada")
    address = make_link(ada)

    stranger = visit(address.removeprefix(lab.url))
    title(stranger, "Shown to people outside")
    check_view(stranger, "Running time")
    expect(stranger.get_by_role("radio", name="Trials")).to_have_count(0)
    expect(stranger.get_by_test_id("stSidebarNav")).to_have_count(0)
    stranger.get_by_role("button", name="Numbers").first.click()
    with stranger.expect_download() as download:
        stranger.get_by_test_id("stDownloadButton").first.get_by_role("button").click()
    assert "Online boosting" in Path(download.value.path()).read_text()
    for path in ("/", "/experiments", f"/results?experiment={experiment}", f"/datasets?dataset={data}", "/admin"):
        stranger.goto(f"{lab.url}{path}")
        settle(stranger)
        title(stranger, "Ensemble Lab")
        expect(stranger.get_by_test_id("stMain").get_by_role("button")).to_have_text(["Sign in"])
    assert stranger.request.get(f"{lab.url}/api/v1/experiments/{experiment}").status == 401

    ada.get_by_role("button", name="Revoke").click()
    expect(ada.get_by_role("button", name="Revoke")).to_have_count(0)
    stranger.goto(address)
    expect(stranger.get_by_text("The link is unknown, expired or revoked.")).to_be_visible()


def test_a_comment_and_a_new_role_are_there_at_the_next_click(visit: Visit, storage: Storage, lab: Server) -> None:
    experiment = add_experiment(storage, make_config("Spoken about"))
    ben_is = storage.sign_in(f"{(lab.home / 'provider').read_text()} Ben", "Ben").user_id
    assert ben_is is not None
    storage.set_role(ben_is, "member")
    ada, ben = visit(f"/results?experiment={experiment}"), visit(f"/results?experiment={experiment}")
    sign_in(ada, "Ada")
    sign_in(ben, "Ben")
    settle(ada)  # figures that come would move the form from under the pointer
    ada.get_by_text("Comments", exact=True).click()
    ada.get_by_role("textbox", name="Comment").fill("More <b>seeds</b>?")
    ada.get_by_role("button", name="Comment", exact=True).click()
    expect(ada.get_by_text("Comments (1)")).to_be_visible()
    ben.get_by_role("radio", name="Trials").click()
    expect(ben.get_by_text("More <b>seeds</b>?")).to_be_visible()
    expect(ben.get_by_role("button", name="Clone")).to_be_visible()

    ada.goto(f"{lab.url}/admin?about=People")
    settle(ada)
    ada.locator(f".st-key-admin_role_{ben_is}_member").get_by_role("combobox").click()
    ada.get_by_role("option", name="reader").click()
    expect(ada.locator(f".st-key-admin_role_{ben_is}_reader")).to_be_visible()
    ben.get_by_role("radio", name="Summary").click()
    expect(ben.get_by_role("button", name="Clone")).to_have_count(0)
    expect(ben.get_by_role("textbox", name="Comment")).to_have_count(0)
    expect(ben.get_by_test_id("stSidebarNav").get_by_text("New experiment")).to_have_count(0)


def test_the_second_sees_none_of_the_private_and_signs_out(visit: Visit, storage: Storage, lab: Server) -> None:
    owner = storage.acting_as(storage.sign_in("first", "First"))
    private = owner.create_experiment(make_config("Nobody's business"), visibility="private")
    owner.request_cancel(private.id)
    ben = storage.sign_in(f"{(lab.home / 'provider').read_text()} Ben", "Ben")
    assert ben.user_id is not None
    storage.set_role(ben.user_id, "reader")
    page = visit(f"/results?experiment={private.id}")
    sign_in(page, "Ben")
    expect(page.get_by_text("it may have been deleted")).to_be_visible()
    by_menu(page, "Experiments")
    expect(page.get_by_text("Nobody's business")).to_have_count(0)

    by_menu(page, "Home")
    expect(page.get_by_role("button", name="Run a first experiment")).to_have_count(0)
    expect(page.get_by_test_id("stSidebarNav").get_by_text("New experiment")).to_have_count(0)

    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/end_session?**")  # of the provider
    page.goto(f"{lab.url}/experiments")
    settle(page)
    title(page, "Ensemble Lab")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


def open_until(page: Page, address: str, shown: Locator) -> None:
    """Open an address again and again until something is shown: a new role, or a lock, takes some seconds to be noticed."""
    while not shown.count():
        page.goto(address)
        settle(page)


def test_who_is_locked_out_is_told_so_in_a_dialog_that_is_open(visit: Visit, storage: Storage, lab: Server) -> None:
    ben_is = storage.sign_in(f"{(lab.home / 'provider').read_text()} Ben", "Ben").user_id
    assert ben_is is not None
    storage.set_role(ben_is, "member")
    own = storage.acting_as(Actor("user", ben_is, "Ben", "member")).create_experiment(make_config("Left open"))
    ben = visit("/experiments")
    sign_in(ben, "Ben")
    open_until(ben, f"{lab.url}/", ben.get_by_test_id("stSidebarNav").get_by_text("New experiment"))
    ben.goto(f"{lab.url}/results?experiment={own.id}")
    ben.get_by_role("button", name="Share").click()
    expect(ben.get_by_role("button", name="Make a link")).to_be_visible()
    storage.set_locked(ben_is, True)
    try:
        told, beside = re.compile("this account is locked, ask an admin"), ben.context.new_page()
        open_until(beside, f"{lab.url}/experiments", beside.get_by_text(told))
        ben.get_by_role("button", name="Make a link").click()
        expect(ben.get_by_role("dialog").get_by_text(told)).to_be_visible()
    finally:
        storage.set_locked(ben_is, False)
