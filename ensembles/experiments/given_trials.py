"""Trials that were run in Python, looked through before they become results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ensembles.errors import InvalidInput
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.trials import is_planned
from ensembles.experiments.yaml_io import shown

__all__ = ["checked_trials", "place_of"]


def checked_trials(
    owner: str, config: ExperimentConfig, trials: Iterable[Any], datasets: Sequence[Any]
) -> list[tuple[TrialPlan, TrialResult]]:
    """Return the trials by place.

    Raises
    ------
    InvalidInput
        What is no pair of a plan and its result, a result of another plan, a trial of another experiment or on another data
        set, or one that is there twice; or what is no list of data sets.
    """
    if not isinstance(datasets, list | tuple) or not all(hasattr(dataset, "sha256") for dataset in datasets):
        raise InvalidInput(f"{owner}: datasets must be a list of those of the experiment, got {shown(datasets)}")
    pairs = sorted((_pair(owner, trial) for trial in trials), key=lambda pair: place_of(pair[0]))
    before: TrialPlan | None = None
    for plan, result in pairs:
        if plan.key != result.key:
            raise InvalidInput(f"{owner}: each plan must stand beside its result, got one of {plan!r}")
        if before and place_of(before) == place_of(plan):
            raise InvalidInput(f"{owner}: each trial may be there once, got two of {plan!r}")
        if not is_planned(config, plan):
            raise InvalidInput(
                f"{owner}: each trial must be one of the experiment, whose learners, protocol, seed, measures or curves "
                f"were others for {plan!r}"
            )
        if plan.dataset < len(datasets) and plan.sha256 not in ("", datasets[plan.dataset].sha256):
            raise InvalidInput(
                f"{owner}: datasets must be those that the trials ran on, got {datasets[plan.dataset].name} for {plan!r}"
            )
        before = plan
    return pairs


def place_of(plan: TrialPlan) -> tuple[int, ...]:
    """Return by what trials are in order, and told apart."""
    return plan.dataset, plan.learner, plan.repeat, plan.fold, plan.order


def _pair(owner: str, trial: Any) -> tuple[TrialPlan, TrialResult]:
    match trial:
        case (TrialPlan() as plan, TrialResult() as result):
            return plan, result
    raise InvalidInput(f"{owner}: trials must be pairs of a plan and its result, got {shown(trial)}")
