"""Pages without a browser: a fresh database for each test, and a page opened the way a link opens it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import dataset_library
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


@pytest.fixture
def open_page(storage: Storage) -> OpenPage:  # noqa: ARG001
    """Return a function that opens a page with query parameters, framed, and fails if it shows an exception."""

    def open_it(page: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=30)
        app.run()
        app.query_params.update(query)
        app.switch_page(page).run()
        assert not app.exception, app.exception[0].value
        return app

    return open_it
