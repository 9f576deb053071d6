"""Draw the pictures of the README: `python -m tests.browser.screenshots docs/images`."""

import os
import re
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from benchmarks.read_files import make_table, write_table
from ensembles.experiments.config import FORMAT, ExperimentConfig
from ensembles.papers import get_table
from runner.papers import PaperData, launch, not_here, plan_table
from storage import Storage, open_storage
from tests.browser.conftest import Server, chromium, settle
from tests.browser.provider import run_provider, write_secrets
from tests.browser.steps import sign_in
from tests.pages.made_up import car_csv

Scheme = Literal["light", "dark"]

EXPERIMENTS = {
    "splits": """
name: Naive Bayes, batch against online
seed: 1
datasets: [iris, wine, breast_cancer, digits, balance_scale, led24, {key: waveform40, rows: 2000},
  {key: synthetic_1, rows: 2000}, {key: synthetic_2, rows: 2000}, {key: synthetic_3, rows: 2000}]
learners:
  - {method: single, base: naive_bayes}
  - {method: bagging, base: naive_bayes, n_estimators: 25}
  - {method: online_bagging, base: naive_bayes, n_estimators: 25}
  - {method: adaboost, base: naive_bayes, n_estimators: 25}
  - {method: online_boosting, base: naive_bayes, n_estimators: 25}
  - {method: primed_online_boosting, base: naive_bayes, n_estimators: 25}
protocol: {kind: cross_validation, repeats: 2, folds: 5, orders: 2}
measures: [accuracy, error]
curves: [learning_curve, member_errors, trial_graph, margins, diversity, hard_examples]
""",
    "stream": """
name: Learners on streams
seed: 1
datasets: [balance_scale, led24]
learners:
  - {method: single, base: hoeffding_tree}
  - {method: online_bagging, base: naive_bayes, n_estimators: 25}
  - {method: online_boosting, base: naive_bayes, n_estimators: 25}
protocol: {kind: prequential, orders: 3}
measures: [accuracy]
curves: [prequential_error]
""",
    "parts": """
name: Where the error comes from
seed: 1
datasets: [wine, breast_cancer, balance_scale, {key: synthetic_2, rows: 1000}]
learners:
  - {method: single, base: naive_bayes}
  - {method: bagging, base: naive_bayes, n_estimators: 25}
  - {method: adaboost, base: naive_bayes, n_estimators: 25}
  - {method: online_boosting, base: naive_bayes, n_estimators: 25}
  - {method: single, base: decision_stump}
  - {method: adaboost, base: decision_stump, n_estimators: 25}
protocol: {kind: bias_variance, repeats: 2}
measures: [accuracy]
""",
}
PAPER_TABLE, PAPER_SCALE, PAPER_ROWS = "oza2001/3.4", 0.02, 15_000
PAGES = {
    "home": "/",
    "datasets": "/datasets",
    "dataset": "/datasets?dataset=wine",
    "new": "/new?dataset=wine",
    "experiments": "/experiments",
    "leaderboard": "/leaderboard",
    "papers": "/papers",
    "paper": f"/papers?{urlencode({'table': PAPER_TABLE, 'scale': 'A fiftieth'})}",
}
VIEWS = {
    "results": ("splits", "Summary"),
    "scatterplots-dark": ("splits", "Scatterplots"),
    "significance": ("splits", "Significance"),
    "classes": ("splits", "Classes"),
    "bias-and-variance": ("parts", "Bias and variance"),
    "learning-curves": ("splits", "Learning curves"),
    "stream": ("stream", "Stream"),
    "members": ("splits", "Members"),
    "hard-examples": ("splits", "Hard examples"),
    "running-time": ("splits", "Running time"),
}
"""The picture of each view of the results: of which experiment, and which view."""

PEOPLE = ("Ada", "Ben", "Grace")
TABLES = {"clicks.csv": ("nominal", 20_000), "measurements.parquet": ("numbers", 50_000)}
"""Files on the server: what their attributes are, and how many rows there are."""

SECONDS_TO_RUN = 900
COLOURS = 256


