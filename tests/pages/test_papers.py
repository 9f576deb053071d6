"""The page of published tables: the gallery, a table before and after its runs, and the launch."""

from itertools import pairwise

import pytest

from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.papers import Experiment, get_table, list_tables
from ensembles.reports import published
from pages.parts.papers import gallery
from runner.papers import PaperData, find_runs, launch, plan_table
from storage import Storage
from tests.pages.conftest import OpenPage

BAYES = get_table("oza2001/3.4")


@pytest.mark.parametrize("phone", [False, True])
def test_the_gallery_links_every_table(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, *, phone: bool):
    monkeypatch.setattr(gallery, "on_phone", lambda: phone)
    app = open_page("papers.py")
    assert [one.label for one in app.expander] == (["23 tables"] if phone else [])
    expected = [f"**{table.number} {table.title}**" for table in list_tables()]
    assert [link.label for link in app.get("page_link")] == expected
    assert any("1,608 published numbers" in text.value for text in app.markdown)


@pytest.mark.parametrize("table", [table.key for table in list_tables()])
def test_every_table_opens_before_anything_was_run(open_page: OpenPage, table: str):
    app = open_page("papers.py", table=table)
    assert not app.error
    assert app.title[0].value.endswith(f"table {table.partition('/')[2]}")


def test_an_unknown_table_is_a_sentence(open_page: OpenPage):
    app = open_page("papers.py", table="oza2001/9.9")
    assert "no table is called" in app.error[0].value.replace("\\", "").lower()


def test_data_sets_that_are_not_here_are_named(open_page: OpenPage):
    app = open_page("papers.py", table="oza2001/3.4")
    [advice] = [text.value for text in app.markdown if text.value.startswith("**Mushroom**: ")]
    assert "with --data on the command line, or upload a data set called mushroom" in advice.replace("\\", "")
    assert "Open Mushroom" in [link.label for link in app.get("page_link")]


@pytest.mark.parametrize("table", ["oza2001/3.12", "oza2001/4.13"])
def test_a_table_whose_data_nobody_has_is_not_said_to_have_run(open_page: OpenPage, table: str):
    app = open_page("papers.py", table=table)
    [button] = [button for button in app.button if button.key == "papers_launch"]
    assert (button.label, button.disabled) == ("Its data are not here", True)


def test_launching_twice_runs_once(open_page: OpenPage, storage: Storage):
    app = open_page("papers.py", table="leeclyde2004/2", scale="A fiftieth")
    [button] = [button for button in app.button if button.key == "papers_launch"]
    assert button.label.startswith("Run ")
    button.click().run()
    assert not app.exception
    launched = storage.count_experiments()
    assert launched > 0
    again = open_page("papers.py", table="leeclyde2004/2", scale="A fiftieth")
    [button] = [button for button in again.button if button.key == "papers_launch"]
    assert (button.label, button.disabled) == ("Running", True)
    assert storage.count_experiments() == launched


def test_a_data_set_that_cannot_be_prepared_is_told_at_the_launch(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
):
    find = PaperData.find

    def find_all_but_car(self: PaperData, experiment: Experiment) -> object:
        return "car.csv: the file is *broken*" if experiment.dataset.key == "car" else find(self, experiment)

    monkeypatch.setattr(PaperData, "find", find_all_but_car)
    app = open_page("papers.py", table="oza2001/3.4", scale="A fiftieth")
    next(button for button in app.button if button.key == "papers_launch").click().run()
    assert [error.value.replace("\\", "") for error in app.error] == ["car.csv: the file is *broken*"]
    launched = {record.name for record in storage.list_experiments()}
    assert "Oza 2001, table 3.4: Nursery (scale 0.02)" in launched
    assert not any("Car" in name for name in launched)


def run_balance_scale(storage: Storage, scale: float = 0.02, accuracy: float = 0.9) -> str:
    """Store made-up results of naive Bayes on Balance: accuracies 0.90, 0.91 and 0.92 on each of two folds."""
    [planned], _ = plan_table(BAYES, scale, PaperData(storage), ["balance_scale"])
    record = launch(storage, planned, runner="test")
    storage.save_trials(
        record.id,
        [
            (
                TrialPlan(f"{2 * learner + fold:032x}", 0, learner, 0, fold, 0),
                TrialResult(
                    f"{2 * learner + fold:032x}",
                    measures={"accuracy": accuracy + 0.01 * learner + 0.001 * fold},
                    fit_seconds=0.5,
                    predict_seconds=0.1,
                    members_used=100,
                    n_train=500,
                    n_test=125,
                ),
            )
            for learner in range(3)
            for fold in range(2)
        ],
    )
    storage.finish(record.id, "finished", None, runner="test")
    return record.id


