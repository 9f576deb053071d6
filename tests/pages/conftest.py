"""Pages without a browser: a fresh database for each test, and a page opened the way a link opens it."""

import importlib.metadata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from ensembles.data.names import clean_name
from ensembles.data.preview import Preview, preview_file
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.estimate import Estimate
from pages.parts import dataset_library, dataset_upload, live, plan_summary
from pages.parts.store import open_store
from pages.parts.who import forget_actors
from storage import Storage
from tests.fresh import write_empty_tables
from tests.storage.people import ISSUER, sign_in

ROOT = Path(__file__).parents[2]

OpenPage = Callable[..., AppTest]


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """The storage that the pages of this test see."""
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path))
    open_store.clear()
    dataset_library.forget_all()
    monkeypatch.setattr(live.shared, "seconds", 0.0)
    write_empty_tables(tmp_path / "ensemble-lab.sqlite")
    opened = open_store()
    yield opened
    open_store.clear()
    opened.close()


@pytest.fixture(autouse=True)
def _no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every experiment take 40 s to 2 min: to estimate it, kernels are compiled, which takes minutes without a cache."""

    def estimate_seconds(config: ExperimentConfig, datasets: Any, **_: Any) -> Estimate:
        assert len(datasets) == len(config.datasets)
        return Estimate(1, 42.0, 110.0, measured=True)

    monkeypatch.setattr(plan_summary, "estimate_seconds", estimate_seconds)
    monkeypatch.setattr(plan_summary, "processors", lambda: 2)
    plan_summary._check.clear()


@pytest.fixture(autouse=True)
def _no_components(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no page look for parts of its own in all installed packages: there are none, and it took two thirds of a test."""
    monkeypatch.setattr(importlib.metadata, "distributions", lambda **_: [])


@pytest.fixture(autouse=True)
def _read_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files without a process for each, but where one is asked for; `tests/data/test_hostile_files.py` tests it."""

    def read(data: bytes, *, filename: str, on_wait: Any, **options: Any) -> Preview:  # noqa: ARG001
        return preview_file(data, filename=clean_name(filename), **options)

    if "read_apart" not in request.fixturenames:
        monkeypatch.setattr(dataset_upload, "preview_apart", read)
        monkeypatch.setattr(dataset_upload, "keep_ready", lambda: None)


@pytest.fixture
def read_apart() -> None:
    """Let files be read in a process of their own, as in the application."""


@pytest.fixture
def open_page(storage: Storage) -> OpenPage:  # noqa: ARG001
    """Return a function that opens a page with query parameters, framed, and fails if it shows an exception."""

    def open_it(page: str, /, **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=90)
        app.run()
        app.query_params.update(query)
        app.switch_page(page).run()
        assert not app.exception, app.exception[0].value
        return app

    return open_it


@pytest.fixture
def open_results(open_page: OpenPage) -> Callable[..., AppTest]:
    """Return a function that opens the results page with query parameters."""
    return lambda **query: open_page("results.py", **query)


@pytest.fixture
def open_as(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """Return a function that opens a page, framed, as somebody who signed in; "" is a stranger. The admin is Root."""
    monkeypatch.setattr(st, "secrets", st.secrets)  # AppTest leaves its own behind where a test runs out of time
    sign_in(storage, "Root", "admin")
    forget_actors()

    def open_it(who: str, page: str, /, **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=90)
        app.secrets["auth"] = {"client_id": "lab"}
        claims = {"iss": ISSUER, "sub": who, "name": who, "email": f"{who.lower()}@example.org", "email_verified": True}
        app.user = {"is_logged_in": True, **claims} if who else {"is_logged_in": False}
        app.run()
        app.query_params.update(query)
        app.switch_page(page).run()
        assert not app.exception, app.exception[0].value
        return app

    return open_it


def press(app: AppTest, label: str) -> AppTest:
    """Press the first button with a label, and return the page."""
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def followed(app: AppTest, label: str = "Go on") -> AppTest:
    """Return the page that a link leads to: by its label, else the link that the browser follows by itself."""
    assert not app.exception
    link = next(one.proto for one in app.get("page_link") if one.proto.label == label)
    app.query_params.clear()
    app.query_params.update(parse_qsl(link.query_string))
    app.switch_page({"new": "new_experiment.py"}.get(link.page, f"{link.page}.py")).run()
    assert not app.exception
    return app
