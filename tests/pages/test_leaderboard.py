"""The leaderboard of the whole database."""

from storage import Storage
from tests.pages.conftest import OpenPage
from tests.pages.made_up import tiny_config
from tests.pages.made_up_results import HOSTILE, add_experiment, figures, make_config, texts


def test_without_a_result_it_says_so(open_page: OpenPage, storage: Storage) -> None:
    storage.create_experiment(tiny_config())
    assert "No experiment is over yet" in texts(open_page("leaderboard.py"))


def test_learners_of_all_experiments_stand_by_data_set(open_page: OpenPage, storage: Storage) -> None:
    first = add_experiment(storage, make_config(HOSTILE))
    add_experiment(storage, make_config("Second", methods=("bagging",)))
    page = open_page("leaderboard.py")
    [figure] = figures(page)
    assert [tick.replace("<br>", " ") for tick in figure["layout"]["yaxis"]["ticktext"]] == [
        "Online boosting of naive Bayes",
        "AdaBoost of naive Bayes",
        "Single model: naive Bayes",
        "Bagging of naive Bayes",
    ]
    links = [link.proto for link in page.get("page_link")]
    assert [link.query_string for link in links if "cars" in link.label] == [f"experiment={first}"] * 3
    assert "<b>" not in texts(page).replace("\\<b\\>", "")
    tested = next(link for link in links if link.label.startswith("Test these differences"))
    assert tested.query_string.endswith("&on=iris")
    assert tested.label == "Test these differences: the results of 2 experiments as one"
    page.selectbox(key="ranked").set_value("Wine").run()
    assert "1\\. Online boosting" in texts(page)
    assert "error 0\\.2900" in texts(page)


def test_a_link_names_the_data_set_whatever_ends_meanwhile(open_page: OpenPage, storage: Storage) -> None:
    add_experiment(storage, make_config("One"))
    page = open_page("leaderboard.py", ranked="Wine")
    for methods in (("bagging",), ("online_bagging", "arc_x4")):
        assert page.selectbox(key="ranked").value == "Wine"
        assert "error 0\\.2900" in texts(page)
        add_experiment(storage, make_config("More", methods=methods))
        page.run()
    assert "6 learners" in texts(page)
    assert open_page("leaderboard.py", ranked="Wine").selectbox(key="ranked").value == "Wine"


def test_one_experiment_is_tested_as_it_is(open_page: OpenPage, storage: Storage) -> None:
    add_experiment(storage, make_config("One"))
    labels = [link.proto.label for link in open_page("leaderboard.py").get("page_link")]
    assert "Test these differences: the results of the experiment" in labels


def test_methods_stand_in_pairs_and_errors_over_time(open_page: OpenPage, storage: Storage) -> None:
    add_experiment(storage, make_config("One"))
    page = open_page("leaderboard.py", by="By method")
    [ranks] = figures(page)
    assert [mark["x"] for mark in ranks["data"]] == [[1.0], [2.0], [3.0]]
    [table] = [one.value for one in page.table]
    assert [table.index[0], *table] == ["1\\. Online boosting\\: naive Bayes", "1", "2", "3"]
    assert page.table[0].value.iloc[0].tolist()[1].startswith("**100\\%**")
    assert "of\N{NO-BREAK SPACE}2" in page.table[0].value.iloc[0, 1]
    page.segmented_control(key="by").set_value("Over time").run()
    assert not page.exception
    assert len(figures(page)) == 1


def test_one_learner_is_a_row_and_no_comparison(open_page: OpenPage, storage: Storage) -> None:
    add_experiment(storage, make_config("Alone", methods=("single",)))
    assert len(figures(open_page("leaderboard.py"))) == 1
    assert "Methods are compared when there are two" in texts(open_page("leaderboard.py", by="By method"))


def test_protocols_are_not_mixed(open_page: OpenPage, storage: Storage) -> None:
    add_experiment(storage, make_config("Splits"))
    stream = {"kind": "prequential", "orders": 1}
    add_experiment(storage, make_config("Stream", methods=("online_bagging",), curves=(), protocol=stream))
    late = make_config("Late", methods=("online_boosting",), curves=(), protocol=stream | {"label_delay": 9})
    add_experiment(storage, late)
    page = open_page("leaderboard.py", kind="Prequential")
    assert figures(page)[0]["layout"]["yaxis"]["ticktext"] == ["Online bagging of naive Bayes"]
    page.selectbox(key="kind").set_value("Prequential, labels 9 examples late").run()
    assert figures(page)[0]["layout"]["yaxis"]["ticktext"] == ["Online boosting of naive Bayes"]
    assert "on the last 50 % of the stream, 4 splits" in texts(page).replace("\\", "")
