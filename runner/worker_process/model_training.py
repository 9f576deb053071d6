"""What a worker process does for a model to take home: it trains a learner on all examples, or reads a snapshot of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ensembles.errors import InvalidData
from ensembles.evaluation.stream_watch import StreamWatch
from ensembles.experiments.records import KeptModel, TrialPlan, TrialResult
from ensembles.experiments.run_trial import Cancelled, reason_of
from ensembles.experiments.stream_model import model_of_snapshot
from ensembles.experiments.whole import train_whole
from runner.worker_process.tasks import ExperimentContext

__all__ = ["ModelContext"]

_MIB = 2**20


@dataclass(frozen=True)
class ModelContext(ExperimentContext):
    """All that it needs: an experiment of one learner and one data set, whose protocol tells the order of examples.

    Attributes
    ----------
    of_trial : bool
        Whether it is the model that a trial on a stream has come to, from its snapshot, not one that is trained.
    """

    of_trial: bool = False

    @property
    def is_stream(self) -> bool:
        """Whether a snapshot comes with the trial; nobody looks at it while it runs."""
        return self.of_trial

    def run(self, plan: TrialPlan, is_stopped: Callable[[], bool], watch: StreamWatch | None = None) -> TrialResult:
        """Make the model; raise `Cancelled` when told to stop."""

        def pause() -> None:
            if is_stopped():
                raise Cancelled("nobody wants the model any more")

        pause()
        if (lack := self.lack_of(plan)) is not None:
            return TrialResult(plan.key, error=lack)
        try:
            snapshot = watch.begin() if watch is not None else None
            dataset = self.datasets[plan.dataset]
            if snapshot is None:
                model = train_whole(self.config, plan, dataset, pause)
            else:
                model = model_of_snapshot(self.config, dataset, plan.key, snapshot, pause)
            content = model.to_bytes()
            if len(content) > self.most_model_bytes:
                raise InvalidData(
                    f"its file would have {len(content) / _MIB:,.1f} MiB; the limit is "
                    f"{self.most_model_bytes / _MIB:,.1f} MiB (ENSEMBLE_LAB_MODEL_MEMORY). Fewer members or smaller trees "
                    "make it smaller"
                )
        except Cancelled:
            raise
        except Exception as error:
            return TrialResult(plan.key, error=reason_of(error))
        return TrialResult(plan.key, model=KeptModel(content, model.facts))
