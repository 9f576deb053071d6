"""One address, one picture: whoever opens it later sees what its sender sees, though an experiment went on meanwhile."""

from itertools import product

import pytest

from ensembles.experiments.records import TrialPlan, TrialResult
from tests.pages.made_up_results import MEMBERS, figures, make_config, make_result

CONFIG = make_config(curves=("learning_curve", *MEMBERS))
PLANS = [
    TrialPlan(f"{number:032x}", d, m, r, f, 0)
    for number, (d, m, r, f) in enumerate(product(range(2), range(3), range(2), range(2)))
]
LAST_FIRST = [plan for plan in PLANS if plan.dataset == 1 and plan.learner != 1]
"""Trials that several workers may end first: one data set, and not all learners."""

VIEWS = ("Summary", "Scatterplots", "Significance", "Learning curves", "Members", "Hard examples", "Running time")


def choices(page):
    widgets = [*page.selectbox, *page.multiselect, *page.get("button_group")]
    return {widget.key: widget.value for widget in widgets}


@pytest.mark.parametrize("view", VIEWS)
def test_the_sender_and_the_recipient_of_an_address_see_the_same(storage, open_page, view):
    record = storage.create_experiment(CONFIG, n_trials=len(PLANS), runner="test", lease_seconds=3600)

    def finish(plans):
        storage.save_trials(record.id, [(plan, make_result(plan.key, plan, CONFIG)) for plan in plans])

    finish(LAST_FIRST)
    sender = open_page("results.py", experiment=record.id, view=view)
    finish([plan for plan in PLANS if plan not in LAST_FIRST])
    storage.finish(record.id, "finished", None, runner="test")
    sender.run()
    assert not sender.exception
    address = {name: value if isinstance(value, str) else value[0] for name, value in sender.query_params.items()}
    recipient = open_page("results.py", **address)
    assert choices(sender) == choices(recipient)
    assert figures(sender) == figures(recipient)


def test_a_view_of_failures_gives_way_to_the_summary_for_both(storage, open_page):
    record = storage.create_experiment(CONFIG, n_trials=len(PLANS), runner="test", lease_seconds=3600)
    first, second = PLANS[:2]
    failed = TrialResult(first.key, error="no member is better than guessing")
    storage.save_trials(record.id, [(first, failed)])
    sender = open_page("results.py", experiment=record.id)
    assert len(sender.dataframe) == 2
    storage.save_trials(record.id, [(second, make_result(second.key, second, CONFIG))])
    sender.run()
    recipient = open_page("results.py", experiment=record.id)
    for page in (sender, recipient):
        assert [one.value for one in page.header] == ["Verdict", "Means", "Error scatterplot", "Take a model home"]
