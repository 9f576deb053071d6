"""Who may open what: every page and what hangs on its address, and the files that it offers, for everybody who may come.

Seven letters a row, for a stranger, who has just opened a link, a reader, a member, the owner, an admin, and whoever comes
where nobody signs in: `+` opens it, `-` is asked to sign in, `r` is told that their role does not let them,
`n` that nobody has an account, `?` does not find it. Of files and deeds, `+` stands for those that are offered.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from storage import Storage
from tests.pages.conftest import ROOT, OpenPage
from tests.pages.made_up import tiny_dataset
from tests.pages.made_up_results import add_experiment, texts
from tests.pages.test_sharing import ann_as_runner
from tests.pages.test_who import labels
from tests.storage.people import sign_in

VISITORS = {"stranger": "", "link": "", "reader": "Rita", "member": "Mark", "owner": "Ann", "admin": "Root"}
EVERYBODY = (*VISITORS, "open house")


class Asked(NamedTuple):
    """An address: a page and its query, in which `{name}` stands for an id that the test knows; and who may open it."""

    page: str
    query: Mapping[str, str]
    row: str

    @property
    def address(self) -> tuple[object, ...]:
        return self.page, *self.query.items()


def _by_visibility(page: str, query: str, value: str, *rows: str) -> list[Asked]:
    return [
        Asked(page, {query: value.format(kind=kind)}, row)
        for kind, row in zip(("private", "team", "link"), rows, strict=True)
    ]


PAGES = [
    Asked("home.py", {}, "--+++++"),
    Asked("new_experiment.py", {}, "--r++++"),
    Asked("new_experiment.py", {"clone": "{team}"}, "--r++++"),
    Asked("new_experiment.py", {"extend": "{team}"}, "--r++++"),
    Asked("experiments.py", {}, "--+++++"),
    Asked("leaderboard.py", {}, "--+++++"),
    Asked("learners.py", {}, "--+++++"),
    Asked("papers.py", {}, "--+++++"),
    Asked("papers.py", {"table": "oza2001/3.4"}, "--+++++"),
    Asked("account.py", {}, "--++++n"),
    Asked("admin.py", {}, "--rrr++"),
    Asked("admin.py", {"about": "People"}, "--rrr++"),
    Asked("admin.py", {"about": "Log"}, "--rrr++"),
    Asked("results.py", {}, "--+++++"),
    *_by_visibility("results.py", "experiment", "{{{kind}}}", "--??+++", "--+++++", "+++++++"),
    *_by_visibility("results.py", "experiments", "{{{kind}}}", "--??+++", "--+++++", "+++++++"),
    Asked("datasets.py", {}, "--+++++"),
    Asked("datasets.py", {"shelf": "Upload"}, "--+++++"),
    Asked("datasets.py", {"shelf": "Yours"}, "--+++++"),
    Asked("datasets.py", {"dataset": "wine"}, "--+++++"),
    *_by_visibility("datasets.py", "dataset", "{{{kind}_data}}", "--??+++", "--+++++", "+++++++"),
    Asked("shared.py", {"token": "{open_token}"}, "+++++++"),
    Asked("shared.py", {"token": "{inside_token}"}, "??++++?"),
    Asked("shared.py", {"token": "{revoked_token}"}, "???????"),
    Asked("shared.py", {"token": ""}, "???????"),
]

EXPORTS = (
    *("Summary (CSV)", "Every trial (CSV)", "Report with figures (HTML)", "Tables with significance (LaTeX)"),
    *("Experiment (YAML)", "Python program", "Notebook (Jupyter)", "Bundle (ZIP)"),
)
OFFERS: list[tuple[Asked, tuple[str, ...]]] = [
    (Asked("results.py", {"experiment": "{link}"}, "--+++++"), EXPORTS),
    (Asked("results.py", {"experiment": "{link}"}, "--+++++"), ("Train it",)),
    (Asked("shared.py", {"token": "{open_token}"}, "......."), ("Train it",)),
    (Asked("results.py", {"experiment": "{link}"}, "+++++++"), ("Download as CSV",)),
    (Asked("results.py", {"experiments": "{team},{link}"}, "--+++++"), ("Summary (CSV)",)),
    (Asked("shared.py", {"token": "{open_token}"}, "......."), EXPORTS),
    (Asked("shared.py", {"token": "{open_token}"}, "+++++++"), ("Download as CSV",)),
    (Asked("datasets.py", {"dataset": "{link_data}"}, "+++++++"), ("CSV", "Parquet")),
    (Asked("datasets.py", {"dataset": "{team_data}"}, "--+++++"), ("CSV", "Parquet")),
    (Asked("datasets.py", {"dataset": "{team_data}"}, "....+++"), ("Rename", "Delete")),
    (Asked("datasets.py", {"dataset": "{team_data}"}, "...++++"), ("Use in a new experiment",)),
    (Asked("home.py", {}, "...++++"), ("Run a first experiment", "Upload a table")),
    (Asked("results.py", {"experiment": "{team}"}, "...++++"), ("Clone",)),
    (Asked("results.py", {"experiment": "{team}"}, "....++."), ("Share",)),
]


@pytest.fixture
def known(storage: Storage) -> dict[str, str]:
    """What addresses name: an experiment and a data set of Ann's for each kind of visibility, and tokens of links."""
    sign_in(storage, "Root", "admin")
    ann = sign_in(storage, "Ann")
    sign_in(storage, "Mark")
    sign_in(storage, "Rita", "reader")
    names: dict[str, str] = {}
    for number, kind in enumerate(("private", "team", "link")):
        names[kind] = add_experiment(ann_as_runner(storage, ann))
        ann.set_experiment_visibility(names[kind], kind)
        data = ann.save_dataset(tiny_dataset(f"{kind} data", shift=float(number)), visibility=kind)
        names[f"{kind}_data"] = data.sha256
    for name, inside in (("open_token", False), ("inside_token", True), ("revoked_token", False)):
        link, names[name] = ann.create_link(
            [names["private"]], "results", f"experiment={names['private']}", needs_sign_in=inside
        )
    ann.revoke_link(link.id)
    return names


