"""What an experiment file would cost, without running anything."""

from pathlib import Path
from typing import Any

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.estimate import Estimate, estimate_seconds
from ensembles.experiments.resolve import resolve_datasets, resolve_test_dataset, with_stored_datasets
from ensembles.experiments.trials import check_plan
from ensembles.reports.estimate_words import estimate_words
from ensembles.reports.formatting import pluralize
from runner.commands.experiment_file import telling_left_out
from storage import Storage

__all__ = ["plan_experiment", "plan_facts", "plan_text"]

_BUDGET = 30.0  # seconds; nobody looks at a page that stands still


def plan_experiment(config: ExperimentConfig, storage: Storage, folder: Path, workers: int) -> Estimate:
    """Return how many trials an experiment has and how long they may take; nothing is run and nothing stored.

    Raises
    ------
    InvalidInput
        A file cannot be used, or the data sets do not go with the experiment.
    """
    with telling_left_out():
        datasets = resolve_datasets(config, storage.open_dataset, folder)
        test_dataset = resolve_test_dataset(config, datasets[0], storage.open_dataset, folder)
        check_plan(config, datasets)
    config = with_stored_datasets(config, datasets, test_dataset)  # times are known by what is in files
    return estimate_seconds(
        config,
        datasets,
        test_dataset=test_dataset,
        workers=workers,
        starts_workers=True,
        past=storage.find_past_trials(config),
        budget=_BUDGET,
    )


def plan_facts(config: ExperimentConfig, estimate: Estimate, workers: int) -> dict[str, Any]:
    """Return what `run --plan --json` prints."""
    return {
        "name": config.name,
        "trials": estimate.trials,
        "seconds": [round(estimate.low, 3), round(estimate.high, 3)],
        "measured": estimate.measured,
        "past_trials": estimate.past_trials,
        "workers": workers,
    }


def plan_text(config: ExperimentConfig, estimate: Estimate, workers: int) -> str:
    """Return the same as a sentence."""
    return f"{config.name}: {pluralize(estimate.trials, 'trial')}, {estimate_words(estimate, workers)}"
