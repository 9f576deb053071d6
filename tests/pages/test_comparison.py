"""Results of several experiments as one."""

import html
import re
from collections.abc import Callable
from typing import Any

import pytest

from ensembles.experiments.results import Results
from pages.parts.results import joined
from storage import ExperimentRecord, Storage
from tests.pages.conftest import OpenPage
from tests.pages.made_up import tiny_config
from tests.pages.made_up_results import HOSTILE, SPLITS, add_experiment, make_config, texts

OTHERWISE = {**SPLITS, "stratified": False}


def test_ticked_experiments_become_one_result_with_all_views(open_page: OpenPage, storage: Storage) -> None:
    ids = [
        add_experiment(storage, make_config("First", methods=("single", "bagging"))),
        add_experiment(storage, make_config(HOSTILE, methods=("single", "adaboost"))),
    ]
    page = open_page("results.py", experiments=",".join(ids))
    assert page.title[0].value == "Comparison of 2 experiments"
    assert page.table[0].value.columns.tolist()[-3:] == ["Single model", "Bagging", "AdaBoost"]
    assert "First" in [link.label for link in page.get("page_link")]
    assert "<b>" not in texts(page).replace("\\<b\\>", "")
    for view in ("Significance", "Learning curves", "Trials"):
        page.segmented_control(key="view").set_value(view).run()
        assert not page.exception
        assert page.title[0].value == "Comparison of 2 experiments", "the address is kept"


def test_what_is_left_of_a_comparison_is_of_one_experiment(open_page: OpenPage, storage: Storage) -> None:
    left = add_experiment(storage, make_config("Left"))
    page = open_page("results.py", experiments=f"{left},deleted")
    assert page.title[0].value == "Comparison of 1 experiment"
    assert "1 experiment of this address is not there any more" in texts(page)


def test_it_says_which_learners_were_not_asked_about_the_head_of_a_stream(
    open_page: OpenPage, storage: Storage
) -> None:
    stream = {"protocol": {"kind": "prequential", "orders": 1}, "curves": ()}
    ids = [
        add_experiment(storage, make_config("Asked", methods=("online_bagging",), **stream), splits=1, n_test=100),
        add_experiment(storage, make_config("Primed", methods=("primed_online_boosting",), **stream), splits=1),
    ]
    said = texts(open_page("results.py", experiments=",".join(ids))).replace("\\", "")
    assert "Primed online boosting learns the head of the stream first and was not asked about it" in said


