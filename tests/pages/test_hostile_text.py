"""Whatever people write anywhere is text: no page shows it as markup, follows it or loads what it names."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from ensembles.data import Attribute, Dataset, Table
from ensembles.experiments.config import ExperimentConfig
from pages.parts.annotate import harmless
from storage import Storage
from tests.pages.conftest import OpenPage, press
from tests.pages.made_up import tiny_dataset
from tests.pages.made_up_results import SPLITS, add_experiment, make_config
from tests.storage.people import sign_in

HOSTILE = (
    "<script>alert(1)</script> ![x](http://evil.example/x.png) [y](javascript:alert(2)) :red[z] $w$ :material/home:"
)
MARKUP = ("<script>", "![x](", "[y](", ":red[", "$w$", ":material/home:", "http://evil")
PLAIN = {  # what shows its text as it is, by the fields that are read as Markdown all the same
    "arrow_data_frame": (),
    "code": (),
    "json": (),
    "multiselect": ("label", "help"),
    "selectbox": ("label", "help"),
    "text_area": ("label", "help"),
    "text_input": ("label", "help"),
    "plotly_chart": (),
    "heading": ("body", "help"),
    "text": ("help",),
}
IGNORED = {"id", "form_id", "query_string", "url", "page", "file_name", "key", "user_key", "page_script_hash", "value"}
VIEWS = ("Summary", "Leaderboard", "Scatterplots", "Learning curves", "Trials")


@pytest.fixture
def experiment(storage: Storage) -> str:
    """Id of an experiment, each of whose texts is hostile."""
    attributes = (Attribute(HOSTILE, "nominal", (HOSTILE, "green")), Attribute("size", "numeric"))
    table = Table.from_columns(attributes, [np.array([0, 1, -1] * 4, dtype=np.int32), np.arange(12.0)])
    dataset = Dataset(HOSTILE, table, np.array([0, 1] * 6), (HOSTILE, "no"), f"class {HOSTILE}", HOSTILE)
    storage.save_dataset(dataset)
    config = ExperimentConfig.from_dict(
        {
            "name": HOSTILE,
            "datasets": [{"sha256": dataset.sha256, "name": HOSTILE}, "wine"],
            "learners": [{"method": method, "base": "naive_bayes"} for method in ("single", "adaboost", "bagging")],
            "protocol": SPLITS,
            "curves": ["learning_curve"],
        }
    )
    known = add_experiment(storage, config, state="failed", message=HOSTILE)
    storage.write_notes(known, HOSTILE)
    plan, result = storage.list_trials(known, limit=1)[0]
    storage.save_trials(known, [(plan, replace(result, measures={}, curves={}, error=HOSTILE))])
    return known


def read_as_markdown(app: AppTest) -> Iterator[str]:
    """Give every text of a page that the browser reads as Markdown or HTML."""
    for part in (app.main, app.sidebar):
        for node in nodes(part):
            proto = getattr(node, "proto", None)
            if isinstance(proto, Message):
                yield from strings(proto, PLAIN.get(node.type))


def nodes(block: Any) -> Iterator[Any]:
    yield block
    for child in getattr(block, "children", {}).values():
        yield from nodes(child)


def strings(proto: Message, fields: tuple[str, ...] | None) -> Iterator[str]:
    for field, value in proto.ListFields():
        if field.name not in IGNORED and (fields is None or field.name in fields):
            for one in [value] if isinstance(value, str | bytes | Message) else iter_of(value):
                if isinstance(one, str):
                    yield one
                elif isinstance(one, Message):
                    yield from strings(one, None)


def iter_of(value: Any) -> list[Any]:
    return [*value] if hasattr(value, "__iter__") else []


def assert_harmless(app: AppTest) -> None:
    shown = [text for text in read_as_markdown(app) if text != harmless(HOSTILE)]  # notes are Markdown
    assert {mark: [text for text in shown if mark in text] for mark in MARKUP} == {mark: [] for mark in MARKUP}
    for chart in app.get("plotly_chart"):  # Plotly reads links and a few tags
        assert "<script>" not in chart.proto.spec


def test_what_is_written_stands_on_the_page(open_page: OpenPage, experiment: str) -> None:
    app = open_page("results.py", experiment=experiment)
    assert any("alert" in text for text in read_as_markdown(app))


@pytest.mark.parametrize("view", VIEWS)
def test_results_show_text_as_text(open_page: OpenPage, experiment: str, view: str) -> None:
    assert_harmless(open_page("results.py", experiment=experiment, view=view))


def test_lists_show_text_as_text(open_page: OpenPage, storage: Storage, experiment: str) -> None:
    other = add_experiment(storage)
    dataset = storage.list_datasets()[0].sha256
    for page, query in (
        ("home.py", {}),
        ("experiments.py", {}),
        ("experiments.py", {"search": HOSTILE}),
        ("results.py", {}),
        ("results.py", {"experiments": f"{experiment},{other}"}),
        ("results.py", {"experiment": HOSTILE}),
        ("leaderboard.py", {}),
        ("datasets.py", {}),
        ("datasets.py", {"dataset": dataset}),
        ("datasets.py", {"dataset": HOSTILE}),
        ("learners.py", {"learner": HOSTILE}),
        ("papers.py", {"table": HOSTILE}),
        ("new_experiment.py", {"clone": experiment}),
        ("new_experiment.py", {"extend": experiment}),
        ("new_experiment.py", {"clone": HOSTILE}),
    ):
        assert_harmless(open_page(page, **query))


def test_names_of_people_are_text(open_as: OpenPage, storage: Storage) -> None:
    sign_in(storage, HOSTILE)
    for page in ("home.py", "account.py"):
        assert_harmless(open_as(HOSTILE, page))


@pytest.fixture
def own(storage: Storage, experiment: str) -> str:
    """Id of an experiment of somebody whose name is hostile, with a comment, a link and a token; a data set too."""
    sign_in(storage, "Root", "admin")
    owner = sign_in(storage, HOSTILE)
    made = owner.create_experiment(storage.get_experiment(experiment).config).id
    owner.write_notes(made, HOSTILE)
    owner.add_comment(made, HOSTILE)
    owner.create_link([made], "results", f"experiment={made}&view={HOSTILE}")
    owner.create_token(HOSTILE, ["read"])
    owner.save_dataset(tiny_dataset(HOSTILE))
    return made


def test_what_people_say_and_share_is_text(open_as: OpenPage, storage: Storage, own: str) -> None:
    seen = open_as("Root", "results.py", experiment=own)
    assert [one.value for one in seen.text].count(HOSTILE) == 1  # the comment
    sharing = press(open_as(HOSTILE, "results.py", experiment=own), "Share")
    assert "Revoke" in [button.label for button in sharing.button]
    _, token = sign_in(storage, HOSTILE).create_link(
        [own], "results", f"experiment={own}&view=Summary&search={HOSTILE}"
    )
    shared = open_as("", "shared.py", token=token)
    assert any("alert" in text for text in read_as_markdown(shared))
    for app in (seen, sharing, shared, open_as("", "shared.py", token=HOSTILE), open_as(HOSTILE, "account.py")):
        assert_harmless(app)


def test_admins_see_text_as_text(open_as: OpenPage, own: str) -> None:  # noqa: ARG001
    for about in ("Overview", "People", "Tokens", "Log", HOSTILE):
        assert_harmless(open_as("Root", "admin.py", about=about))


def test_the_bin_shows_text_as_text(open_as: OpenPage, storage: Storage, own: str) -> None:
    owner = sign_in(storage, HOSTILE)
    owner.delete_experiment(own)
    owner.delete_dataset(owner.list_datasets()[0].sha256)
    for who in (HOSTILE, "Root"):
        for page, query in (("experiments.py", {}), ("datasets.py", {"shelf": "Yours"})):
            app = open_as(who, page, **query)
            assert "Bin (1)" in [one.label for one in app.expander]
            assert_harmless(app)


@pytest.mark.parametrize("view", ["Summary", "Significance", "Running time"])
def test_names_that_differ_only_in_blanks_are_told_apart(open_page: OpenPage, storage: Storage, view: str) -> None:
    names = ("Car data", "Car  data")
    stored = [storage.save_dataset(tiny_dataset(name, shift=place)) for place, name in enumerate(names)]
    config = make_config().to_dict() | {
        "datasets": [{"sha256": one.sha256, "name": name} for one, name in zip(stored, names, strict=True)]
    }
    earlier = ExperimentConfig.from_dict(config, stored=True)  # names that are handed in have single blanks now
    app = open_page("results.py", experiment=add_experiment(storage, earlier), view=view)
    assert [*app.table[-1].value.index] == ["Car data", "Car data (2)"]
