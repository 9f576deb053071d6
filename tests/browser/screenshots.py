"""Draw the pictures of the README: `python -m tests.browser.screenshots docs/images`."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from ensembles.experiments.config import ExperimentConfig
from storage import open_storage
from tests.browser.conftest import Server, chromium, settle

EXPERIMENT = """
name: Naive Bayes, batch against online
seed: 1
datasets: [iris, wine, breast_cancer, digits, balance_scale, led24, {key: waveform40, rows: 2000},
  {key: synthetic_1, rows: 5000},
  {key: synthetic_2, rows: 5000}, {key: synthetic_3, rows: 5000}]
learners:
  - {method: single, base: naive_bayes}
  - {method: bagging, base: naive_bayes, n_estimators: 50}
  - {method: online_bagging, base: naive_bayes, n_estimators: 50}
  - {method: adaboost, base: naive_bayes, n_estimators: 50}
  - {method: online_boosting, base: naive_bayes, n_estimators: 50}
  - {method: primed_online_boosting, base: naive_bayes, n_estimators: 50}
protocol: {kind: cross_validation, repeats: 2, folds: 5, orders: 2}
measures: [accuracy, error]
curves: [learning_curve, member_errors]
"""
PAGES = {
    "home": "/",
    "datasets": "/datasets",
    "card": "/datasets?dataset=iris",
    "new": "/new",
    "experiments": "/experiments",
}
VIEWS = ("Learning curves", "Running time", "Members", "Trials")
SECONDS_TO_RUN = 600


def main(folder: Path) -> None:
    """Run an experiment on a server of its own, then draw every page, light and dark, wide and narrow."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        server = Server(Path(home))
        server.start()
        try:
            storage = open_storage(f"sqlite:///{home}/ensemble-lab.sqlite")
            record = storage.create_experiment(ExperimentConfig.from_yaml(EXPERIMENT))
            browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
            wait_for(browser, f"{server.url}/results?experiment={record.id}")
            pages = PAGES | {"results": f"/results?experiment={record.id}"}
            for scheme in ("light", "dark"):
                for name, path in pages.items():
                    draw(browser, f"{server.url}{path}", folder / f"{name}-{scheme}.png", scheme)
            for view in VIEWS:
                path = f"{server.url}/results?experiment={record.id}"
                draw(browser, path, folder / f"{view.split()[0].lower()}-light.png", "light", view=view)
            for name, path in pages.items():
                draw(browser, f"{server.url}{path}", folder / f"{name}-phone.png", "light", width=390)
        finally:
            server.stop()


def wait_for(browser: Browser, url: str) -> None:
    page = browser.new_page()
    page.goto(url)
    page.get_by_text("Finished").wait_for(timeout=SECONDS_TO_RUN * 1000)
    page.close()


def draw(browser: Browser, url: str, target: Path, scheme: str, *, width: int = 1440, view: str | None = None) -> None:
    """Take a picture of a page once nothing moves any more."""
    page: Page = browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(url)
    settle(page)
    if view:
        page.get_by_test_id("stMain").get_by_role("radio", name=view, exact=True).click()
        settle(page)
    page.wait_for_timeout(2500)
    page.screenshot(path=target)
    page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
