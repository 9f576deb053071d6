"""The main ways through the application, as a user goes them."""

import json
import re
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from ensembles.data import load_dataset
from storage import open_storage
from tests.browser.conftest import UPLOAD_LIMIT_MB, OpenTab, Server, settle
from tests.pages.made_up import car_csv
from tests.pages.made_up_results import MEMBERS, add_experiment, end_made_up, make_config

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def upload(page: Page, name: str, content: bytes, folder: Path) -> None:
    path = folder / name
    path.write_bytes(content)
    page.locator('input[type="file"]').set_input_files(path)


def view(page: Page, name: str) -> None:
    page.get_by_test_id("stMain").get_by_role("radio", name=name, exact=True).click()
    settle(page)


def test_a_table_is_uploaded_compared_and_shared_in_six_clicks(
    open_tab: OpenTab, server: Server, tmp_path: Path
) -> None:
    page, clicked = open_tab("/"), []

    def click(one: Locator) -> None:
        clicked.append(one)
        one.click()

    file = tmp_path / "car.csv"
    file.write_text(car_csv())
    click(page.get_by_role("link", name="Upload a table"))
    with page.expect_file_chooser() as chooser:
        click(page.get_by_test_id("stFileUploaderDropzone").locator("button"))
    chooser.value.set_files(file)
    expect(page.get_by_text("Recognised: 1,728 rows of 7 columns")).to_be_visible()
    first_rows = page.get_by_test_id("stDataFrame").last
    assert first_rows.evaluate("table => table.clientHeight") < 500
    click(page.get_by_role("button", name="Save"))
    expect(page.get_by_role("heading", name="car", exact=True)).to_be_visible()
    expect(page.get_by_text("1,728 examples · 6 attributes · 4 classes")).to_be_visible()
    click(page.get_by_role("button", name="Use in a new experiment"))
    expect(page.get_by_role("heading", name="New experiment")).to_be_visible()
    click(page.get_by_role("radio", name="Quick look"))
    expect(page.get_by_text("50 trials", exact=True)).to_be_visible()
    page.get_by_role("textbox", name="Name", exact=True).fill("Cars <b>& boosting</b>")
    page.get_by_role("textbox", name="Name", exact=True).press("Enter")
    settle(page)
    click(page.get_by_role("button", name="Launch"))

    page.wait_for_url("**/results?experiment=*")
    expect(page.get_by_text(re.compile("Finished$"))).to_be_visible(timeout=60_000)
    check_verdict(page)
    assert len(clicked) <= 6

    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text("Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "/results?" in link
    page.goto("about:blank")  # it would complain that the server is gone
    server.stop()
    server.start()
    fresh = open_tab(link)
    expect(fresh.get_by_test_id("stSidebarNav").get_by_text("New experiment")).to_be_visible()
    check_verdict(fresh)


def check_verdict(page: Page) -> None:
    """Look for the verdict of five learners on the table: its sentence, and a row for each of them in the figure."""
    expect(page.get_by_role("heading", name="Cars <b>& boosting</b>")).to_be_visible()
    expect(page.get_by_text("Best: Online boosting, accuracy 0.9")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first.locator(".scatterlayer .points path")).to_have_count(5)


VIEWS = {
    "Summary": ("by chance or not", 2),
    "Scatterplots": ("Whether a point is filled", 2),
    "Significance": ("Significant wins: each cell", 2),
    "Learning curves": ("accuracy on the test set after growing numbers", 1),
    "Members": ("error of each member on the training examples", 1),
    "Hard examples": ("gave the highest weight", 1),
    "Running time": ("To compare times, run with one worker", 2),
    "Trials": ("A trial is one learner on one split", 0),
    "Stream": ("predicted before they are learned", 1),
    "Bias and variance": ("bias in full colour", 2),
}
"""What only this view says, and how many figures it draws."""


@pytest.fixture(scope="module")
def made_up(server: Server) -> str:
    """Return the id of a made-up experiment."""
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        return add_experiment(storage, make_config(curves=("learning_curve", *MEMBERS)))


def check_view(page: Page, name: str) -> None:
    for other, (words, n_figures) in VIEWS.items():
        said = page.get_by_test_id("stMain").get_by_text(words)
        if other == name:
            expect(said).to_be_visible()
            expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(n_figures)
        else:
            expect(said).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_every_view_opens_by_click_on_a_phone(open_tab: OpenTab, made_up: str) -> None:
    page = open_tab(f"/results?experiment={made_up}", width=390, scheme="dark")
    for name in (one for one in VIEWS if one not in ("Stream", "Bias and variance")):
        view(page, name)
        check_view(page, name)
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390, name
    view(page, "Summary")
    page.set_viewport_size({"width": 240, "height": 1000})
    row = page.get_by_test_id("stTable").locator("tbody tr").first.locator("th, td")
    row.last.scroll_into_view_if_needed()
    expect(row.first).to_be_in_viewport(ratio=1)  # which data set it is


def test_the_table_of_trials_is_not_cut_at_the_right(open_tab: OpenTab, server: Server) -> None:
    config = make_config(methods=("single", "primed_online_boosting"), measures=("accuracy", "error"))
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        experiment = add_experiment(storage, config)
    page = open_tab(f"/results?experiment={experiment}&view=Trials")
    scroller = page.locator(".dvn-scroller")
    expect(scroller).to_be_visible()
    assert scroller.evaluate("inner => inner.scrollWidth - inner.clientWidth") <= 0


def test_the_card_of_a_data_set_shows_each_of_its_views(open_tab: OpenTab) -> None:
    page = open_tab("/datasets?dataset=wine")
    views = {
        "Missing values": ("Every example has a value of every attribute.", 0),
        "Associations": ("Which attributes go together", 1),
        "Projection": ("The examples in two dimensions", 1),
        "Attributes": ("Distribution of an attribute", 1),
    }
    for name, (words, n_figures) in views.items():
        view(page, name)
        expect(page.get_by_text(words)).to_be_visible()
        expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(n_figures)
        expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_report_opens_from_the_disk(open_tab: OpenTab, made_up: str, tmp_path: Path) -> None:
    page = open_tab(f"/results?experiment={made_up}")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Report with figures (HTML)").click()
    target = tmp_path / "report.html"
    download.value.save_as(target)
    report = open_tab(f"file://{target}")
    expect(report.get_by_role("heading", level=1)).to_have_text("Made up")
    report.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert report.evaluate("Math.max(...[...document.querySelectorAll('.main-svg')].map(svg => svg.clientWidth))") < 700
    plots = report.locator(".plot")
    assert plots.count() > 20
    expect(report.locator(".plot .main-svg:first-child")).to_have_count(plots.count())


def test_a_bundle_goes_out_and_comes_in(open_tab: OpenTab, server: Server, tmp_path: Path) -> None:
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        record = storage.create_experiment(make_config("Out and in"), runner="test", lease_seconds=3600)
        end_made_up(storage, record, lambda reference: load_dataset(str(reference.key)))
    page = open_tab(f"/results?experiment={record.id}")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Bundle (ZIP)").click()
    bundle = tmp_path / download.value.suggested_filename
    download.value.save_as(bundle)
    page.get_by_test_id("stSidebarNav").get_by_text("New experiment", exact=True).click()
    settle(page)
    page.get_by_text("Start from an experiment file, or import results").click()
    page.locator('input[type="file"]').last.set_input_files(bundle)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page).to_have_url(re.compile(rf"/results\?experiment=(?!{record.id})"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Out and in")
    check_view(page, "Summary")


def test_bad_uploads_get_a_sentence_and_leave_nothing(open_tab: OpenTab, tmp_path: Path) -> None:
    page = open_tab("/datasets?shelf=Upload")
    bad = {
        "empty.csv": b"",
        "header.csv": b"a,b,class\n",
        "picture.csv": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 4,
        "<img src=x onerror=alert(1)>.csv": b"a,b\n1,\x00\n2,x\n",
    }
    for name, content in bad.items():
        upload(page, name, content, tmp_path)
        alert = page.get_by_test_id("stAlert")
        expect(alert).to_contain_text(name)
        assert alert.count() == 1
        expect(page.get_by_role("button", name="Save")).to_have_count(0)
    upload(page, "large.csv", b"a,b,class\n" + b"1,2,x\n" * 200_000, tmp_path)
    expect(page.get_by_text(re.compile(rf"must be {UPLOAD_LIMIT_MB}(\.0)?\s?MB or smaller"))).to_be_visible()
    names = [name for name in bad if "<img" in name]
    assert page.locator("img[src=x]").count() == 0, names


def test_names_with_markup_stay_text(open_tab: OpenTab, tmp_path: Path) -> None:
    page = open_tab("/datasets?shelf=Upload")
    rows = "".join(f"{i % 3},**b**,{'<i>x</i>' if i % 2 else 'y'}\n" for i in range(30))
    upload(page, "<s>odd</s>.csv".replace("/", "_"), f"<b>a</b>,:red[c],<u>class</u>\n{rows}".encode(), tmp_path)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="<s>odd<_s>")).to_be_visible()
    expect(page.get_by_text("The class is in column “<u>class</u>”.")).to_be_visible()
    assert page.locator("main b:text-is('a'), main u, main s").count() == 0


