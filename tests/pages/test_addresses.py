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


def told(page: AppTest) -> list[str]:
    return [warning.value.replace("\\", "") for warning in page.warning]


def test_what_the_address_of_results_names_and_is_not_there_is_said(open_page: OpenPage, storage: Storage) -> None:
    one = add_experiment(storage)
    page = open_page("results.py", experiment=one, across="Winnow", up="ADWIN", measure="AUC", view="Nothing")
    assert told(page) == [
        "No view is called “Nothing”; no measure is called “AUC”; no learner is called “Winnow”; "
        "no learner is called “ADWIN” here. What is shown is chosen below."
    ]
    page.segmented_control(key="view").set_value("Trials").run()
    assert told(page) == []
    there = {"data": "Wine", "learners": "Online boosting", "measure": "Error", "view": "Running time"}
    assert told(open_page("results.py", experiment=one, **there)) == []


def test_what_the_address_of_a_leaderboard_names_and_is_not_there_is_said(
    open_page: OpenPage, storage: Storage
) -> None:
    add_experiment(storage)
    page = open_page("leaderboard.py", ranked="My *own*", kind="Prequential")
    assert told(page) == [
        "No protocol is called “Prequential” here. Another one is shown.",
        "No data set is called “My *own*” here. What is shown is chosen below.",
    ]
    page.selectbox(key="ranked").set_value("Wine").run()
    assert told(page) == ["No protocol is called “Prequential” here. Another one is shown."]


def test_what_the_address_of_the_list_names_and_is_not_there_is_said(open_page: OpenPage, storage: Storage) -> None:
    add_experiment(storage)
    page = open_page("experiments.py", method="Not any more", uses="Wine", tag="*last* year")
    assert told(page) == [
        "No method is called “Not any more”; no tag is called “*last* year” here. The list is not filtered by that."
    ]


def test_a_link_to_a_card_shows_the_attribute_and_the_correlation_that_were_chosen(open_page: OpenPage) -> None:
    app = open_page("datasets.py", dataset="wine", attribute="hue")
    assert app.selectbox(key="attribute").value == 10
    app = open_page("datasets.py", dataset="wine", card="Associations", correlation="Spearman")
    assert app.segmented_control(key="correlation").value == "Spearman"
    app = open_page("datasets.py", dataset="wine", attribute="hew")
    assert "No attribute is called “hew” here" in app.warning[0].value
