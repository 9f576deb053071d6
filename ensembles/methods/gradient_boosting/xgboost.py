"""XGBoost, where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ensembles.declarations import real
from ensembles.methods.core.handover import Floats
from ensembles.methods.core.ready import Task
from ensembles.methods.gradient_boosting.library import LibraryEnsemble
from ensembles.methods.gradient_boosting.settings import (
    ITERATIONS,
    LEARNING_RATE,
    MAX_DEPTH,
    PENALTY,
    SHARE_OF_ATTRIBUTES,
)

__all__ = ["XgboostClassifier"]


class XgboostClassifier(LibraryEnsemble):
    """XGBoost: gradient boosting of trees with a penalty on what stands in leaves.

    `estimator_` is an `xgboost.XGBClassifier`, the same as if it had been given the examples, these settings and the same
    `random_state`; all others have XGBoost's defaults. Nominal attributes are categories, missing values and values never
    seen are missing. `n_jobs` are its threads. With `tune="grid"`, `learning_rate` (0.1, 0.3), `max_depth` (3, 6) and
    `min_child_weight` (1, 5) are chosen by cross-validation.

    References
    ----------
    Chen & Guestrin (2016)
    """

    key = "xgboost"
    name = "XGBoost"
    position = 293
    summary = "Gradient boosting of trees with a penalty on what stands in leaves; from the library XGBoost."
    source = "Chen & Guestrin (2016)"
    library = "xgboost"
    grid = {"learning_rate": (0.1, 0.3), "max_depth": (3, 6), "min_child_weight": (1.0, 5.0)}

    n_estimators: int = ITERATIONS
    learning_rate: float = real(
        default=0.3, label=LEARNING_RATE.label, help=LEARNING_RATE.help, low=0.0, high=1.0, open_low=True
    )
    max_depth: int = MAX_DEPTH
    min_child_weight: float = real(
        default=1.0, label="Weight in a leaf", help="Least sum of second derivatives in a leaf.", low=0.0, high=1e6
    )
    subsample: float = real(
        default=1.0, label="Share of examples", help="Drawn anew for each tree.", low=0.0, high=1.0, open_low=True
    )
    colsample_bytree: float = SHARE_OF_ATTRIBUTES
    reg_lambda: float = real(default=1.0, label=PENALTY.label, help=PENALTY.help, low=0.0, high=1e6)

    def _made(self, task: Task) -> Any:
        kinds = ["q"] * len(task.handover.widths)
        for position in task.handover.nominal:
            kinds[position] = "c"
        return self._library().XGBClassifier(
            **task.settings,
            enable_categorical=True,
            feature_types=kinds,
            random_state=task.seed,
            n_jobs=self._given.n_jobs,
        )

    def _fitted(self, task: Task) -> Any:
        model = self._made(task).set_params(
            callbacks=[_told(self._library(), task.report, task.settings["n_estimators"])]
        )
        model.fit(task.inputs, task.labels, sample_weight=task.weights)
        return model.set_params(callbacks=None)

    def _count(self, estimator: Any) -> int:
        return int(estimator.get_booster().num_boosted_rounds())

    def _library_bytes(self, estimator: Any) -> int:
        return len(estimator.get_booster().save_raw("ubj"))

    def _stages(self, inputs: Floats) -> Iterator[Any]:
        for n in range(1, self.n_members_ + 1):
            yield self.estimator_.predict(inputs, iteration_range=(0, n))


def _told(library: Any, report: Callable[[float], None], n: int) -> Any:
    """Return what XGBoost calls after each round, made here as its class is of that library."""

    class Told(library.callback.TrainingCallback):  # type: ignore[misc]
        def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:  # noqa: ARG002
            report(0.999 * (epoch + 1) / n)
            return False

    return Told()
