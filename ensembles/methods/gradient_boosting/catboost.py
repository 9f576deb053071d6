"""CatBoost, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from ensembles.data.table import Table
from ensembles.declarations import real
from ensembles.methods.core.handover import Floats, Handover
from ensembles.methods.core.ready import Task
from ensembles.methods.gradient_boosting.library import LibraryEnsemble
from ensembles.methods.gradient_boosting.settings import ITERATIONS, MAX_DEPTH

__all__ = ["CatboostClassifier"]


_DEFAULTS = {"learning_rate": 0.0, "l2_leaf_reg": 3.0}


class AsFrame(Handover):
    """As `Handover`, in a data frame: CatBoost wants values of nominal attributes as whole numbers, here -1 for missing."""

    def inputs(self, table: Table) -> Any:
        """Return a data frame, shape (n_examples, n_attributes)."""
        numbers = super().inputs(table)
        frame = pd.DataFrame(numbers)
        for position in self.nominal:
            frame[position] = np.where(np.isnan(numbers[:, position]), -1, numbers[:, position]).astype(np.int64)
        return frame


class CatboostClassifier(LibraryEnsemble):
    """CatBoost: gradient boosting of trees that ask the same question everywhere on a level.

    `estimator_` is a `catboost.CatBoostClassifier`, the same as if it had been given the examples, these settings and the
    same `random_state`; all others have CatBoost's defaults, but for 100 rounds instead of 1,000. Nominal attributes are
    categories, which CatBoost replaces by statistics of the classes of earlier examples; missing values and values never
    seen are a value of their own. `n_jobs` are its threads (`thread_count`). With `tune="grid"`, `learning_rate` (0, 0.2)
    and `max_depth` (4, 6, 8) are chosen by cross-validation.

    References
    ----------
    Prokhorenkova et al. (2018)
    """

    key = "catboost"
    name = "CatBoost"
    position = 295
    summary = "Gradient boosting of symmetric trees, with nominal values replaced by what came before; from CatBoost."
    source = "Prokhorenkova et al. (2018)"
    library = "catboost"
    grid = {"learning_rate": (0.0, 0.2), "max_depth": (4, 6, 8)}

    n_estimators: int = ITERATIONS
    learning_rate: float = real(
        default=0.0,
        label="Learning rate",
        help="How far each tree goes; 0: CatBoost chooses by the numbers of examples and rounds, or, with another penalty "
        "than 3, takes 0.03.",
        low=0.0,
        high=1.0,
    )
    max_depth: int = MAX_DEPTH
    l2_leaf_reg: float = real(
        default=3.0, label="Penalty", help="How much large values in leaves cost (L2).", low=0.0, high=1e6
    )

    def _handed(self, table: Table) -> Any:
        return AsFrame.learned(table, one_hot=False)

    def _made(self, task: Task) -> Any:
        # CatBoost chooses a learning rate only where neither it nor the penalty is given, were it by its default.
        settings = {name: value for name, value in task.settings.items() if value != _DEFAULTS.get(name)}
        return self._library().CatBoostClassifier(
            **settings,
            cat_features=task.handover.nominal or None,
            random_state=task.seed,
            thread_count=self._given.n_jobs,
            allow_writing_files=False,
            logging_level="Silent",
        )

    def _fitted(self, task: Task) -> Any:
        told = _Told(task)
        model = self._made(task).fit(task.inputs, task.labels, sample_weight=task.weights, callbacks=[told])
        if told.raised is not None:
            raise told.raised
        return model

    def _count(self, estimator: Any) -> int:
        return int(estimator.tree_count_)

    def _library_bytes(self, estimator: Any) -> int:
        with TemporaryDirectory() as folder:  # its public interface writes models to files only
            path = Path(folder) / "model.cbm"
            estimator.save_model(str(path), format="cbm")
            return path.stat().st_size

    def _stages(self, inputs: Floats) -> Iterator[Any]:
        yield from self.estimator_.staged_predict(inputs, prediction_type="Class")


class _Told:
    """What CatBoost calls after each round; it does not let errors through, so they are kept."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.raised: BaseException | None = None

    def after_iteration(self, at: Any) -> bool:
        """Return whether training goes on."""
        try:
            self._task.report(0.999 * at.iteration / self._task.settings["n_estimators"])
        except BaseException as error:
            self.raised = error
        return self.raised is None