def test_an_experiment_is_launched_by_the_keyboard_alone_in_few_presses(open_tab: OpenTab, server: Server) -> None:
    page = open_tab("/new")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    presses = tab_to(page, page.get_by_role("combobox", name="Data sets"))
    page.keyboard.type("iris")
    expect(page.get_by_role("option", name="Iris")).to_be_visible()
    page.keyboard.press("Enter")
    settle(page)
    expect(page.get_by_test_id("stMultiSelect").first.locator("[data-tag]")).to_have_text("Iris (150 examples)")
    launch = page.locator(".st-key-new_launch button")
    expect(launch).to_be_enabled()
    assert presses + tab_to(page, launch) < 25
    page.keyboard.press("Enter")
    page.wait_for_url("**/results?experiment=*")
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        storage.request_cancel(page.url.split("experiment=")[1])


def tab_to(page: Page, wanted: Locator) -> int:
    """Press the Tab key until something has the focus, and return how often."""
    for presses in range(1, 50):
        page.keyboard.press("Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            return presses
    raise AssertionError(f"{wanted} is never reached")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_launch_is_in_sight_wherever_the_form_stands_and_covers_nothing(open_tab: OpenTab, width: int) -> None:
    page = open_tab("/new?dataset=iris", width=width)
    launch = page.get_by_role("button", name="Launch")
    last = page.get_by_text("Settings, or several values" if width > 700 else "Seed 1")
    expect(launch).to_be_in_viewport(ratio=1)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    expect(last).to_be_in_viewport(ratio=1)
    expect(launch).to_be_in_viewport(ratio=1)
    last.click()  # refused by the browser if something lies over it
    assert boxes_apart(last.bounding_box(), page.get_by_test_id("stBottom").bounding_box())


def boxes_apart(above: FloatRect | None, below: FloatRect | None) -> bool:
    return above is not None and below is not None and above["y"] + above["height"] <= below["y"]


def test_a_double_click_launches_once(open_tab: OpenTab, server: Server) -> None:
    page = open_tab("/")
    page.get_by_role("button", name="Run a first experiment").dblclick()
    page.wait_for_url("**/results?experiment=*")
    launched = page.url.split("experiment=")[1]
    page.goto(f"{server.url}/experiments")
    settle(page)
    expect(page.get_by_role("link", name="First experiment: decision stumps, batch and online")).to_have_count(1)
    with open_storage(f"sqlite:///{server.home}/ensemble-lab.sqlite") as storage:
        storage.request_cancel(launched)


PAGES = (
    "/",
    "/new?dataset=iris",
    "/experiments",
    "/results",
    "/leaderboard",
    "/datasets",
    "/datasets?dataset=iris",
    "/learners",
    "/papers",
    "/papers?table=bai2016/1",
)


def test_health_and_security_headers(server: Server) -> None:
    with urlopen(f"{server.url}/health") as answer:
        assert json.load(answer) == {"status": "ok", "database": True, "worker": True, "problems": []}
        assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    with urlopen(f"{server.url}/") as answer:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
