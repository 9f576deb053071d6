"""Seconds of trials that train on many sets, which are sums: what is told are those of one."""

import math

import pytest

from ensembles.experiments.config import BiasVariance
from ensembles.experiments.joined import join_results
from ensembles.experiments.results import Results
from ensembles.reports.charts import time_chart
from ensembles.reports.tables import time_table
from ensembles.reports.trade_off import trade_off_of
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_words import verdict_lines
from tests.reports.made_up import LEARNERS, make_config, make_results, make_trial


def made(training_sets: int, learner: int = 0, seconds: float = 8.0) -> Results:
    config = make_config(LEARNERS[learner : learner + 1], ("iris",))
    protocol = BiasVariance(repeats=2, training_sets=training_sets)
    times = {"fit_cpu_seconds": seconds, "fit_seconds": seconds, "predict_cpu_seconds": seconds / 4}
    trials = [make_trial(0, 0, 0.8, repeat=repeat, n_train=100, n_test=50, **times) for repeat in range(2)]
    return make_results(trials, config=config.model_copy(update={"protocol": protocol}), names=("Iris",))


def test_they_are_of_one_training_set() -> None:
    found = made(4)
    assert time_table(found)["Processor seconds to train"].tolist() == [2.0]
    trade_off = trade_off_of(found)
    assert trade_off is not None
    assert trade_off.seconds == pytest.approx([2.0 / 100 * 1000 + 0.5 / 50 * 1000])
    assert dict(verdict_lines(verdict_of(found)))["Cost"] == (
        "2.5 s of processor time to train and predict (median trial, mean over its training sets)."
    )
    assert "one of the 4 training sets of a trial" in time_chart(found).caption


def test_they_can_be_compared_where_experiments_have_different_numbers_of_sets() -> None:
    joined = join_results([("four", made(4)), ("eight", made(8, learner=1))]).results
    assert sorted(time_table(joined)["Processor seconds to train"]) == [1.0, 2.0]
    assert not any(map(math.isnan, verdict_of(joined).costs))
