"""A trained learner beside the examples of its trial: what measures of the model and curves of its members look at."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.evaluation.diversity import Pairs, compare_members

__all__ = ["TrainedModel"]

Labels = npt.NDArray[np.int64]


def _go_on() -> None:
    pass


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A trained learner and its examples; classes are positions in the classes of the data set.

    Attributes
    ----------
    learner : estimator
    X_train, y_train, X_test, y_test : Table and ndarray of int
    rows : ndarray of int, shape (n_train,)
        Where the training examples stand in the data set.
    seed : int
        Of whatever is drawn.
    pause : callable
        Called between steps of long work; what it raises ends the work.
    """

    learner: Any
    X_train: Table
    y_train: Labels
    X_test: Table
    y_test: Labels
    rows: Labels
    seed: int = 0
    pause: Callable[[], None] = _go_on

    @cached_property
    def member_answers(self) -> Labels | None:
        """The class that each member predicts for each test example, shape (n_members, n_test).

        Members that have learned nothing are left out. None where the learner has no members that can be asked alone.
        """
        if not hasattr(self.learner, "member_classes"):
            return None
        told = self.learner.member_classes(self.X_test)
        told = told[(told >= 0).all(axis=1)]
        answers: Labels = np.asarray(self.learner.classes_, dtype=np.int64)[told]
        return answers

    @cached_property
    def member_pairs(self) -> Pairs | None:
        """Every two members compared on the test examples; None where there are no two."""
        return compare_members(self.member_answers, self.y_test)
