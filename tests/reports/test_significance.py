import io
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ensembles.evaluation.effects import bayesian_signed_rank
from ensembles.reports import significance
from ensembles.reports.figure_data import scatter_points
from ensembles.reports.html_report import report_page
from ensembles.reports.markup import frame_html, frame_latex, latex_text, marked_html, marked_latex, marked_text
from ensembles.reports.over_datasets import compare_over_datasets, rank_learners, rank_table
from ensembles.reports.rank_figure import RankBar, RankDiagram, RankRow, rank_diagram, rank_figure
from ensembles.reports.scatter_figure import scatter_figure
from ensembles.reports.significance import Question, all_pairs, can_be_tested, cell_finding, marked_means
from ensembles.reports.style import learner_styles
from ensembles.reports.tables import mean_table, single_models, to_csv
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_words import chances_words
from tests.reports.eight_learners import LEARNERS, make_eight
from tests.reports.made_up import make_config, make_results, make_trial

ACCURACY = Question("accuracy")


@pytest.fixture(scope="module")
def results():
    return make_eight()


def by_hand(results, dataset, first, second, ratio):
    """Return the p-value of a t-test, written out."""
    trials = results.trials[results.trials["dataset"] == dataset]
    one, other = (
        trials[trials["learner"] == learner].groupby(["repeat", "fold"])["accuracy"].mean()
        for learner in (first, second)
    )
    gains = (other - one).to_numpy()
    t = gains.mean() / math.sqrt((1 / len(gains) + ratio) * gains.var(ddof=1))
    return 2 * stats.t.sf(abs(t), len(gains) - 1)


@pytest.mark.parametrize(("test", "ratio"), [("corrected", 0.25), ("paired", 0.0)])
def test_a_cell_is_tested_on_means_over_orders_with_the_share_of_the_trials(results, test, ratio):
    for dataset in range(4):
        found = cell_finding(results, Question("accuracy", test), dataset, 1, 4)
        assert found.n == 10
        assert found.p_value == pytest.approx(by_hand(results, dataset, 1, 4, ratio))
        assert found.test == test


def test_the_marks_are_those_of_single_tests_against_the_single_model_of_the_base_model(results):
    assert single_models(results.config.learners) == (0, 0, 0, 0, 0, 0, 6, 6)
    table = marked_means(results, ACCURACY, other=3)
    pd.testing.assert_frame_equal(table.means, mean_table(results, "accuracy"))
    for learner, single in enumerate(single_models(results.config.learners)):
        for dataset in range(4):
            mark, dagger = table.marks.iloc[dataset, learner], table.daggers.iloc[dataset, learner]
            assert mark == (
                "unknown" if learner == single else cell_finding(results, ACCURACY, dataset, single, learner).verdict
            )
            assert dagger == (
                "unknown" if learner == 3 else cell_finding(results, ACCURACY, dataset, 3, learner).verdict
            )
    assert set(table.marks.iloc[:, 3]) == set(table.marks.iloc[:, 7]) == {"better"}
    assert set(table.marks.iloc[:, 5]) == {"worse"}
    assert "single model of the same base model" in table.legend()
    assert "‡ worse than AdaBoost" in table.legend()
    better, worse = ((table.marks == verdict).to_numpy().sum() for verdict in ("better", "worse"))
    assert table.sentence == (
        f"Of 24 tested cells, {better} better and {worse} worse than the single model of the same base model."
    )


def test_with_the_error_the_verdicts_stay(results):
    error = marked_means(results, Question("error"), reference=1)
    assert error.marks.equals(marked_means(results, ACCURACY, reference=1).marks)
    assert error.reference == results.learners[1]
    assert all_pairs(results, Question("error")).to_frame().equals(all_pairs(results, ACCURACY).to_frame())


def test_all_pairs_are_single_tests_counted(results):
    pairs = all_pairs(results, ACCURACY)
    for row in range(8):
        for column in range(8):
            found = [cell_finding(results, ACCURACY, d, column, row).verdict for d in range(4) if row != column]
            counts = pairs.wins[row, column], pairs.ties[row, column], pairs.losses[row, column]
            assert counts == (found.count("better"), found.count("equal"), found.count("worse"))
    assert (pairs.wins == pairs.losses.T).all()
    assert pairs.to_frame().iloc[3, 0] == "4 / 0 / 0"
    assert pairs.to_frame().iloc[0, 0] == "–"


