"""People sign in at a real provider, in a real browser, and see what is theirs."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from storage import Storage, open_storage
from tests.browser.conftest import Server, settle
from tests.browser.provider import run_provider, write_secrets
from tests.browser.steps import by_menu, title
from tests.pages.made_up_results import add_experiment, make_config

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

Visit = Callable[[str], Page]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server at which people sign in; Ada, who comes first, looks after it."""
    home = tmp_path_factory.mktemp("signed_in")
    lab = Server(home, secrets=home / "secrets.toml")
    with run_provider(["Ada", "Ben"], home / "provider.log") as provider:
        (home / "provider").write_text(provider)
        write_secrets(home / "secrets.toml", provider, lab.url)
        lab.start()
        yield lab
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


def sign_in(page: Page, name: str) -> None:
    page.get_by_role("button", name="Sign in").click()
    page.get_by_placeholder("sub").fill(name)
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    settle(page)


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