def main(folder: Path) -> None:
    """Run experiments on a server of its own, then draw every page and view."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        server = Server(Path(home), most_mb=200)
        server.start()
        try:
            with open_storage(f"sqlite:///{home}/ensemble-lab.sqlite") as storage:
                configs = {
                    name: ExperimentConfig.from_yaml(f"format: {FORMAT}{text}") for name, text in EXPERIMENTS.items()
                }
                ids = launch_paper(storage)
                ids |= {name: storage.create_experiment(config).id for name, config in configs.items()}
            browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            for experiment in ids.values():
                wait_for(browser, f"{server.url}/results?experiment={experiment}")
            draw_six_clicks(browser, server.url, folder)
            addresses = PAGES | {
                name: f"/results?{urlencode({'experiment': ids[experiment], 'view': view})}"
                for name, (experiment, view) in VIEWS.items()
            }
            for name, path in addresses.items():
                draw(browser, server.url + path, folder / f"{name}.png", "dark" if name.endswith("-dark") else "light")
        finally:
            server.stop()
        draw_team(browser, Path(home), folder, ids["splits"])


def draw_team(browser: Browser, home: Path, folder: Path, experiment: str) -> None:
    """Draw what there is where people sign in and files lie on the server: the database of all other pictures again."""
    (home / "tables").mkdir()
    for name, (kind, rows) in TABLES.items():
        write_table(make_table(kind, rows), home / "tables" / name)
    os.environ |= {"ENSEMBLE_LAB_ADMINS": f"{PEOPLE[0]}@example.org", "ENSEMBLE_LAB_DATA": str(home / "tables")}
    server = Server(home, most_mb=200, secrets=home / "secrets.toml")
    with run_provider(PEOPLE, home / "provider.log") as provider:
        write_secrets(home / "secrets.toml", provider, server.url)
        server.start()
        try:
            pages = [browser.new_page(viewport={"width": 1440, "height": 1000}) for _ in PEOPLE]
            for page, name in zip(pages, PEOPLE, strict=True):
                page.goto(server.url)
                sign_in(page, name)
            page = pages[0]
            page.goto(f"{server.url}/admin?about=People")
            save(page, folder / "admin.png")
            page.goto(f"{server.url}/datasets?{urlencode({'shelf': 'On the server'})}")
            page.get_by_role("combobox", name="File").click()
            page.get_by_role("option", name="measurements").click()
            page.get_by_role("button", name="Read and add").wait_for()
            save(page, folder / "server-files.png")
            page.goto(f"{server.url}/results?experiment={experiment}")
            page.get_by_role("button", name="Share").click()
            page.get_by_role("button", name="Make a link").click()
            page.get_by_text("Copy it now").wait_for()
            save(page, folder / "sharing.png")
        finally:
            server.stop()


def launch_paper(storage: Storage) -> dict[str, str]:
    """Run a published table again, on what is here of its smaller data sets, and return the experiments by data set."""
    table, away = get_table(PAPER_TABLE), not_here(storage, get_table(PAPER_TABLE))
    wanted = [one.dataset for one in table.experiments()]
    small = [one.key for one in wanted if one.key not in away and one.origin.rows <= PAPER_ROWS]
    planned, _ = plan_table(table, PAPER_SCALE, PaperData(storage), small)
    return {one.experiment.key: launch(storage, one).id for one in planned}


def wait_for(browser: Browser, url: str) -> None:
    page = browser.new_page()
    page.goto(url)
    page.get_by_text(re.compile("Finished$")).wait_for(timeout=SECONDS_TO_RUN * 1000)
    page.close()


def draw_six_clicks(browser: Browser, url: str, folder: Path) -> None:
    """Go from Home to the verdict on an uploaded table, and take a picture before each click and of what they lead to."""
    page = browser.new_page(viewport={"width": 1080, "height": 750})
    page.goto(url)
    clicks: list[tuple[Locator, Locator]] = [
        (page.get_by_role("link", name="Upload a table"), page.get_by_text("At most 200 MB")),
        (page.get_by_test_id("stFileUploaderDropzone").locator("button"), page.get_by_text("Recognised")),
        (page.get_by_role("button", name="Save"), page.get_by_text("1,728 examples")),
        (page.get_by_role("button", name="Use in a new experiment"), page.get_by_text("Start from a preset")),
        (page.get_by_role("radio", name="Quick look"), page.get_by_text("50 trials", exact=True)),
        (page.get_by_role("button", name="Launch"), page.get_by_text(re.compile("Finished$"))),
    ]
    """What is clicked, and what it leads to."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "car.csv")
        file.write_text(car_csv())
        page.on("filechooser", lambda chooser: chooser.set_files(file))
        for number, (click, then) in enumerate(clicks, 1):
            settle(page)
            mark(click, "3px solid #d55e00")
            save(page, folder / f"click-{number}.png")
            mark(click, "")
            click.click()
            then.first.wait_for()
    save(page, folder / "verdict.png")
    page.close()


def mark(one: Locator, line: str) -> None:
    """Draw a ring around what is clicked next, or none."""
    one.evaluate(
        "(e, line) => Object.assign((e.closest('label') ?? e).style, {outline: line, outlineOffset: '4px'})", line
    )


def draw(browser: Browser, url: str, target: Path, scheme: Scheme) -> None:
    """Take a picture of a page."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000}, color_scheme=scheme)
    page.goto(url)
    save(page, target)
    page.close()


def save(page: Page, target: Path) -> None:
    """Take a picture once nothing moves any more and no message lies over it, in few colours so that it is small."""
    settle(page)
    expect(page.get_by_test_id("stToast")).to_have_count(0)
    page.mouse.move(720, 1)  # figures and the menu show buttons where it is
    page.wait_for_timeout(2500)
    picture = (
        Image.open(BytesIO(page.screenshot()))
        .convert("RGB")
        .quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    )
    picture.save(target, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
