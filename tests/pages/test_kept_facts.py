"""What the card of a large data set says at first sight is kept: who opens it next does not wait for its rows."""

from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from ensembles.errors import StorageError
from ensembles.reports import dataset_facts as words
from pages.parts import dataset_card, dataset_facts
from pages.parts.dataset_library import forget_all
from storage import Storage
from tests.pages.conftest import OpenPage
from tests.pages.made_up import tiny_dataset


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(dataset_facts, "_LARGE", 1)
    begin_anew()
    yield
    begin_anew()


def begin_anew() -> None:
    """Forget what the process knows, as if it had just begun."""
    st.cache_data.clear()
    forget_all()


def told(app: AppTest) -> list[Any]:
    assert not app.exception
    assert not app.error
    figures = [chart.proto.spec for chart in app.get("plotly_chart")]
    return [*figures, *(caption.value for caption in app.caption), *(one.value.to_csv() for one in app.dataframe)]


def test_a_card_is_drawn_again_without_its_rows(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = storage.save_dataset(tiny_dataset("Kept")).sha256
    said = told(open_page("datasets.py", dataset=ref))
    assert len(said) > 5
    begin_anew()
    with monkeypatch.context() as patch:
        patch.setattr(Storage, "get_sample", lambda *_: pytest.fail("its rows were read"))
        app = open_page("datasets.py", dataset=ref)
        assert told(app) == said
    app.selectbox(key="attribute").select(1).run()
    assert told(app) != said
    app.selectbox(key="attribute").select(0).run()
    assert told(app) == said


def test_facts_of_another_version_are_worked_out_anew(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = storage.save_dataset(tiny_dataset("Of before")).sha256
    open_page("datasets.py", dataset=ref)
    before = storage.get_facts(ref)
    begin_anew()
    monkeypatch.setattr(words, "_FORMAT", words._FORMAT + 1)
    assert told(open_page("datasets.py", dataset=ref))
    assert storage.get_facts(ref) not in (None, before)


def test_a_card_stands_where_its_facts_cannot_be_kept(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        asked.append(True)
        raise StorageError("the disk is full")

    asked = list[bool]()
    ref = storage.save_dataset(tiny_dataset("On a full disk")).sha256
    monkeypatch.setattr(Storage, "keep_facts", refuse)
    for _ in range(2):
        assert told(open_page("datasets.py", dataset=ref))
        begin_anew()
    assert asked == [True, True]


def test_facts_are_kept_of_a_card_that_is_left_before_it_is_drawn(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset_card, "_draw_origin", lambda *_: st.stop())
    ref = storage.save_dataset(tiny_dataset("Left at once")).sha256
    open_page("datasets.py", dataset=ref)
    assert storage.get_facts(ref)


def test_of_a_small_data_set_nothing_is_kept(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = tiny_dataset("Small")
    monkeypatch.setattr(dataset_facts, "_LARGE", len(dataset) * len(dataset.attributes) + 1)
    ref = storage.save_dataset(dataset).sha256
    open_page("datasets.py", dataset=ref)
    assert storage.get_facts(ref) is None
