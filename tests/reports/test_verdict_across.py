"""The verdict on experiments put together that share no split: nobody is lost, and the words say what was compared."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ensembles.evaluation.right_or_wrong import RIGHT_OR_WRONG, pack_right
from ensembles.experiments.joined import join_results
from ensembles.experiments.results import CURVE_COLUMNS, Results
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_figure import verdict_chart
from ensembles.reports.verdict_rows import Units
from ensembles.reports.verdict_words import how_it_was_tested, verdict_sentences
from tests.experiments.test_joined import make_config, run
from tests.reports.test_verdict import made

SETS = ("iris", "wine", "glass", "nursery", "car", "digits", "breast_cancer")


def joined(datasets: tuple[str, ...]) -> Results:
    ours, others = make_config(("single", "bagging"), datasets), make_config(("adaboost",), datasets, seed=2)
    return join_results([("A", run(ours)), ("B", run(others))]).results


def test_on_one_data_set_means_are_compared_by_welchs_test() -> None:
    verdict = verdict_of(joined(SETS[:1]))
    assert (verdict.comparison.test, verdict.comparison.n) == ("unpaired", 4)
    assert verdict.to_plain()["test"] == "unpaired"
    assert len(verdict.standing("best", "tied", "worse")) == 3
    told = " ".join([*verdict_sentences(verdict), how_it_was_tested(verdict)])
    assert "Welch's for those that share no splits with the best, over 4 or more splits each" in told
    assert "There are" not in told
    assert "Not even" not in told


def test_over_data_sets_means_are_ranked() -> None:
    verdict = verdict_of(joined(SETS))
    assert (verdict.comparison.test, verdict.comparison.n) == ("wilcoxon", 7)
    assert len(verdict.standing("best", "tied", "worse")) == 3
    assert not np.isnan(verdict.means).any()


def stream(methods: tuple[str, ...], **changes: Any) -> Results:
    """Return two orders of a stream, of which whether predictions were right is kept."""
    protocol = {"kind": "prequential", "orders": 2, **changes.pop("protocol", {})}
    found = run(make_config(methods, protocol=protocol, **{"curves": [], **changes}))
    rng = np.random.default_rng(found.config.seed)
    curves = []
    for place in found.trials[["dataset", "learner", "repeat", "fold", "order"]].to_dict("records"):
        kept = pack_right(0, rng.random(400) < 0.9 - 0.5 * (methods[place["learner"]] == "ogboost"))
        curves += [{**place, "curve": RIGHT_OR_WRONG, "x": x, "y": y} for x, y in zip(kept.x, kept.y, strict=True)]
    return Results(
        found.config, found.dataset_names, found.learner_labels, found.trials, pd.DataFrame(curves)[list(CURVE_COLUMNS)]
    )


def test_streams_in_other_orders_are_compared_at_the_same_places() -> None:
    parts = [("A", stream(("online_bagging", "online_boosting"))), ("B", stream(("ogboost",), seed=2))]
    found = join_results(parts)
    [note] = found.notes
    assert note.startswith(
        "Not paired, as their orders differ: A (prequential, 2 orders, seed 1); B (prequential, 2 orders"
    )
    verdict = verdict_of(found.results)
    assert verdict.comparison.n == 400
    assert [row.learner for row in verdict.standing("worse")] == [2], "not missing"


def test_streams_that_ask_other_questions_are_said_to() -> None:
    late = stream(("ogboost",), protocol={"label_delay": 9})
    [note] = join_results([("A", stream(("online_bagging",))), ("B", late)]).notes
    assert note.startswith(
        "Not paired, as they ask other questions: A (prequential, 2 orders, seed 1); B (prequential, 2 "
    )
    assert "orders, labels 9 examples late, seed 1)" in note


def test_streams_in_other_orders_are_compared_by_other_measures_too() -> None:
    def classes(part: Results) -> Results:
        rng = np.random.default_rng(part.config.seed)
        curves = []
        for place in part.trials[["dataset", "learner", "repeat", "fold", "order"]].to_dict("records"):
            true = rng.integers(0, 2, 400)
            told = np.where(rng.random(400) < (0.9 if part.config.seed == 1 else 0.6), true, 1 - true)
            for name, values in (("predictions", told), ("predictions_true", true)):
                curves += [{**place, "curve": name, "x": float(x), "y": float(y)} for x, y in enumerate(values)]
        kept = pd.DataFrame(curves)[list(CURVE_COLUMNS)]
        return Results(part.config, part.dataset_names, part.learner_labels, part.trials, kept)

    kept = {"curves": ["predictions"], "measures": ["kappa"]}
    parts = [
        ("A", classes(stream(("online_bagging", "online_boosting"), **kept))),
        ("B", classes(stream(("ogboost",), seed=2, **kept))),
    ]
    verdict = verdict_of(join_results(parts).results, measure="kappa")
    assert [row.learner for row in verdict.standing("worse")] == [2], "not missing"
    assert verdict.means[2] < 0.4 < min(verdict.means[:2])


def test_a_stream_as_it_comes_has_one_order_whatever_the_seed() -> None:
    as_it_comes = {"protocol": {"orders": 1, "shuffle": False}}
    parts = [("A", stream(("online_bagging",), **as_it_comes)), ("B", stream(("ogboost",), seed=2, **as_it_comes))]
    found = join_results(parts)
    assert found.notes == ()
    assert found.results.config.protocol.splits == (1, 1)
    assert set(found.results.trials["order"]) == {0, 1}, "the orders of one are those of the other"


def test_learners_that_share_no_data_set_are_told_so() -> None:
    parts = [make_config((method,), datasets) for method, datasets in (("single", SETS[:1]), ("bagging", SETS[1:3]))]
    apart = join_results([(config.learners[0].method, run(config)) for config in parts]).results
    verdict = verdict_of(apart)
    why = "no data set has results of all learners, which a comparison over data sets needs."
    assert verdict_sentences(verdict) == [f"No verdict: {why}"]
    assert verdict_chart(apart, verdict).caption == f"Nothing to draw: {why}"


def test_why_learners_may_not_be_alike_though_none_is_told_apart_is_said() -> None:
    names = ("iris", "wine", "digits", "zoo", "car", "glass", "sonar", "vehicle")
    told = verdict_of(made(2, (0.0, 0.1, 0.05), datasets=names))
    clause = "asks whether any differ at all, not which, so that no two need be told apart."
    assert clause not in how_it_was_tested(told)
    rows = tuple(row._replace(standing="tied") if row.standing == "worse" else row for row in told.rows)
    alike = replace(told, comparison=told.comparison._replace(rows=rows))
    assert clause in how_it_was_tested(alike)
    assert clause not in how_it_was_tested(replace(alike, comparison=alike.comparison._replace(all_alike=0.3)))


@pytest.mark.parametrize("units", ["rank", "relative"])
def test_experiments_that_share_one_data_set_are_compared_over_1_data_set(units: Units) -> None:
    ours, others = make_config(("single", "bagging"), SETS[:2]), make_config(("adaboost",), SETS[1:3], seed=2)
    results = join_results([("A", run(ours)), ("B", run(others))]).results
    verdict = verdict_of(results)
    assert (verdict.n_datasets, verdict.comparison.n) == (3, 1)
    caption = verdict_chart(results, verdict, units=units).caption
    assert "over 1 data set" in caption
    assert "1 data sets" not in caption