def test_ranks_in_the_figure_are_ranks_in_the_table_are_ranks_of_the_means(results):
    ranks = rank_learners(results, ACCURACY, control=0)
    expected = (-mean_table(results, "accuracy")).rank(axis=1).mean()
    assert ranks.average_ranks == pytest.approx(expected.tolist())
    table, diagram = rank_table(ranks), rank_diagram(ranks)
    assert table["Average rank"].tolist() == sorted(expected)
    assert [row.rank for row in diagram.rows] == table["Average rank"].tolist()
    assert [row.label for row in diagram.rows] == table["Learner"].tolist()
    marks = rank_figure(diagram, learner_styles(results.config.learners)).data[0]
    assert list(marks.x) == table["Average rank"].tolist()
    assert table.loc[table["Learner"] == results.learners[0]].iloc[0, 2:].isna().all()


def test_a_scatterplot_fills_the_points_that_differ_significantly(results):
    scatter = scatter_points(results, 0, 2, "error")
    found = [cell_finding(results, Question("error"), dataset, 0, 2).verdict for dataset in range(4)]
    assert [point.significant for point in scatter.points] == [verdict != "equal" for verdict in found]
    certain = scatter_points(results, 0, 3, "error")
    assert certain.caption.endswith("Filled: significant, on 4 of 4 (corrected resampled t-test, at 0.05).")
    assert certain.to_frame()["Significant"].tolist() == ["yes"] * 4
    symbols = [list(scatter_figure(each).data[1].marker.symbol) for each in (scatter, certain)]
    assert symbols == [["circle" if point.significant else "circle-open" for point in scatter.points], ["circle"] * 4]
    assert not all(point.significant for point in scatter.points)


def test_a_single_split_is_never_drawn_as_tested():
    stream = make_results([make_trial(0, learner, 0.5 + learner / 10, order=o) for learner in (0, 1) for o in range(5)])
    scatter = scatter_points(stream, 0, 1)
    assert not can_be_tested(stream)
    assert {*scatter_figure(scatter).data[1].marker.symbol} == {"circle-open"}
    assert "not tested" in scatter.caption
    latex = marked_latex(marked_means(stream, ACCURACY))
    assert "None is marked: a test by splits takes the single model of the same base model, another learner" in latex
    assert "significantly" not in latex
    report = report_page(stream, ["accuracy"])
    assert "differences between splits are about normal" not in report


def test_bars_of_the_diagram_join_what_does_not_differ(results):
    ranks = rank_learners(results, ACCURACY)
    diagram = rank_diagram(ranks)
    joined = {
        (a, b) for bar in diagram.bars for a in range(bar.first, bar.last + 1) for b in range(a + 1, bar.last + 1)
    }
    for a, low in enumerate(diagram.rows):
        for b, high in enumerate(diagram.rows[a + 1 :], a + 1):
            assert ((a, b) in joined) == (high.rank - low.rank < diagram.critical_difference)
            assert ((a, b) in joined) == (ranks.nemenyi[low.learner][high.learner] > 0.05)
    for one, other in zip(diagram.bars, diagram.bars[1:], strict=False):
        assert one.lane != other.lane or other.first > one.last


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_diagram_draws_its_record_and_names_are_never_markup(theme):
    rows = tuple(RankRow(place, f"<b>{place}</b>", 1.5 + place) for place in range(3))
    diagram = RankDiagram(rows, (RankBar(0, 1, 0), RankBar(1, 2, 1)), 1.2, 6, 0.05)
    figure = rank_figure(diagram, learner_styles(make_config().learners), theme)
    difference, *bars = figure.layout.shapes
    assert difference.x1 - difference.x0 == pytest.approx(1.2)
    assert [(math.ceil(bar.y0), math.floor(bar.y1)) for bar in bars] == [(0, 1), (1, 2)]
    assert bars[0].x0 < bars[1].x0 < figure.layout.margin.r
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;0&lt;/b&gt;"
    assert figure.layout.xaxis.range[1] >= difference.x1
    assert "<b>0</b> leads with 1.50" in diagram.caption
    tied = RankDiagram((RankRow(0, "a", 1.5), RankRow(1, "b", 1.5), RankRow(2, "c", 3.0)), (), 1.2, 6, 0.05)
    assert "2 learners share 1.50" in tied.caption


