"""Pages without a browser: a fresh database for each test, and a page opened the way a link opens it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.estimate import Estimate
from pages.parts import dataset_library, plan_summary
from pages.parts.store import store
from storage import Storage

ROOT = Path(__file__).parents[2]

OpenPage = Callable[..., AppTest]


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """The storage that the pages of this test see."""
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path))
    store.clear()
    dataset_library.load_by_ref.clear()
    opened = store()
    yield opened
    store.clear()
    opened.close()


@pytest.fixture(autouse=True)
def _no_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time of an experiment be 75 s: to estimate it, kernels are compiled, which takes minutes without a cache."""

    def estimate_seconds(config: ExperimentConfig, datasets: Any, **_: Any) -> Estimate:
        assert len(datasets) == len(config.datasets)
        return Estimate(1, 75.0)

    monkeypatch.setattr(plan_summary, "estimate_seconds", estimate_seconds)
    plan_summary._estimate.clear()
    plan_summary._check.clear()


@pytest.fixture
def open_page(storage: Storage) -> OpenPage:  # noqa: ARG001
    """Return a function that opens a page with query parameters, framed, and fails if it shows an exception."""

    def open_it(page: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=90)
        app.run()
        app.query_params.update(query)
        app.switch_page(page).run()
        assert not app.exception, app.exception[0].value
        return app

    return open_it
