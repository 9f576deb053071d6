"""What a worker process does for a model to take home: it trains a learner on all examples and writes it down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ensembles.errors import InvalidData
from ensembles.evaluation.stream_watch import StreamWatch
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.run_trial import Cancelled, reason_of
from ensembles.experiments.whole import train_whole
from runner.worker_process.tasks import ExperimentContext

__all__ = ["ModelContext", "ModelResult"]

_MIB = 2**20


@dataclass(frozen=True)
class ModelResult(TrialResult):
    """What a training on all examples leaves behind: the file `model.skops`, and the facts of the model."""

    content: bytes = b""
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelContext(ExperimentContext):
    """All that it needs: an experiment of one learner and one data set, whose protocol tells the order of examples.

    Attributes
    ----------
    most_bytes : float
        How large the file may be.
    """

    most_bytes: float = float("inf")

    @property
    def is_stream(self) -> bool:
        """Nobody looks at it while it runs."""
        return False

    def run(
        self,
        plan: TrialPlan,
        is_stopped: Callable[[], bool],
        watch: StreamWatch | None = None,  # noqa: ARG002
    ) -> TrialResult:
        """Train the learner; raise `Cancelled` when told to stop."""

        def pause() -> None:
            if is_stopped():
                raise Cancelled("nobody wants the model any more")

        pause()
        if (lack := self.lack_of(plan)) is not None:
            return TrialResult(plan.key, error=lack)
        try:
            model = train_whole(self.config, plan, self.datasets[plan.dataset], pause)
            content = model.to_bytes()
            if len(content) > self.most_bytes:
                raise InvalidData(
                    f"its file would have {len(content) / _MIB:,.1f} MiB; the limit is {self.most_bytes / _MIB:,.1f} MiB "
                    "(ENSEMBLE_LAB_MODEL_MEMORY). Fewer members or smaller trees make it smaller"
                )
        except Cancelled:
            raise
        except Exception as error:
            return TrialResult(plan.key, error=reason_of(error))
        return ModelResult(plan.key, content=content, facts=model.facts)
