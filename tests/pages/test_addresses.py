"""What stands in an address is what the page shows, from its first run on, and in links to it."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.results import scatterplots, trials
from storage import Storage
from tests.pages.conftest import OpenPage
from tests.pages.made_up import tiny_config
from tests.pages.made_up_results import MEMBERS, add_experiment, figures, make_config
from tests.pages.test_experiments import shown

OpenResults = Callable[..., AppTest]


def opened(open_page: OpenPage, page: str, address: str) -> AppTest:
    """Return the page that an address leads to."""
    return open_page(page, **parse_qs(urlsplit(address).query, keep_blank_values=True))


def test_a_link_to_the_second_page_shows_its_rows_at_once(open_page: OpenPage, storage: Storage) -> None:
    for number in range(17):
        storage.create_experiment(tiny_config(f"E{number:02d}"))
    assert shown(open_page("experiments.py", page="2")) == ["E01", "E00"]
    for wrong in ("0", "99", "two", ""):
        assert shown(open_page("experiments.py", page=wrong))[0] == "E16"


def test_a_link_with_filters_says_at_once_how_many_there_are(open_page: OpenPage, storage: Storage) -> None:
    storage.create_experiment(tiny_config("One", learners=[{"method": "bagging", "base": "naive_bayes"}]))

    def said(**query: str) -> list[str]:
        return [one.proto.popover.label for one in open_page("experiments.py", **query).get("popover")][:1]

    assert said(method="Bagging", state="Waiting") == ["Filter (2)"]
    assert said(method="Not any more", state="Waiting") == ["Filter (1)"]
    assert said() == ["Filter"]


def test_a_link_names_every_learner_that_is_chosen(open_page: OpenPage, storage: Storage) -> None:
    experiment = add_experiment(storage)
    names = make_config().labels()
    address = {"experiment": experiment, "view": "Running time", "learners": [names[0], names[2]]}
    app = open_page("results.py", **address)
    assert app.multiselect(key="learners").value == [0, 2]
    [link] = [code.value for code in app.code]
    again = opened(open_page, "results.py", link)
    assert again.multiselect(key="learners").value == [0, 2]
    assert figures(again) == figures(app)


@pytest.mark.parametrize(
    ("view", "name"),
    [
        ("", "view"),
        ("Summary", "units"),
        ("Summary", "group"),
        ("Leaderboard", "by"),
        ("Classes", "score"),
        ("Learning curves", "over"),
        ("Members", "show"),
        ("Running time", "spent"),
        ("Running time", "part"),
        ("Running time", "against"),
    ],
)
def test_an_empty_choice_in_an_address_is_the_first_one(
    open_results: OpenResults, storage: Storage, view: str, name: str
) -> None:
    learners = ("single", "adaboost", "online_boosting")
    experiment = add_experiment(storage, make_config(methods=learners, curves=("learning_curve", *MEMBERS)))
    given = {"experiment": experiment, **({"view": view} if view else {})}
    assert figures(open_results(**given, **{name: ""})) == figures(open_results(**given))


@pytest.mark.parametrize(("page", "name"), [("admin.py", "about"), ("leaderboard.py", "by"), ("datasets.py", "shelf")])
def test_an_empty_view_in_an_address_is_the_first_one(
    open_page: OpenPage, storage: Storage, page: str, name: str
) -> None:
    add_experiment(storage)
    app, usual = open_page(page, **{name: ""}), open_page(page)
    assert [one.value for one in app.caption] == [one.value for one in usual.caption]
    assert not app.run().exception


def test_pages_of_scatterplots_and_trials_stand_in_the_address(
    open_results: OpenResults, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scatterplots, "_AT_ONCE", 1)
    monkeypatch.setattr(trials, "_AT_ONCE", 20)
    experiment = add_experiment(storage)
    for view, name, seen in (
        ("Scatterplots", "plots", lambda app: figures(app)[0]["layout"]["yaxis"]["title"]["text"]),
        ("Trials", "trials", lambda app: len(app.dataframe[0].value)),
    ):
        first = open_results(experiment=experiment, view=view)
        before = seen(first)
        first.pagination(key=name).set_value(2).run()
        assert seen(open_results(experiment=experiment, view=view, **{name: "2"})) == seen(first) != before