Visit = Callable[[Asked], AppTest]


@pytest.fixture
def visit(open_as: OpenPage, open_page: OpenPage, known: dict[str, str], who: str) -> Visit:
    """Return a function with which somebody goes from address to address in one session, as by typing it."""
    if who == "open house":
        app = open_page("home.py")
    else:
        app = open_as(VISITORS[who], "shared.py" if who == "link" else "home.py", token=known["open_token"])

    def go(asked: Asked) -> AppTest:
        if who == "link":  # it was the page of the link that they looked at
            _open(app, "shared.py", {"token": known["open_token"]})
        return _open(app, asked.page, {name: value.format(**known) for name, value in asked.query.items()})

    return go


def _open(app: AppTest, page: str, query: Mapping[str, str]) -> AppTest:
    app.query_params.clear()
    app.query_params.update(query)
    app.switch_page(page).run()
    assert not app.exception, app.exception[0].value
    return app


def outcome(app: AppTest) -> str:
    if any("role does not let you" in one.value for one in app.info):
        return "r"
    if any("nobody has an account" in one.value for one in app.info):
        return "n"
    if app.error:
        return "?"
    return "-" if (labels(app), texts(app)) == (["Sign in"], "Ensemble Lab") else "+"


@pytest.mark.parametrize("who", EVERYBODY)
def test_pages_open_and_files_and_deeds_are_offered_to_those_who_may_have_them(visit: Visit, who: str) -> None:
    place = EVERYBODY.index(who)
    seen: dict[object, tuple[str, list[str]]] = {}
    for asked in (*PAGES, *(asked for asked, _ in OFFERS)):
        if asked.address not in seen:
            app = visit(asked)
            seen[asked.address] = outcome(app), labels(app)
    assert {asked.address: seen[asked.address][0] for asked in PAGES} == {
        asked.address: asked.row[place] for asked in PAGES
    }
    assert [offered_in(seen[asked.address][1], offered) for asked, offered in OFFERS] == [
        asked.row[place] == "+" for asked, _ in OFFERS
    ]


def offered_in(shown: list[str], offered: tuple[str, ...]) -> bool:
    """Whether all of them are there; that some are and some are not is an error."""
    there = [one in shown for one in offered]
    assert len(set(there)) == 1, dict(zip(offered, there, strict=True))
    return there[0]


def test_no_page_is_left_out() -> None:
    own = {path.name for path in Path(ROOT, "pages").glob("*.py")} - {"main.py", "__init__.py"}
    assert {asked.page for asked in PAGES} == own