def test_a_comparison_is_one_report_under_a_name_that_says_of_what(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: dict[str, Callable[[], str]] = {}
    monkeypatch.setattr(joined, "draw_download", lambda _, write, name, **__: written.update({name: write}))
    configs = [
        make_config("First", methods=("single",)),
        make_config(HOSTILE, methods=("adaboost",), protocol=OTHERWISE),
    ]
    ids = [add_experiment(storage, configs[0]), add_experiment(storage, configs[1], share=0.5, state="cancelled")]
    open_page("results.py", experiments=",".join(ids))
    stem = "Comparison-of-2-experiments-on-Iris-and-Wine"
    assert [*written] == [f"{stem}-summary.csv", f"{stem}-trials.csv", f"{stem}.html", f"{stem}.tex"]
    page = re.sub("<script.*?</script>", "", written[f"{stem}.html"](), flags=re.DOTALL)
    assert "<p>2 experiments, 2 data sets, 2 learners, 12 trials.</p>" in page
    assert "<p>Not paired, as their splits differ: First (" in page
    assert "of 2 experiments 1 was cancelled" in page
    for record in map(storage.get_experiment, ids):
        assert f'<td class="left">{html.escape(record.name)}</td>' in page
        assert f'<td class="left">{record.state}</td><td class="left">{record.id}</td><td>{record.done}</td>' in page
        assert f"<pre>{html.escape(record.config.to_yaml())}</pre>" in page
    assert "<b>cars" not in page
    written.clear()
    open_page("results.py", experiments=ids[0], on="iris")
    assert "All-results-on-Iris.html" in written


@pytest.mark.parametrize(("share", "may_be_summed"), [(1.0, True), (3 / 16, False)])
def test_curves_come_summed_up_where_the_trials_of_a_learner_are_those_of_one_experiment(
    open_page: OpenPage,
    storage: Storage,
    monkeypatch: pytest.MonkeyPatch,
    share: float,
    may_be_summed: bool,
) -> None:
    asked, load = [], joined.load_results

    def loaded(record: ExperimentRecord, **how: Any) -> Results:
        asked.append((bool(how["with_curves"]), how["alone"]))
        return load(record, **how)

    monkeypatch.setattr(joined, "load_results", loaded)
    ids = [
        add_experiment(storage, make_config("First", methods=("single",), curves=())),
        add_experiment(storage, make_config("Second", methods=("single", "adaboost")), share=share),
    ]
    page = open_page("results.py", experiments=",".join(ids), view="Learning curves")
    assert not page.exception
    assert asked == [(False, False)] * 2 + [(True, may_be_summed)] * 2


def test_what_is_not_there_or_not_over_is_said(open_page: OpenPage, storage: Storage) -> None:
    over = add_experiment(storage, make_config("Over"))
    running = add_experiment(storage, make_config("Runs", methods=("bagging",)), share=0.5, state="running")
    cancelled = add_experiment(storage, make_config("Cut", methods=("wagging",)), share=0.5, state="cancelled")
    page = open_page("results.py", experiments=f"{over},{running},gone,{cancelled}")
    assert "1 experiment of this address is not there any more" in texts(page)
    assert "of 3 experiments 1 still runs and 1 was cancelled or had failures" in texts(page)
    waiting = storage.create_experiment(tiny_config()).id
    assert "No trial of these experiments has finished" in texts(open_page("results.py", experiments=waiting))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("gone,lost", "None of the experiments of this address exists, or not any more"),
        (",".join(f"e{number}" for number in range(51)), "at most 50 can be compared at once, got 51"),
        (",", "None of the experiments of this address exists"),
    ],
)
def test_an_address_that_leads_nowhere_is_one_sentence(open_page: OpenPage, address: str, said: str) -> None:
    page = open_page("results.py", experiments=address)
    assert said in page.error[0].value.replace("\\", "")
    assert [link.label for link in page.get("page_link")][-1] == "All experiments"


def test_protocols_that_do_not_go_together_are_one_sentence(open_page: OpenPage, storage: Storage) -> None:
    stream = {"kind": "prequential", "orders": 1}
    configs = (make_config("Splits"), make_config("Stream", methods=("online_bagging",), curves=(), protocol=stream))
    ids = [add_experiment(storage, config) for config in configs]
    page = open_page("results.py", experiments=",".join(ids))
    assert "must have one kind of protocol to be compared" in page.error[0].value


def test_all_results_on_a_data_set_are_one_click_from_its_card(open_page: OpenPage, storage: Storage) -> None:
    ids = [add_experiment(storage, make_config(name)) for name in ("One", "Two")]
    storage.create_experiment(tiny_config("Nothing yet"))
    card = open_page("datasets.py", dataset="iris")
    [link] = [link.proto for link in card.get("page_link") if link.proto.label.startswith("All results")]
    assert link.label == "All results on this data set: cross-validation, 2 experiments"
    page = open_page("results.py", experiments=",".join(ids[::-1]), on="iris")
    assert link.query_string == f"experiments={ids[1]}%2C{ids[0]}&on=iris"
    assert page.title[0].value == "All results on Iris"
    assert page.table[-1].value.index.tolist() == ["Iris"]


def test_trials_of_a_comparison_are_kept_once_whatever_is_looked_at(open_page: OpenPage, storage: Storage) -> None:
    ids = ",".join(add_experiment(storage, make_config(name)) for name in ("First", "Second"))
    page = open_page("results.py", experiments=ids, view="Learning curves")
    assert page.get("plotly_chart")
    kept = [one.value.results for key, one in joined._kept._entries.items() if key[0] == tuple(ids.split(","))]
    assert [(len(one.trials) > 0, len(one.curves) > 0) for one in kept] == [(True, False), (False, True)]
