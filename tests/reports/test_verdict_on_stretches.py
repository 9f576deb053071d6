"""The verdict on a stream of which it is known only how many predictions were right on each stretch."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ensembles.evaluation.verdict_on_examples import on_predictions
from ensembles.experiments.protocol_spec import Prequential
from ensembles.reports.predictions import mcnemar_table
from ensembles.reports.verdict import verdict_of
from tests.reports.made_up import make_curve
from tests.reports.test_verdict import GAINS, lines, made


def test_a_stream_that_is_too_long_to_be_kept_is_told_by_its_stretches():
    rng = np.random.default_rng(2)
    right = [rng.random(5000) < share for share in (0.7, 0.9, 0.897)]
    curves = []
    for learner, head in enumerate((0, 30, 0)):  # the encoder of the second learned the head
        places = [head, *range(50, 5001, 50)]
        counts = [float(right[learner][a:b].sum()) for a, b in pairwise(places)]
        curves += make_curve(0, learner, [*map(float, places)], [*counts, 0.0], curve="right_on_stretches")
        curves += make_curve(0, learner, [0.0, 5000.0], [9.0, 0.0], curve="right_on_stretches", order=1)
    results = made(1, GAINS[:3], Prequential(orders=2), curves=curves, kept=("predictions",))
    verdict = verdict_of(results)
    shared = np.column_stack(right)[50:]
    assert verdict.to_plain()["measure"] == "error"
    assert verdict.to_plain()["test"] == "long_run"
    assert verdict.means == pytest.approx(1 - shared.mean(axis=0))
    assert verdict.comparison.n == 4950
    said = lines(verdict)
    assert said["Best"].startswith(f"AdaBoost, error {1 - shared[:, 1].mean():.4f} [0.")
    assert (
        "(t-test with the variance over the long run on 4,950 examples, adjusted by Holm for all 3 pairs of learners"
        in said["Cannot be told from it"]
    )
    assert said["Best"].endswith("in the first of 2 orders.")
    in_order = results.config.model_copy(update={"protocol": Prequential(orders=2, shuffle=False)})
    assert not lines(verdict_of(replace(results, config=in_order)))["Best"].endswith("orders.")
    assert verdict_of(results, measure="accuracy").means == pytest.approx(shared.mean(axis=0))
    assert mcnemar_table(results)["p"].isna().all()
    rated = replace(results, trials=results.trials.assign(kappa=0.5))
    assert {"error", "accuracy"} <= {*rated.measures}
    advice = lines(verdict_of(rated, measure="kappa"))["Too little to tell"]
    assert "A stream is one split; error and accuracy can be tested on it" in advice


def test_where_a_class_has_too_few_examples_it_is_said():
    true, told = np.zeros(1000, dtype=int), np.zeros((1000, 2))
    true[500], told[500, 0], told[:30] = 1, 1, 1
    found = verdict_of(made(1, GAINS[:2], Prequential()))
    for measure, examples, more in (
        ("balanced_accuracy", slice(None), ": by this measure a class with fewer than 20 counts too much"),
        ("balanced_accuracy", slice(480, 505), ""),
    ):
        comparison = on_predictions(measure, true[examples], told[examples])
        verdict = replace(found, measure=measure, comparison=comparison)
        assert lines(verdict)["Too little to tell"].endswith(f". {comparison.n:,} examples cannot tell{more}.")
