"""What an experiment file would cost, without running anything."""

from pathlib import Path
from typing import Any

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.estimate import estimate_seconds
from ensembles.experiments.resolve import resolve_datasets, resolve_test_dataset
from ensembles.experiments.trials import check_plan
from ensembles.reports.formatting import pluralize, seconds_range
from storage import Storage

__all__ = ["plan_experiment", "plan_text"]

_BUDGET = 30.0  # seconds; nobody looks at a page that stands still


def plan_experiment(config: ExperimentConfig, storage: Storage, folder: Path, workers: int) -> dict[str, Any]:
    """Return what `run --plan --json` prints; nothing is run and nothing stored.

    Raises
    ------
    InvalidInput
        A file cannot be used, or the data sets do not go with the experiment.
    """
    datasets = resolve_datasets(config, storage.get_dataset, folder)
    test_dataset = resolve_test_dataset(config, datasets[0], storage.get_dataset, folder)
    check_plan(config, datasets)
    estimate = estimate_seconds(
        config, datasets, test_dataset=test_dataset, workers=workers, starts_workers=True, budget=_BUDGET
    )
    return {
        "name": config.name,
        "trials": estimate.trials,
        "seconds": [round(estimate.low, 3), round(estimate.high, 3)],
        "measured": estimate.measured,
        "workers": workers,
    }


def plan_text(plan: dict[str, Any]) -> str:
    """Return the same as a sentence."""
    told = "" if plan["measured"] else ", a guess: not everything was measured"
    takes = f"{pluralize(plan['trials'], 'trial')}, {seconds_range(*plan['seconds'])}"
    return f"{plan['name']}: {takes} on {pluralize(plan['workers'], 'worker')}{told}"
