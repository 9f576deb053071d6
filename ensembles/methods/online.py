"""What all online ensembles share: one pass over the examples, in their order, in blocks of drawn numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
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
    _awaited = 0  # examples to come one by one, whose numbers are not drawn yet
    _ahead: npt.NDArray[np.float64] = np.empty((0, 0))

    def fit(self, X, y, sample_weight=None):
        """Forget what was learned and pass once over the examples, in their order."""
        self._forget()
        self.await_examples(0)
        return self.partial_fit(X, y, sample_weight=sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn more examples, in their order; `sample_weight` multiplies the weight that an example comes with.

        `classes`: all classes to come; without it, new classes are added as they appear.
        """
        first = not hasattr(self, "classes_")
        examples = self._admit(X, y, sample_weight, classes)
        if first:
            self._start(self.n_estimators)
        self._learn_examples(examples)
        return self

    def await_examples(self, n: int) -> None:
        """Say that n examples will come, one by one: their numbers are drawn in blocks."""
        self._awaited, self._ahead = n, np.empty((0, 0))

    def learn_next(self, X: Table, label: int) -> None:
        """Learn one more example, a table of one row with the very schema and a class that are known: no checks."""
        self._learn_examples(self._admit_next(X, label))

    def _learn_examples(self, examples: Examples) -> None:
        self._learn(self._rows(examples.table, learning=True), examples)
        settle_all(self._members, self._n_members())

    def _start(self, n_members: int) -> None:
        """Begin with members that have learned nothing: one stream of random numbers each."""
        self._streams = streams(entropy_of(self.random_state), self.key, n_members)

    def _learn(self, rows: Rows, examples: Examples) -> None:
        raise NotImplementedError

    def _blocks(self, n: int, first: int = 0) -> Iterator[tuple[int, npt.NDArray[np.float64]]]:
        """Yield the examples from `first` on in blocks: where each starts, and a uniform number an (example, member)."""
        for start in range(first, n, BLOCK):
            size = min(BLOCK, n - start)
            yield start, self._drawn(size)
            self._report(start + size, n)

    def _drawn(self, size: int) -> npt.NDArray[np.float64]:
        if not self._awaited and not len(self._ahead):
            return uniforms(self._streams, size)
        if (lacking := size - len(self._ahead)) > 0:
            n = max(lacking, min(BLOCK, self._awaited))
            fresh = uniforms(self._streams, n)
            self._ahead = np.concatenate([self._ahead, fresh]) if len(self._ahead) else fresh
            self._awaited = max(self._awaited - n, 0)
        drawn, self._ahead = self._ahead[:size], self._ahead[size:]
        return drawn


@kernel
def show_rows(members, rows, labels, weights, start, shares):
    """Show the examples from `start` on to every member, their weights multiplied by shares: (examples, members)."""
    for i in range(shares.shape[0]):
        for m in range(shares.shape[1]):
            if shares[i, m] > 0:
                weight = max(quantise_one(shares[i, m] * weights[start + i]), GRAIN)
                learn(members, m, rows, start + i, labels[start + i], weight)
