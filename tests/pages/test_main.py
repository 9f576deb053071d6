"""The frame: navigation, and one sentence when the database refuses."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.logo import favicon, logo
from pages.parts.store import open_store
from storage import Storage
from tests.pages.conftest import ROOT, OpenPage
from tests.pages.made_up import tiny_config

PAGES = ("home.py", "new_experiment.py", "experiments.py", "results.py", "datasets.py", "learners.py")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_an_empty_database(open_page: OpenPage, page: str) -> None:
    app = open_page(page)
    assert app.title[0].value
    assert not app.error


@pytest.mark.parametrize("page", ["new_experiment.py", "results.py", "datasets.py"])
def test_a_link_to_something_that_is_gone_says_so(open_page: OpenPage, page: str) -> None:
    gone = "0" * 64
    app = open_page(page, experiment=gone, dataset=gone)
    said = [*app.error, *app.warning]
    assert len(said) == 1
    assert "exist" in said[0].value or "no experiment" in said[0].value


def test_a_database_that_cannot_be_reached_is_one_sentence(
    storage: Storage,  # noqa: ARG001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    open_store.clear()
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path / "file" / "home"))
    app = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=90).run()
    assert not app.exception
    assert len(app.error) == 1
    assert app.error[0].value.startswith("database\\:")


def test_where_nobody_signs_in_nobody_has_an_account(open_page: OpenPage) -> None:
    app = open_page("account.py")
    assert [info.value for info in app.info] == ["Nobody signs in here, so nobody has an account."]
    assert app.title[0].value == "Account"


def test_the_logo_follows_the_theme() -> None:
    assert "#11171a" in logo("light")
    assert logo(None) == logo("light")
    assert "#11171a" not in logo("dark")
    assert "#e8e8e3" in logo("dark")
    assert favicon().startswith("<svg")


def test_the_log_names_nobody_where_nobody_signs_in(open_page: OpenPage, storage: Storage) -> None:
    storage.rename_experiment(storage.create_experiment(tiny_config()).id, "Renamed")
    app = open_page("admin.py", about="Log")
    assert app.dataframe[0].value[["Who", "Did"]].iloc[0].tolist() == ["–", "renamed"]
    assert [box.label for box in app.selectbox] == ["What"]


def test_dialogs_and_what_looks_anew_tell_what_is_refused_as_pages_do() -> None:
    parts = {path.name: path.read_text() for path in (ROOT / "pages").rglob("*.py")}
    assert [name for name, text in parts.items() if "st.dialog(" in text or "st.fragment(" in text] == ["apart.py"]
