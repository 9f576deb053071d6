"""One learner on one train/test split in one order: train, time, test, measure."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import replace

from ensembles.data.dataset import Dataset
from ensembles.data.source import Source
from ensembles.errors import EnsembleLabError
from ensembles.evaluation.stream_watch import StreamWatch
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.trial_data import Trial
from ensembles.experiments.trial_runners import run_kind
from ensembles.experiments.trials import check_planned
from ensembles.experiments.warm_up import warm_up
from ensembles.jit import source_digest

__all__ = ["Cancelled", "reason_of", "run_trial"]

_LONGEST_REASON = 400


class Cancelled(EnsembleLabError):
    """The user wants the experiment to stop; the trial leaves nothing behind."""


def run_trial(
    plan: TrialPlan,
    dataset: Dataset | Source,
    config: ExperimentConfig,
    *,
    test_dataset: Dataset | None = None,
    should_stop: Callable[[], bool] | None = None,
    watch: StreamWatch | None = None,
) -> TrialResult:
    """Run one trial.

    Parameters
    ----------
    dataset : Dataset or Source
        `config.datasets[plan.dataset]`, loaded, or where it is read from batch by batch (`trials.check_streamed`).
    test_dataset : Dataset, optional
        The given test set, with the attributes and classes of `dataset` (`resolve_test_dataset`); needed by the
        protocol `given_split` and by no other.
    should_stop : callable, optional
        Asked before and during training.
    watch : StreamWatch, optional
        Who looks at it while it runs; of streams only. One that goes on from a snapshot comes to the same digits.

    Returns
    -------
    TrialResult
        With the sentence `error` and no measures when the learner fails. Accuracy is always among the measures. A
        confusion matrix is kept up to 100 classes.

    Raises
    ------
    Cancelled
        `should_stop` said so.
    InvalidConfig
        The data set is not that of the plan.
    """

    def pause() -> None:
        if should_stop is not None and should_stop():
            raise Cancelled("the experiment was cancelled")

    check_planned("run_trial", config, dataset, plan)
    pause()
    try:
        stream = isinstance(config.protocol, Prequential)
        warm_up(config.learners[plan.learner], dataset, stream=stream)
        pause()
        result = run_kind(Trial(plan, dataset, config, test_dataset, pause, watch))
        return replace(result, host=platform.node(), version=source_digest())
    except Cancelled:
        raise
    except Exception as error:
        sentence = f"{config.labels()[plan.learner]} on {dataset.name}: {reason_of(error)}"
        return TrialResult(plan.key, error=sentence, host=platform.node(), version=source_digest())


def reason_of(error: Exception) -> str:
    """Return why something failed, on one line; the kind of error is told unless it is one of ours."""
    text = " ".join(str(error).split())
    if not isinstance(error, EnsembleLabError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= _LONGEST_REASON else f"{text[: _LONGEST_REASON - 1]}…"
