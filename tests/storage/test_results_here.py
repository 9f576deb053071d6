"""Results without a database: the same tables as of trials that are stored."""

import pandas as pd
import pytest

from ensembles.data import load_dataset
from ensembles.errors import InvalidInput
from ensembles.experiments.results import Results
from ensembles.experiments.trials import plan_trials
from storage import Storage
from tests.storage.conftest import make_config, make_dataset
from tests.storage.test_trials import failure_of, plan_of, result_of


def test_results_of_trials_that_were_run_here_are_those_that_are_stored(storage: Storage) -> None:
    experiment = storage.create_experiment(make_config()).id
    plans = [plan_of(0, repeat=1), plan_of(1), plan_of(2, learner=1)]
    trials = [(plans[0], result_of(plans[0], 0.5)), (plans[1], failure_of(plans[1])), (plans[2], result_of(plans[2]))]
    storage.save_trials(experiment, trials)
    stored = storage.load_results(experiment, with_confusion=True)
    here = Results.of_trials(stored.config, trials)
    pd.testing.assert_frame_equal(here.trials, stored.trials, check_exact=True, check_dtype=False)
    pd.testing.assert_frame_equal(
        here.curves, stored.curves.astype({"curve": str}), check_exact=True, check_dtype=False
    )
    assert (here.datasets, here.learners, here.content(0)) == (stored.datasets, stored.learners, None)
    assert repr(here) == "<Results of Trial run: 3 trials, data sets x learners 1 x 2>"
    assert Results.of_trials(stored.config, []).measures == stored.measures
    with pytest.raises(
        InvalidInput, match=r"^Results.of_trials: each plan must stand beside its result, got one of Tri"
    ):
        Results.of_trials(stored.config, [(plans[0], result_of(plans[1]))])
    with pytest.raises(InvalidInput, match=r"^Results.of_trials: each trial may be there once, got two of TrialPlan"):
        Results.of_trials(stored.config, [*trials, trials[1]])


def test_what_is_no_plan_beside_its_result_is_refused() -> None:
    plan = plan_of(0)
    for wrong in ((result_of(plan), plan), result_of(plan), (plan, None), "no"):
        with pytest.raises(
            InvalidInput, match=r"^Results.of_trials: trials must be pairs of a plan and its result, got "
        ):
            Results.of_trials(make_config(), [wrong])  # type: ignore[list-item]


def test_trials_of_another_experiment_take_no_names_of_this_one() -> None:
    iris, wine = load_dataset("iris"), load_dataset("wine")
    first = make_config("iris")
    plans = plan_trials(first, [iris])
    trials = [(plan, result_of(plan)) for plan in plans]
    assert len(Results.of_trials(first, trials, [iris]).trials) == len(plans)
    assert len(Results.of_trials(first.model_copy(update={"name": "Another"}), trials).trials) == len(plans)
    others = [
        first.model_copy(update=change)
        for change in ({"learners": first.learners[::-1]}, {"learners": first.learners[:1]}, {"seed": 99})
    ]
    for other in others:
        with pytest.raises(InvalidInput, match=r"^Results.of_trials: each trial must be one of the experiment, whose "):
            Results.of_trials(other, trials)
    with pytest.raises(
        InvalidInput, match=r"^Results.of_trials: datasets must be those that .*, got Wine for TrialPlan"
    ):
        Results.of_trials(first, trials, [wine])
    for wrong in (iris, [iris.to_frame()]):
        with pytest.raises(
            InvalidInput, match=r"^Results.of_trials: datasets must be a list of those of the experiment"
        ):
            Results.of_trials(first, trials, wrong)


def test_files_are_called_by_their_data_sets() -> None:
    config = make_config({"file": "folder/fruit.csv", "target": "kind"}, "iris")
    assert Results.of_trials(config, []).datasets == ("folder/fruit.csv", "Iris")
    assert Results.of_trials(config, [], [make_dataset("Fruit")]).datasets == ("Fruit", "Iris")
