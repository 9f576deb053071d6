"""What all online ensembles share: one pass over the examples, in their order, in blocks of drawn numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ensembles.draws import BLOCK, entropy_of, streams, uniforms
from ensembles.exact import GRAIN, quantise_one
from ensembles.jit import kernel
from ensembles.learners.base import Examples
from ensembles.learners.protocol import Rows, learn
from ensembles.methods.base import Ensemble, settle_all

__all__ = ["OnlineEnsemble", "show_rows"]


class OnlineEnsemble(Ensemble):
    """An ensemble that sees each example once, in order.

    Subclasses say what they keep beside the members (`_start`, called before the first example) and how they learn
    (`_learn`, which also sets who votes).
    """

    order_matters = True
    needs_online_base = True
    _streams: list[np.random.Generator]

    def fit(self, X, y, sample_weight=None):
        """Forget what was learned and pass once over the examples, in their order."""
        self._forget()
        return self.partial_fit(X, y, sample_weight=sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn more examples, in their order; `sample_weight` multiplies the weight that an example comes with.

        `classes`: all classes to come; without it, new classes are added as they appear.
        """
        first = not hasattr(self, "classes_")
        examples = self._admit(X, y, sample_weight, classes)
        if first:
            self._start(self.n_estimators)
        self._learn(self._rows(examples.table, learning=True), examples)
        settle_all(self._members, self._n_members())
        return self

    def _start(self, n_members: int) -> None:
        """Begin with members that have learned nothing: one stream of random numbers each."""
        self._streams = streams(entropy_of(self.random_state), self.key, n_members)

    def _learn(self, rows: Rows, examples: Examples) -> None:
        raise NotImplementedError

    def _blocks(self, n: int, first: int = 0) -> Iterator[tuple[int, npt.NDArray[np.float64]]]:
        """Yield the examples from `first` on in blocks: where each starts, and a uniform number an (example, member)."""
        for start in range(first, n, BLOCK):
            size = min(BLOCK, n - start)
            yield start, uniforms(self._streams, size)
            self._report(start + size, n)


@kernel
def show_rows(members, rows, labels, weights, start, shares):
    """Show the examples from `start` on to every member, their weights multiplied by shares: (examples, members)."""
    for i in range(shares.shape[0]):
        for m in range(shares.shape[1]):
            if shares[i, m] > 0:
                weight = max(quantise_one(shares[i, m] * weights[start + i]), GRAIN)
                learn(members, m, rows, start + i, labels[start + i], weight)
