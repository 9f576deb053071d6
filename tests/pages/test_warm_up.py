"""What a server does before anybody opens results, so that the first one need not wait for it."""

from typing import Any

import pytest

from ensembles.experiments.first_experiment import first_experiment
from pages.parts.results import warm_up as module
from pages.parts.results.warm_up import warm_up


def test_a_verdict_on_all_learners_of_an_experiment_is_drawn_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    charts: list[Any] = []
    draw = module.verdict_chart
    monkeypatch.setattr(module, "verdict_chart", lambda *given: charts.append(draw(*given)) or charts[0])
    warm_up()
    [chart] = charts
    assert sorted(chart.numbers["Learner"]) == sorted(first_experiment().labels())
    assert "best" in {*chart.numbers["Verdict"]}