def test_two_learners_over_data_sets(results):
    found = compare_over_datasets(results, ACCURACY, 0, 3)
    assert (found.counts.wins, found.counts.losses) == (4, 0)
    assert found.ranks.p_value == pytest.approx(0.125)
    assert found.posterior.better > 0.9
    errors = mean_table(results, "error")
    relative = ((errors.iloc[:, 0] - errors.iloc[:, 3]) / errors.iloc[:, 0]).mean()
    assert found.reduction.average_relative == pytest.approx(relative)
    assert len(found.findings) == 4
    assert compare_over_datasets(results, Question("mse"), 0, 3).reduction is None


def test_of_amounts_the_margin_is_a_share_of_the_larger_one():
    hours = [(4e-9, 2e-9), (3e-7, 1e-7), (0.0, 0.0), (2e3, 1e3), (5e-8, 4e-8)]
    datasets = ("iris", "wine", "car", "nursery", "digits")
    trials = [
        make_trial(d, learner, 0.9 - learner / 10, ram_hours=hours[d][learner], repeat=0, fold=fold)
        for d in range(len(datasets))
        for learner in (0, 1)
        for fold in (0, 1)
    ]
    results = make_results(trials, config=make_config(datasets=datasets), names=datasets)
    found = compare_over_datasets(results, Question("ram_hours"), 0, 1).posterior
    shares = bayesian_signed_rank([1.0, 1.0, 0.0, 1.0, 1.0], [0.5, 1 / 3, 0.0, 0.5, 0.8], lower_is_better=True)
    assert (found.better, found.worse) == (shares.better, shares.worse)
    assert found.better > 0.9
    assert "equivalent (within 0.01 of the larger one) " in found.sentence
    assert "equivalent (within 0.01) " in compare_over_datasets(results, ACCURACY, 0, 1).posterior.sentence


@pytest.mark.parametrize(("measure", "margin"), [("ram_hours", "0.01 of it"), ("accuracy", "0.01")])
def test_the_words_on_chances_say_the_margin_of_the_measure(measure, margin):
    values = [
        make_trial(0, k, 0.9 + k * r / 100, ram_hours=3e-7 + k * r * 1e-8, repeat=r) for k in (0, 1) for r in range(4)
    ]
    results = make_results(values, config=make_config(datasets=["iris"]), names=["Iris"])
    assert f"(a difference of up to {margin})" in chances_words(verdict_of(results, measure=measure))


def test_the_table_as_csv_latex_html_and_text_says_the_same(results):
    table = marked_means(results, ACCURACY, other=3)
    csv = pd.read_csv(io.StringIO(to_csv(table.to_frame())))
    assert csv[results.learners[3]].tolist() == pytest.approx(table.means.iloc[:, 3].tolist())
    latex, page, text = marked_latex(table), marked_html(table), marked_text(table)
    n_better = int((table.marks == "better").to_numpy().sum())
    assert latex.count(r"\textbf{") == page.count('class="better"') == n_better
    assert latex.count(r"\textit{") == page.count('class="worse"') == int((table.marks == "worse").to_numpy().sum())
    n_daggers = int((table.daggers == "better").to_numpy().sum())
    assert latex.count(r"$^{\dagger}$") == page.count("<sup>†</sup>") == n_daggers
    assert int(np.sum([cell.count("+") for cell in text.to_numpy().ravel()])) == n_better
    for mean in table.means.to_numpy().ravel():
        assert f"{mean:.4f}" in latex
        assert f"{mean:.4f}" in page
    assert "<b>" not in page
    assert r"Digits \& \textless{}b\textgreater{}letters" in latex
    assert r"Balance\_scale" in latex


