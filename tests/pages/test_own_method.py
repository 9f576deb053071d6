"""A method of a family of its own, defined here, goes all the way: registry, experiment file, form, trial, report."""

import re
from collections.abc import Iterator

import numpy as np
import pytest

from ensembles.data import load_dataset
from ensembles.declarations import real
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.trials import plan_trials
from ensembles.methods.core.online import NO_VOTES, OnlineEnsemble
from ensembles.registry import register, unregister
from ensembles.reports.html_report import report_page
from storage import Storage
from tests.pages.conftest import OpenPage
from tests.pages.test_new_experiment import launch

DOCUMENT = """
name: By lot
seed: 3
datasets: [iris]
learners:
- {method: single, base: naive_bayes}
- {method: lottery, base: naive_bayes, n_estimators: 7, luck: 0.25}
protocol: {kind: cross_validation, repeats: 1, folds: 2, orders: 1}
measures: [accuracy]
curves: [learning_curve, member_errors]
"""


class LotteryClassifier(OnlineEnsemble):
    """A member learns an example if it draws a ticket."""

    key = "lottery"
    name = "Lottery"
    family = "games of chance"
    summary = "Every member learns what it draws a ticket for."
    source = "This test"
    weighted = False
    luck: float = real(default=0.5, label="Luck", help="Share of the tickets that win.", low=0.0, high=1.0)

    def _learn(self, rows, examples, votes=NO_VOTES):  # type: ignore[no-untyped-def]
        for start, draws in self._blocks(len(examples.labels)):
            self._show(rows, examples, start, (draws < self._given.luck).astype(np.int16), votes)
        self._all_vote(self._given.n_estimators, examples)


@pytest.fixture
def _lottery() -> Iterator[None]:
    register(LotteryClassifier)
    yield
    unregister("lottery")


@pytest.mark.usefixtures("_lottery")
def test_a_method_defined_here_goes_from_a_file_to_a_report(open_page: OpenPage, storage: Storage) -> None:
    config = ExperimentConfig.from_yaml(DOCUMENT)
    assert ExperimentConfig.from_yaml(config.to_yaml()) == config

    app = open_page("new_experiment.py")
    app.get("file_uploader")[0].set_value(("lots.yaml", DOCUMENT.encode(), "application/yaml")).run()
    assert not app.exception
    row = next(pills for pills in app.pills if pills.label == "Games of chance, online")
    assert (row.options, row.value) == (["Lottery"], ["lottery"])
    assert "Lottery" in [popover.proto.popover.label for popover in app.get("popover")]
    luck = next(box for box in app.number_input if box.label == "Luck")
    assert (luck.value, luck.min, luck.max) == (0.25, 0.0, 1.0)
    luck.set_value(0.75).run()
    launched = launch(app, storage)
    assert launched.learners[1].settings == {"n_estimators": 7, "luck": 0.75}

    dataset = load_dataset("iris")
    record = storage.list_experiments()[0]
    ran = [(plan, run_trial(plan, dataset, launched)) for plan in plan_trials(launched, [dataset])]
    assert [result.error for _, result in ran] == [None] * 4
    storage.save_trials(record.id, ran)

    results = storage.load_results(record.id)
    page = re.sub(r"<script.*?</script>", "", report_page(results, launched.measures), flags=re.DOTALL)
    assert results.mean("accuracy").loc[0, 1] > 0.8
    assert launched.learners[1].label == "Lottery of 7 naive Bayes"
    assert ">Lottery</" in page
    app = open_page("results.py", experiment=record.id)
    assert any("Lottery" in one.value for one in app.markdown)


@pytest.mark.usefixtures("_lottery")
def test_it_draws_by_a_purpose_of_its_own_and_alike_every_time() -> None:
    X, y = load_dataset("iris").table, load_dataset("iris").labels
    first, again, other = (
        LotteryClassifier(n_estimators=3, random_state=seed).fit(X, y).predict_proba(X) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()
