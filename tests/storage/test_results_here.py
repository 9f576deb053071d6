"""Results without a database: the same tables as of trials that are stored."""

import pandas as pd
import pytest

from ensembles.errors import InvalidInput
from ensembles.experiments.results import Results
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


def test_files_are_called_by_their_data_sets() -> None:
    config = make_config({"file": "folder/fruit.csv", "target": "kind"}, "iris")
    assert Results.of_trials(config, []).datasets == ("folder/fruit.csv", "Iris")
    assert Results.of_trials(config, [], [make_dataset("Fruit")]).datasets == ("Fruit", "Iris")
