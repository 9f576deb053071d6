"""What are no results, or no learners of theirs, gets a sentence of every function that compares."""

import re

import pytest

from ensembles.errors import InvalidInput, InvalidParameter
from ensembles.reports.html_report import report_page
from ensembles.reports.latex_means import means_latex
from ensembles.reports.over_datasets import compare_over_datasets, rank_learners
from ensembles.reports.significance import Question, cell_finding, marked_means, pair_verdicts
from ensembles.reports.verdict import verdict_of
from tests.reports.eight_learners import make_eight

ACCURACY = Question("accuracy")
WITH_POSITIONS = {
    "marked_means: reference": lambda results, place: marked_means(results, ACCURACY, place),
    "marked_means: other": lambda results, place: marked_means(results, ACCURACY, other=place),
    "cell_finding: first": lambda results, place: cell_finding(results, ACCURACY, 0, place, 1),
    "pair_verdicts: second": lambda results, place: pair_verdicts(results, ACCURACY, 0, place),
    "compare_over_datasets: first": lambda results, place: compare_over_datasets(results, ACCURACY, place, 1),
    "rank_learners: control": lambda results, place: rank_learners(results, ACCURACY, place),
}


@pytest.mark.parametrize("ask", WITH_POSITIONS)
def test_who_is_no_learner_of_the_results_is_compared_with_nobody(ask):
    results = make_eight()
    for place in (8, -1, "single", 1.0):
        with pytest.raises(InvalidParameter, match=rf"^{ask} must be an integer in \[0, 7\], got {place!r}$"):
            WITH_POSITIONS[ask](results, place)
    with pytest.raises(InvalidParameter, match=r"^cell_finding: dataset must be an integer in \[0, 3\], got 4$"):
        cell_finding(results, ACCURACY, 4, 0, 1)


@pytest.mark.parametrize("nothing", [None, [], "results"], ids=repr)
def test_what_are_no_results_get_a_sentence(nothing):
    asked = {**WITH_POSITIONS, "verdict_of": verdict_of, "means_latex": means_latex, "report_page": report_page}
    for name, ask in asked.items():
        said = f"{name.split(':')[0]}: results must be Results, as Results.of_trials makes them, got {nothing!r}"
        with pytest.raises(InvalidInput, match=f"^{re.escape(said)}$"):
            ask(nothing, *(() if ask is verdict_of else (0,)))
