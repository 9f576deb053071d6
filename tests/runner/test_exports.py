"""Files of results: tables as LaTeX and as a page that needs nothing else."""

import re
from unittest.mock import Mock

import pytest

from ensembles.data.catalogue import open_source
from ensembles.errors import NotFound
from ensembles.experiments.results import CONFUSION
from runner.exports import export_results, state_notes
from tests.reports.eight_learners import NAMES, make_eight
from tests.reports.made_up import make_config, make_curve, make_results, make_trial


@pytest.fixture(scope="module")
def results():
    return make_eight(failing={(1, 3)})


def test_one_measure_can_be_chosen(results):
    assert export_results(results, "latex").decode().count(r"\caption{") == 4
    assert export_results(results, "latex", "error").decode().count(r"\caption{Error, means.") == 1


def test_a_report_says_that_an_experiment_was_imported(results):
    imported = Mock(state="cancelled", is_final=True, done=1, total=2, message="It was imported.")
    assert state_notes(imported)[1:] == ["It was imported."]
    imported.state = "finished"
    assert state_notes(imported) == ["It was imported."]
    assert b"It was imported." in export_results(results, "html", notes=state_notes(imported))


def test_names_of_users_are_data_in_tables(results):
    latex, page = (export_results(results, form).decode() for form in ("latex", "html"))
    assert r"Digits \& \textless{}b\textgreater{}letters\textless{}/b\textgreater{} & " in latex
    assert "Digits &amp; &lt;b&gt;letters&lt;/b&gt;" in page
    assert NAMES[2] not in page


def test_latex_is_balanced(results):
    latex = export_results(results, "latex").decode()
    assert latex.count(r"\begin{") == latex.count(r"\end{")
    rows = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert {line.count(" & ") for line in rows} == {8, 3}
    assert not re.search(r"[^\\]_", latex)


@pytest.mark.parametrize("form", ["csv", "parquet", "latex", "html"])
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
    assert form == "parquet" or b"nan" not in re.sub(rb"<script>.*?</script>", b"", content, flags=re.DOTALL).lower()


def test_the_report_names_classes_and_examples_of_data_that_are_here():
    def find(sha256):
        raise NotFound(f"no {sha256}")

    config = make_config(datasets=["iris", {"sha256": "0" * 64}])
    config = config.model_copy(update={"curves": ("hard_examples",)})
    told = (([0, 4, 5, 9], [5, 4, 1, 0], CONFUSION), ([0, 149], [3.0, 2.0], "hard_examples"))
    curves = [row for place in range(2) for x, y, curve in told for row in make_curve(place, 1, x, y, curve=curve)]
    results = make_results([make_trial(place, 1, 0.9) for place in range(2)], curves, config)
    page = export_results(results, "html", find_stored=find).decode()
    assert "Taken for another most often: versicolor for virginica (20 % of its examples)" in page
    assert "Taken for another most often: class 2 for class 3 (20 % of its examples)" in page
    assert '"1: setosa"' in page
    assert "<td>150</td><td>2.0000</td><td>1</td><td>virginica</td><td>5.9000</td>" in page
    assert "versicolor" not in export_results(results, "html").decode()


def test_the_report_names_the_classes_of_what_is_read_in_batches():
    config = make_config(datasets=[{"sha256": "0" * 64}])
    results = make_results(
        [make_trial(0, 1, 0.9)], make_curve(0, 1, [0, 1, 2, 3], [5, 4, 1, 0], curve=CONFUSION), config
    )
    page = export_results(results, "html", find_stored=lambda _: open_source("stagger", rows=100)).decode()
    assert "Taken for another most often: false for true (44 % of its examples)" in page