def test_published_numbers_stand_beside_ours(open_page: OpenPage, storage: Storage):
    run = run_balance_scale(storage)
    app = open_page("papers.py", table="oza2001/3.4", scale="A fiftieth")
    cell = app.table[0].value.loc["Balance", "Online bagging"]
    assert "0\\.9205" in cell
    assert "0\\.9072" in cell
    assert {metric.label: metric.value for metric in app.metric}["Within 0.02"] == "100 %"
    assert [link.proto.query_string for link in app.get("page_link") if "Balance" in link.label] == [
        f"experiment={run}"
    ]


def test_standard_errors_are_told_of_where_there_are_any(open_page: OpenPage, storage: Storage):
    def told() -> bool:
        app = open_page("papers.py", table="oza2001/3.4", scale="A fiftieth")
        return any("standard errors" in one.value for one in app.caption)

    assert not told()
    run_balance_scale(storage)
    assert told()


def test_what_is_far_from_the_paper_comes_with_the_finding(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(published, "find_finding", lambda cell: "two words" * (cell.method == "bagging"))
    run_balance_scale(storage, accuracy=0.8)
    app = open_page("papers.py", table="oza2001/3.4", scale="A fiftieth", comparison="Far from the paper")
    told = [text.value.replace("\\", "") for text in (*app.markdown, *app.caption)]
    assert [text for text in told if "Balance" in text] == [
        "**Balance, Single model, naive Bayes**: 0.8005 for 0.9075, −0.1070",
        "**Balance, Online bagging, naive Bayes**: 0.8205 for 0.9072, −0.0867",
        "**Balance, Bagging, naive Bayes**: 0.8105 for 0.9067, −0.0962",
    ]
    assert [text for text in told if text in ("Two words.", "Not found out yet.")] == [
        "Not found out yet.", "Two words.",
    ]  # fmt: skip


def test_nothing_is_near_the_paper_before_it_was_run(open_page: OpenPage, storage: Storage):
    run_balance_scale(storage, accuracy=0.9)
    far = {"table": "oza2001/3.4", "comparison": "Far from the paper"}
    said = {scale: open_page("papers.py", scale=scale, **far).info[0].value for scale in ("A fiftieth", "A tenth")}
    assert said == {
        "A fiftieth": "No cell that counts is off by more than 0.02.",
        "A tenth": "No cell that counts has a number of ours.",
    }


def test_cells_of_a_data_set_that_is_not_here_say_so(open_page: OpenPage):
    app = open_page("papers.py", table="oza2001/3.4", comparison="Without a number")
    told = [text.value.replace("\\", "") for text in app.main if text.type in {"markdown", "caption"}]
    assert not app.dataframe, "a table cuts the reasons off"
    assert "**Mushroom**: 3 cells" in told
    [how] = [text for text in told if text.startswith("Data not available here") and "mushroom.csv" in text]
    assert how.startswith("Data not available here: it is in OpenML; put mushroom.csv into a folder")
    assert "with --data on the command line" in how
    [not_run] = [names for names, reason in pairwise(told) if reason == "Not run."]
    assert "Mushroom" not in not_run


def test_another_scale_has_its_own_runs(open_page: OpenPage, storage: Storage):
    run_balance_scale(storage)
    app = open_page("papers.py", table="oza2001/3.4", scale="A tenth")
    assert not app.metric


@pytest.mark.parametrize("view", ["Side by side", "Figure", "Far from the paper", "Without a number"])
def test_every_view_opens_on_times_and_accuracies(open_page: OpenPage, storage: Storage, view: str):
    run_balance_scale(storage)
    for table in ("oza2001/3.4", "oza2001/3.9"):
        app = open_page("papers.py", table=table, scale="A fiftieth", comparison=view)
        assert not app.error
        assert app.metric


def test_only_what_was_launched_as_published_counts(storage: Storage):
    run_balance_scale(storage)
    [planned], _ = plan_table(BAYES, 0.02, PaperData(storage), ["balance_scale"])
    other = planned.config.model_copy(update={"seed": 2})
    storage.create_experiment(other, n_trials=1)
    [found] = find_runs(storage, BAYES.experiments(), 0.02).values()
    assert found.config == planned.config
