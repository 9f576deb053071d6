"""Files of results: tables as LaTeX and as a page that needs nothing else."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from ensembles.reports.significance import Question, marked_means, rank_learners
from ensembles.reports.tables import mean_table
from runner import exports
from runner.exports import export_results
from tests.reports.eight_learners import NAMES, make_eight
from tests.reports.made_up import make_config, make_results, make_trial


@pytest.fixture(scope="module")
def results():
    return make_eight(failing={(1, 3)})


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


def test_the_page_is_whole_and_asks_for_nothing(results):
    page = export_results(results, "html").decode()
    parser = Balance()
    parser.feed(page)
    assert parser.open == parser.links == []
    assert "@import" not in page
    assert "url(" not in page
    assert "<script" not in page


def test_the_page_has_the_numbers_of_every_measure_with_marks_ranks_and_failures(results):
    page = export_results(results, "html").decode()
    tables = re.findall(r"<table>.*?</table>", page, re.DOTALL)
    for measure in results.config.measures:
        for mean in mean_table(results, measure).to_numpy().ravel():
            assert mean != mean or f"{mean:.4f}" in page
        for rank in rank_learners(results, Question(measure)).average_ranks:
            assert f"<td>{rank:.4f}</td>" in page
    assert len(tables) == 3 * 2 + 2
    assert page.count('class="better"') == sum(
        int((marked_means(results, Question(measure)).marks == "better").to_numpy().sum())
        for measure in results.config.measures
    )
    assert "the learner gave up" in page
    assert "Left out for missing results: 1." in page


def test_one_measure_can_be_chosen(results):
    assert export_results(results, "latex").decode().count(r"\caption{") == 2
    assert export_results(results, "latex", "error").decode().count(r"\caption{Error, means.") == 1


def test_names_of_users_are_data_in_tables(results):
    latex, page = (export_results(results, form).decode() for form in ("latex", "html"))
    assert r"Digits \& \textless{}b\textgreater{}letters\textless{}/b\textgreater{} & " in latex
    assert "Digits &amp; &lt;b&gt;letters&lt;/b&gt;" in page
    assert NAMES[2] not in page


def test_the_name_of_an_experiment_is_data_on_the_page(results):
    config = results.config.model_copy(update={"name": "<script>alert(1)</script>"})
    page = export_results(replace(results, config=config), "html").decode()
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 3  # title, heading, document


def test_latex_is_balanced(results):
    latex = export_results(results, "latex").decode()
    assert latex.count(r"\begin{") == latex.count(r"\end{")
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert {line.count(" & ") for line in rows} == {8, 3}
    assert not re.search(r"[^\\]_", latex)


@pytest.mark.parametrize("form", ["csv", "parquet", "latex", "html", "yaml"])
@pytest.mark.parametrize(
    "results",
    [
        make_results([]),
        make_results([make_trial(0, 0, None)]),
        make_results([make_trial(0, 0, 0.5)]),
        make_results([make_trial(0, 0, 0.5)], config=make_config([{"method": "single", "base": "naive_bayes"}])),
    ],
    ids=["nothing", "one failure", "one trial", "one learner"],
)
def test_little_is_no_reason_to_fail(results, form):
    content = export_results(results, form)
    assert content
    assert b"nan" not in content.lower() or form == "parquet"


def test_sentences_of_the_report_are_text_and_not_markup() -> None:
    assert exports._said("<b>bold & brave</b>") == "<p>&lt;b&gt;bold &amp; brave&lt;/b&gt;</p>"
