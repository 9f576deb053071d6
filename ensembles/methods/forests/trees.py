"""What forests of scikit-learn share: their settings, and their trees as members that vote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice, integer
from ensembles.learners.core.tree_size import TreeSize
from ensembles.methods.core.handover import Floats
from ensembles.methods.core.ready import N_JOBS, ReadyEnsemble, Task

__all__ = ["Forest"]

_PIECES = 10  # in which a forest grows: between them it can be told to end
_SHARES = {"half": 0.5, "all": None}


class Forest(ReadyEnsemble):
    """A forest of scikit-learn; `wraps` says which."""

    family = "forests"
    one_hot = True
    wraps: ClassVar[Any]
    grid = {"max_features": ("sqrt", "half"), "min_samples_leaf": (1, 3)}

    n_estimators: int = integer(default=100, label="Members", help="How many trees vote.", low=1, high=10_000)
    criterion: str = choice(
        default="gini",
        label="Criterion",
        help="What makes a question good.",
        choices=("gini", "entropy"),
        labels=("Gini index", "information gain"),
    )
    max_features: str = choice(
        default="sqrt",
        label="Inputs tried",
        help="Among how many inputs, drawn anew for each question, the best is looked for. A nominal attribute is an input "
        "for each of its values.",
        choices=("sqrt", "log2", "half", "all"),
        labels=("square root of their number", "logarithm of their number", "half of them", "all of them"),
    )
    max_depth: int = integer(
        default=0, label="Questions on a path", help="How many questions an example is asked at most; 0 for any number."
    )
    min_samples_leaf: int = integer(
        default=1, label="Examples in a leaf", help="How many examples a leaf has at least.", low=1
    )
    n_jobs: Any = N_JOBS

    def _made(self, task: Task) -> Any:
        settings = dict(task.settings)
        settings["max_features"] = _SHARES.get(settings["max_features"], settings["max_features"])
        settings["max_depth"] = settings["max_depth"] or None
        return self.wraps(**settings, random_state=task.seed, n_jobs=self._given.n_jobs)

    def _fitted(self, task: Task) -> Any:
        """Return the forest, grown in pieces: its trees are the same as if it grew at once."""
        forest, n = self._made(task), task.settings["n_estimators"]
        for piece in range(1, _PIECES + 1):
            forest.set_params(n_estimators=-(-n * piece // _PIECES), warm_start=True)
            if len(getattr(forest, "estimators_", ())) < forest.n_estimators:
                forest.fit(task.inputs, task.labels, sample_weight=task.weights)
                task.report(0.999 * piece / _PIECES)
        return forest.set_params(warm_start=False)

    def _count(self, estimator: Any) -> int:
        return len(estimator.estimators_)

    @property
    def member_sizes_(self) -> list[TreeSize | None]:
        """Nodes, leaves and depth of each tree."""
        self._check_learned()
        trees = self._trees()
        if not trees:
            return [TreeSize(1, 1, 0)]
        return [TreeSize(int(one.tree_.node_count), int(one.get_n_leaves()), int(one.get_depth())) for one in trees]

    def _trees(self) -> list[Any]:
        """Return the trees; none where a single class was seen."""
        return list(getattr(self.estimator_, "estimators_", ()))

    def member_classes(self, X: Any) -> npt.NDArray[np.int64]:
        """Return what each tree predicts, as positions in `classes_`: shape (n_members_, n_examples)."""
        inputs = self._inputs(X)
        return self._labels_by(self._trees() or [self.estimator_], inputs)

    def _stages(self, inputs: Floats) -> Iterator[Any]:
        votes = np.zeros((len(inputs), len(self._members.classes)))
        for tree in self._trees():
            votes += tree.predict_proba(inputs)
            yield votes.argmax(axis=1)
