"""The report: a page that needs nothing else, whose figures draw the numbers of its tables."""

import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from ensembles.evaluation.curves import CURVES
from ensembles.reports import formatting
from ensembles.reports import html_report as report
from ensembles.reports.html_report import report_page
from ensembles.reports.over_datasets import compare_over_datasets, rank_learners
from ensembles.reports.significance import Question, marked_means
from ensembles.reports.tables import mean_table
from tests.reports.eight_learners import BOOSTING, DATASETS, make_eight, make_everything
from tests.reports.made_up import make_config, make_curve, make_results, make_trial

SCRIPT = re.compile(r"<script>.*?</script>", re.DOTALL)
FIGURE = re.compile(r"<figure>.*?</figure>", re.DOTALL)
CONTENT = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
CELL = re.compile(r"<td[^>]*>([^<]*)</td>")

pytestmark = pytest.mark.xdist_group("html_report")  # one page for all of them


class Balance(HTMLParser):
    """Complains about tags that do not match."""

    def __init__(self):
        super().__init__()
        self.open, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in {"src", "href"}]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def everything():
    return make_everything()


@pytest.fixture(scope="module")
def page(everything):
    return report_page(everything, everything.config.measures)


def test_the_page_is_whole_and_asks_for_nothing(page):
    parser = Balance()
    parser.feed(page)
    assert parser.open == parser.links == []
    own = SCRIPT.sub("", page)
    assert "@import" not in own
    assert "url(" not in own
    assert len(SCRIPT.findall(page)) == 2
    assert all("<" not in content for content in CONTENT.findall(page))


def test_the_page_has_the_numbers_of_every_measure_with_marks_ranks_and_failures():
    results = make_eight(failing={(1, 3)})
    page = report_page(results, results.config.measures)
    for measure in results.config.measures:
        for mean in mean_table(results, measure).to_numpy().ravel():
            assert mean != mean or f"{mean:.4f}" in page
        for rank in rank_learners(results, Question(measure)).average_ranks:
            assert f"<td>{rank:.4f}</td>" in page
    assert page.count('class="better"') == sum(
        int((marked_means(results, Question(measure)).marks == "better").to_numpy().sum())
        for measure in results.config.measures
    )
    assert "the learner gave up" in page
    assert "Left out for missing results: 1." in page
    for finding in compare_over_datasets(results, Question("accuracy"), 3, 4).findings:
        assert html.escape(f"{finding.sentence} {finding.assumes}") in page
    assert f"{html.escape(f'{results.learners[3]} and {results.learners[4]}')} over data sets</h3>" in page


def test_every_kind_of_figure_is_there(page, everything):
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings[0] == "Verdict"
    wanted = [
        "Error scatterplots",
        "Bias and variance",
        "Leaderboard",
        "Error against time",
        "Running time",
        *(CURVES[key].name for key in CURVES if key != "predictions"),
    ]
    assert set(wanted) <= set(headings)
    n_measures, n_learners, n_datasets = len(everything.config.measures), len(everything.learners), len(DATASETS)
    lines = 1 + 3 + 1 + 1 + 2  # learning curves, streams, errors of members, trial graphs, margins
    # verdict, leaderboard; ranks and who beats whom; pairs; bias and variance; error against time and two times
    expected = 2 + 2 * n_measures + (n_learners - 1) + 1 + 3 + n_datasets * (lines + 1 + len(BOOSTING))
    assert len(FIGURE.findall(page)) == expected


def test_figures_draw_the_numbers_of_the_tables_under_them(page):
    n_drawn = 0
    for block in FIGURE.findall(page):
        cells = set(CELL.findall(block))
        light, dark = json.loads(CONTENT.search(block).group(1)).values()
        numbers = drawn(light)
        assert numbers <= cells
        assert numbers == drawn(dark)
        n_drawn += len(numbers)
    assert n_drawn > 1000


def drawn(figure):
    """Return every number that a figure draws, in words; names on an axis and places of rows on a vertical one are none."""
    vertical = figure["layout"].get("yaxis", {})
    counts_rows = "ticktext" in vertical and vertical.get("type") != "log"
    traces = [trace for trace in figure["data"] if trace.get("hoverinfo") != "skip"]
    values = [value for trace in traces for axis in ("x" if counts_rows else "xy") for value in trace.get(axis, ())]
    return {said(value) for value in values if not isinstance(value, str)}


def said(value):
    return formatting.count(value) if isinstance(value, int) else formatting.number(value)


def test_the_name_of_an_experiment_is_data_on_the_page(everything):
    hostile = "<script>alert(1)</script>"
    config = everything.config.model_copy(update={"name": hostile})
    named = replace(make_eight(), config=config, dataset_names=(hostile, "b", "c", "d"))
    page = report_page(named, ["accuracy"])
    assert hostile not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 3
    assert len(SCRIPT.findall(page)) == 2


def test_sentences_of_the_report_are_text_and_not_markup():
    assert report._said("<b>bold & brave</b>") == "<p>&lt;b&gt;bold &amp; brave&lt;/b&gt;</p>"


def test_a_figure_without_anything_to_draw_is_a_sentence():
    trials = [make_trial(0, 1, 0.5, members_used=1)]
    config = make_config().model_copy(update={"curves": ("hard_examples",)})
    results = make_results(trials, make_curve(0, 1, [3, 7], [1.0, 1.0], curve="hard_examples"), config)
    text = report_page(results, ("accuracy",))
    assert "<p>AdaBoost stopped after 1 of 100 members on Iris, in every trial. No example came to weigh more" in text


def test_pictures_are_called_by_what_they_show_in_letters_that_any_system_takes(page):
    names = re.findall(r'<div class="plot" data-name="([^"]*)"', page)
    assert len(names) == len(FIGURE.findall(page))
    assert all(re.fullmatch(r"[\w-]{5,60}", name) for name in names)
    assert sum("Digits-b-letters" in name for name in names) > 3
    assert len({*names}) == len(names)
    alike = '<div class="plot" data-name="Iris">'
    assert re.findall('"(Iris.*?)"', report._numbered(3 * alike)) == ["Iris", "Iris-2", "Iris-3"]
