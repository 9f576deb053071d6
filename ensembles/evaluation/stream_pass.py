"""One way of a learner through a stream: it predicts each example and, when its label comes, learns it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.source import Batch
from ensembles.data.table import Table
from ensembles.draws import long_block
from ensembles.errors import InvalidData
from ensembles.evaluation.timing import Stopwatch

__all__ = ["Blocks", "Labelling", "StreamPass"]

_BLOCK = 256  # examples predicted and learned at a time, at least: calls cost as much as some hundreds of short steps
_STEPS = 32_768  # of members in a block: with few members there are more examples, up to
_MOST = 8192
_SHARE = 8  # beyond `_MOST` one in so many that were taken: small members gain nothing, and curves need points
_SHARE_ANEW = 128  # beyond `_BLOCK`, the same where members may begin anew, which is looked for after each block
_CELLS = 2**23  # values of attributes and votes in a block, at most
_PAUSE = 64  # examples between two looks at whether to stop, where they come one at a time

Labels = npt.NDArray[np.int64]


class Blocks:
    """Batches, cut anew: into blocks of as many examples as are wanted."""

    def __init__(self, batches: Iterator[Batch]) -> None:
        self._batches, self._at = batches, 0
        self._rest: Batch | None = None

    def take(self, n: int) -> Batch | None:
        """Return the next n examples, fewer at the end; None after it."""
        parts: list[Batch] = []
        while n > 0:
            if self._rest is None or self._at >= len(self._rest[1]):
                self._rest, self._at = next(self._batches, None), 0
                if self._rest is None:
                    break
            part = slice(self._at, self._at + n)
            parts.append((self._rest[0].take(part), self._rest[1][part]))
            n, self._at = n - len(parts[-1][1]), part.stop
        return _joined([part for part in parts if len(part[1])])


def _joined(parts: list[Batch]) -> Batch | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    codes, numbers = (np.concatenate([getattr(table, name) for table, _ in parts]) for name in ("codes", "numbers"))
    return Table.unchecked(parts[0][0].schema, codes, numbers), np.concatenate([labels for _, labels in parts])


class Labelling:
    """When labels come, and whether.

    Parameters
    ----------
    delay : int
        The label of an example comes when so many others were predicted after it.
    share : float in (0, 1]
        How many labels come at all.
    rng : Generator, optional
        Of PCG64 and new: says which come, one number an example. Needed where not all do.
    """

    def __init__(self, delay: int = 0, share: float = 1.0, rng: np.random.Generator | None = None) -> None:
        self.delay, self._share, self._rng = delay, share, rng

    @property
    def at_once(self) -> bool:
        """Whether each label comes right after the prediction."""
        return self.delay == 0 and self._share == 1.0

    def skip(self, n: int) -> None:
        """Leave out the numbers of n examples."""
        if self._rng is not None:
            self._rng.bit_generator.advance(n)  # type: ignore[attr-defined]  # PCG64: a number a step

    def come(self, n: int) -> npt.NDArray[np.bool_]:
        """Return whether the labels of the next n examples come."""
        if self._share == 1.0 or self._rng is None:
            return np.ones(n, dtype=bool)
        return self._rng.random(n) < self._share


def _block_size(learner: Any, position: int) -> int:
    """Return how many examples make a block: by learner and position alone, as points of curves depend on it."""
    n_members = getattr(learner, "n_estimators", 1)
    if not isinstance(n_members, int) or n_members < 1:
        return _BLOCK
    anew = hasattr(learner, "n_replaced_")
    if getattr(learner.base_model(), "long_blocks", False):
        least, share = (_BLOCK, _SHARE_ANEW) if anew else (_MOST, _SHARE)
        width = getattr(learner, "n_features_in_", 0) + len(learner.classes_)
        return min(long_block(n_members), max(least, min(position // share, _CELLS // width)))
    return _BLOCK if anew else max(_BLOCK, min(_MOST, _STEPS // n_members))


class StreamPass:
    """A learner on its way; classes are declared at the start.

    What has learned nothing predicts class 0, all classes alike. The learner is the same, bit for bit, as by one call of
    `predict` and one of `partial_fit` an example.

    Attributes
    ----------
    position : int
        Examples taken from the stream.
    head : int
        Examples at its head that were learned in batch, at once: labels are late, or do not come, behind them.
    told_from : int
        Examples at its head that are learned, but not predicted.
    replaced : list of (int, int)
        After how many examples of the stream it was seen that members began anew, and how many since it was last looked.
    """

    def __init__(
        self,
        learner: Any,
        n_classes: int,
        *,
        probabilities: bool = False,
        unpredicted: int = 0,
        labelling: Labelling | None = None,
        stopwatch: Stopwatch,
        pause: Callable[[], None],
    ) -> None:
        self._learner, self._n_classes, self._probabilities = learner, n_classes, probabilities
        self._labelling, self._stopwatch, self._pause = labelling or Labelling(), stopwatch, pause
        self.position, self.head, self.told_from, self.replaced = 0, 0, unpredicted, list[tuple[int, int]]()
        self._waiting: deque[tuple[Table, Labels, npt.NDArray[np.bool_]]] = deque()
        self._first_waiting, self._n_replaced, self._knows = 0, 0, False

    def learn_head(self, X: Table, y: Labels) -> None:
        """Learn what is learned in batch of a stream, of which X and y are the whole."""
        classes = np.arange(self._n_classes)
        self._learner.on_progress = lambda _: self._pause()
        with self._stopwatch:
            primed: int = self._learner.start_stream(X, y, classes) if hasattr(self._learner, "start_stream") else 0
        self._learner.on_progress = None  # called for every few examples, it would tell nothing
        if primed >= len(y):
            raise InvalidData(f"all {len(y)} examples are primed, none is left to be predicted")
        self.position, self.head, self._knows = primed, primed, primed > 0
        self.told_from = max(primed, self.told_from)
        self._labelling.skip(primed)  # the labels that come are the same ones for every learner
        self._n_replaced = self._count_replaced()

    def go_on_from(
        self, position: int, waiting: Batch | None, replaced: list[tuple[int, int]], *, head: int = 0
    ) -> None:
        """Go on with a learner that has come to `position`; `waiting`: the examples before whose labels may still come."""
        self._learner.on_progress, self._knows = None, hasattr(self._learner, "classes_")
        self.position, self.head, self.replaced, self._n_replaced = position, head, replaced, self._count_replaced()
        n = 0 if waiting is None else len(waiting[1])
        self._labelling.skip(position - n)
        if waiting is not None:
            self._waiting.append((*waiting, self._labelling.come(n)))

    @property
    def next_size(self) -> int:
        """How many examples to take next: the first alone, then blocks."""
        if self._labelling.at_once and not self._knows:
            return 1
        if self._labelling.at_once and not hasattr(self._learner, "predict_then_learn"):
            return _PAUSE - self.position % _PAUSE
        return _block_size(self._learner, self.position) if self._labelling.at_once else _BLOCK

    def take(self, rows: Table, labels: Labels) -> tuple[Labels, npt.NDArray[np.float64] | None]:
        """Predict the next examples and learn what labels come; return classes and, if wanted, probabilities."""
        self._pause()
        predicted = np.zeros(len(labels), dtype=np.int64)
        shares = np.full((len(labels), self._n_classes), 1.0 / self._n_classes) if self._probabilities else None
        with self._stopwatch:  # once a block: to ask how long the processor was busy can take longer than an example
            if not self._labelling.at_once:
                self._predict_and_learn_what_comes(rows, labels, predicted, shares)
            elif not self._knows:
                self._learn(rows, labels)
            elif hasattr(self._learner, "predict_then_learn"):
                predicted, told = self._learner.predict_then_learn(rows, labels)
                shares = told if self._probabilities else None
            else:
                self._predict_and_learn_each(rows, labels, predicted, shares)
        self.position += len(labels)
        self._look_for_replaced(self.position)
        if not ((predicted >= 0) & (predicted < self._n_classes)).all():
            raise InvalidData("the predictions are not one known class for each example")
        return predicted, shares

    def _predict_and_learn_each(
        self, rows: Table, labels: Labels, predicted: Labels, shares: npt.NDArray[np.float64] | None
    ) -> None:
        for i in range(len(labels)):
            self._predict(rows, slice(i, i + 1), predicted, shares)
            self._learn(rows.take(slice(i, i + 1)), labels[i : i + 1])
            self._look_for_replaced(self.position + i + 1)

    def _predict_and_learn_what_comes(
        self, rows: Table, labels: Labels, predicted: Labels, shares: npt.NDArray[np.float64] | None
    ) -> None:
        """Predict a block, learning each label in its turn: between two of them, predict all at once."""
        self._waiting.append((rows, labels, self._labelling.come(len(labels))))
        if self._knows and hasattr(self._learner, "predict_late_then_learn"):
            asked = self._learn_late(rows, predicted, shares)
            self._predict(rows, slice(asked, len(labels)), predicted, shares)
            return
        asked = 0
        for i in range(len(labels)):
            if self.position + i < self.head + self._labelling.delay:
                continue
            table, classes, come = self._waiting[0]
            at = self._first_waiting
            if come[at]:
                self._predict(rows, slice(asked, i + 1), predicted, shares)
                self._learn(table.take(slice(at, at + 1)), classes[at : at + 1])
                asked = i + 1
            self._first_waiting += 1
            if self._first_waiting == len(classes):
                self._waiting.popleft()
                self._first_waiting = 0
        self._predict(rows, slice(asked, len(labels)), predicted, shares)

    def _learn_late(self, rows: Table, predicted: Labels, shares: npt.NDArray[np.float64] | None) -> int:
        """Learn all labels that come in a block in one call, and predict up to the last; return how many that are."""
        begin = max(self.head + self._labelling.delay - self.position, 0)
        n, parts, until = max(len(predicted) - begin, 0), [], []
        while n > 0:
            table, classes, come = self._waiting[0]
            part = slice(self._first_waiting, self._first_waiting + n)
            there = np.flatnonzero(come[part])
            parts.append((table.take(part).take(there), classes[part][there]))
            until.append(begin + there + 1)
            n, begin = n - len(come[part]), begin + len(come[part])
            self._first_waiting += len(come[part])
            if self._first_waiting == len(classes):
                self._waiting.popleft()
                self._first_waiting = 0
        learned, places = _joined(parts), np.concatenate(until) if until else np.empty(0, dtype=np.int64)
        if learned is None or not len(places):
            return 0
        asked = int(places[-1])
        told = self._learner.predict_late_then_learn(rows.take(slice(0, asked)), places, *learned)
        predicted[:asked] = told[0]
        if shares is not None:
            shares[:asked] = told[1]
        return asked

    def _predict(self, rows: Table, part: slice, predicted: Labels, shares: npt.NDArray[np.float64] | None) -> None:
        if part.start == part.stop or not self._knows:
            return
        some = rows.take(part)
        predicted[part] = self._learner.predict(some)
        if shares is not None:
            shares[part] = self._learner.predict_proba(some)

    def _learn(self, rows: Table, labels: Labels) -> None:
        """Learn examples, without checks if the learner can and has learned some."""
        if not self._knows:
            self._learner.partial_fit(rows, labels, classes=np.arange(self._n_classes))
            self._knows, self._n_replaced = True, self._count_replaced()
        elif hasattr(self._learner, "learn_batch"):
            self._learner.learn_batch(rows, labels)
        else:
            self._learner.partial_fit(rows, labels)

    def _count_replaced(self) -> int:
        return int(getattr(self._learner, "n_replaced_", 0))

    def _look_for_replaced(self, at: int) -> None:
        if (now := self._count_replaced()) > self._n_replaced:
            self.replaced.append((at, now - self._n_replaced))
            self._n_replaced = now