def test_other_tables_are_escaped_too():
    frame = pd.DataFrame({"<i>": ["a-b & b"], "n": [12345], "x": [-0.5], "none": [math.nan], "p": [1e-17]})
    assert "<td>12,345</td><td>-0.5000</td><td>–</td><td>&lt; 0.0001</td>" in frame_html(frame)
    assert '<th class="left">&lt;i&gt;</th>' in frame_html(frame)
    assert r"a-b \& b & 12,345 & $-$0.5000 & -- & \textless{} 0.0001 \\" in frame_latex(frame)
    assert frame_latex(frame, index="row").startswith(r"\begin{tabular}{llrrrr}")
    assert latex_text("50 %\n\\{}_^~#$") == r"50 \% \textbackslash{}\{\}\_\textasciicircum{}\textasciitilde{}\#\$"
    assert latex_text("a---b|''c") == r"a-{}-{}-b\textbar{}'{}'c"
    assert "\n{}[a] & *" in frame_latex(pd.DataFrame({"x": ["[a]"], "y": ["*"]}))


def texts(results, reference=None):
    """Return every sentence there is about these results."""
    table, pairs = marked_means(results, ACCURACY, reference), all_pairs(results, ACCURACY)
    ranks, pair = (
        rank_learners(results, ACCURACY),
        compare_over_datasets(results, ACCURACY, 0, len(results.learners) - 1),
    )
    sentences = [table.caption, pairs.sentence, ranks.sentence, ranks.holm_sentence]
    sentences += [part for finding in pair.findings for part in (finding.sentence, finding.assumes)]
    assert all(sentence.endswith(".") for sentence in sentences)
    assert not any("nan" in sentence.lower() for sentence in sentences)
    marked_latex(table), marked_html(table), pairs.to_frame(), rank_table(ranks) if ranks.has_answer else None
    return " ".join(sentences)


def test_degenerate_experiments_get_sentences():
    one_split = make_results([make_trial(0, learner, 0.8) for learner in range(3)])
    said = texts(one_split)
    assert "No cell can be tested" in said
    assert "On a stream or given test set, the verdict tells learners apart by examples" in said
    assert "Bold" not in said
    assert "No pair of learners can be tested" in said
    assert "it needs two data sets with results of all learners, got 1" in said

    lonely = make_results(
        [make_trial(0, 0, 0.8, fold=fold) for fold in range(2)],
        config=make_config([LEARNERS[1]]),
        names=("Iris", "Wine"),
    )
    assert "it needs three learners, got 1" in texts(lonely)

    same = make_results([make_trial(d, m, 0.8, fold=fold) for d in range(2) for m in range(3) for fold in range(2)])
    assert "No significant difference between the ranks" in texts(same)
    assert set(marked_means(same, ACCURACY).marks.iloc[:, 1]) == {"equal"}

    shifted = make_results(
        [make_trial(d, m, 0.8 + 0.01 * m, fold=fold) for d in range(2) for m in range(3) for fold in range(6)]
    )
    assert set(marked_means(shifted, ACCURACY).marks.iloc[:, 1]) == {"better"}
    texts(shifted)


def test_missing_cells_and_failed_trials_are_left_out_and_said():
    results = make_eight(missing={(0, 1)}, failing={(1, 3)})
    table = marked_means(results, ACCURACY)
    assert (table.marks.iloc[0, 1], table.marks.iloc[1, 3]) == ("unknown", "unknown")
    assert "Left out for missing results: 2." in texts(results)
    assert "–" in marked_html(table)
    whole = marked_means(make_eight(), ACCURACY)
    assert table.marks.iloc[2:].equals(whole.marks.iloc[2:])


def test_no_trial_at_all_is_no_reason_to_fail():
    failed = make_results([make_trial(0, learner, None) for learner in range(3)])
    assert "got 0" in texts(failed)


def test_without_a_single_model_all_are_compared_with_the_first_learner(results):
    assert significance.default_reference(results) is None
    pair = make_config(LEARNERS[1:3])
    trials = [
        make_trial(d, m, 0.5 + 0.3 * m + 0.001 * fold, fold=fold) for d in (0, 1) for m in (0, 1) for fold in (0, 1)
    ]
    page = report_page(make_results(trials, config=pair), ["accuracy"])
    assert "Bold: significantly better than Bagging" in page
    assert "No cell can be tested" not in page
