"""What all online ensembles share: one pass over the examples, in their order, in blocks of drawn numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Table
from ensembles.declarations import argument
from ensembles.draws import BLOCK, uniforms
from ensembles.learners.core.bound import bind
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.sharing import sharing_of
from ensembles.learners.core.unseen import unseen_apart
from ensembles.methods.core.base import Ensemble, finalize_all
from ensembles.methods.core.block import NO_VOTES, block_of
from ensembles.methods.core.show import (
    Late,
    Room,
    most_voted_in_order,
    most_voted_late,
    predict_late_then_show,
    predict_then_show,
    show_rows,
)
from ensembles.methods.core.threads import StageMaker, block_by_member, bounds_of, by_member, in_stages, threads_of

__all__ = ["NO_VOTES", "Numbers", "OnlineEnsemble", "Votes"]

#: Where a block of examples starts, and the numbers drawn for each of its examples and members.
Numbers = tuple[int, npt.NDArray[np.float64]]

#: Votes for the examples that are learned, before they are, (examples, classes), or for others.
Votes = npt.NDArray[np.float64] | Late

_FEW = 64  # examples for which threads are not worth while
_BLOCKS = 3  # a stage, where members learn few examples at a time: with fewer, threads wait at both ends of a pipeline
_LOOK = 16_384  # examples between two looks at whether they had better go member by member
_LEAST = 16  # examples of a block in a pipeline: to hand it on costs some steps of members
_AHEAD = 64  # examples for which numbers are drawn at a time, where they are learned one by one


class Drawing:
    """What ensembles hold that draw a random number for each example and member."""

    _streams: list[np.random.Generator]
    _ahead: tuple[np.random.Generator | None, npt.NDArray[np.float64]] | None = (
        None  # drawn and not used yet, of the streams that begin with this one
    )


class OnlineEnsemble(Drawing, Ensemble):
    """An ensemble that sees each example once, in order.

    Subclasses say what they keep beside the members (`_start`, called before the first example) and how they learn
    (`_learn`, which also sets who votes).
    """

    order_matters = True
    needs_online_base = True
    weights_count = True
    predicts_while_learning = False  # whether `_learn` takes `votes`, and adds to them those that come before learning
    predicts_late = False  # whether `votes` may be for other examples than are learned, which rows of attributes allow
    keep_weights = False  # whether methods that weigh examples write down with what weight they came to each member
    estimator: Any = argument(
        default=None, what="base model that learns online, or None", help="What each member is; naive Bayes if None."
    )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget what was learned and pass once over the examples, in their order; `sample_weight` as in `partial_fit`."""
        self._forget()
        return self.partial_fit(X, y, sample_weight=sample_weight)

    @whole_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more examples, in their order.

        `sample_weight` multiplies the weight that an example comes with, so it counts examples; where a first call of ten
        examples or more sums to less than an eighth of their number, a `LightWeights` warns. `classes`: all classes to come;
        without it, new classes are added as they appear.
        """
        first = not hasattr(self, "classes_")
        examples = self._validated_examples(X, y, sample_weight, classes)
        if first:
            self._start(self._given.n_estimators)
        self._learn_examples(examples)
        return self

    @whole_or_nothing
    def learn_batch(self, X: Table, labels: npt.NDArray[np.int64]) -> None:
        """Learn more examples without checks: the very schema and the classes are known."""
        self._learn_examples(self._unchecked_examples(X, labels))

    @available_if(lambda self: self.predicts_while_learning)
    @whole_or_nothing
    @unseen_apart
    def predict_then_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, as `BaseModel.predict_then_learn`."""
        prior, votes = self._prior.copy(), np.zeros((len(labels), len(self.classes_)))
        self._learn_examples(self._unchecked_examples(X, labels), votes=votes)
        chosen = np.empty(len(labels), dtype=np.int64)
        most_voted_in_order(votes, labels, prior, chosen)
        return self.classes_[chosen], self._shared(votes)

    @available_if(lambda self: self.predicts_late and not hasattr(getattr(self, "_members", None), "slots"))
    @whole_or_nothing
    def predict_late_then_learn(
        self, asked: Table, until: npt.NDArray[np.int64], X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Learn examples whose labels came late, and predict others meanwhile, as `predict_then_learn` does.

        Parameters
        ----------
        asked : Table
            The examples to predict.
        until : ndarray of int, shape (n_learned,)
            How many of them are predicted before each of the others is learned; at last all of them.
        """
        prior, chosen = self._prior.copy(), np.empty(len(asked), dtype=np.int64)
        examples = self._unchecked_examples(X, labels)
        late = Late(self._rows(asked.writable(), learning=False), until, np.zeros((len(asked), len(self.classes_))))
        self._learn_examples(examples, votes=late)
        most_voted_late(late.votes, until, examples.labels, prior, chosen)
        return self.classes_[chosen], self._shared(late.votes)

    def _learn_examples(self, examples: TrainingBatch, **predicted: Any) -> None:
        rows = self._rows(examples.table, learning=True)
        self._learn(rows, examples, **predicted)
        finalize_all(bind(self._members, rows), self._n_members())

    def _start(self, n_members: int) -> None:
        """Begin with members that have learned nothing: one stream of random numbers each."""
        self._streams = self._drawing(n_members)

    def _learn(self, rows: Rows, examples: TrainingBatch) -> None:
        raise NotImplementedError

    def _show_all(
        self,
        rows: Rows,
        examples: TrainingBatch,
        multiplied: Callable[[npt.NDArray[np.float64]], npt.NDArray[Any]],
        votes: Votes,
    ) -> None:
        """Show all examples to every member; before, add the votes for them to `votes`, if it has rows.

        `multiplied`: from the numbers drawn for examples and members to what the weights of examples are multiplied with.
        """

        def stage(members: Any, first: int, stop: int) -> Callable[[Numbers], None]:
            show = self._teacher(members, stop - first, rows, examples, votes)

            def learn(numbers: Numbers) -> None:
                start, draws = numbers
                show(start, multiplied(np.ascontiguousarray(draws[:, first:stop])))

            return learn

        self._pass_through(stage, self._n_members(), len(examples.labels))

    def _show(
        self,
        rows: Rows,
        examples: TrainingBatch,
        start: int,
        multipliers: npt.NDArray[Any],
        votes: Votes,
    ) -> None:
        """As `_show_all`, for the examples from `start` on and in one thread; multipliers: (examples, members)."""
        self._teacher(self._members, multipliers.shape[1], rows, examples, votes)(start, multipliers)

    def _teacher(
        self, members: Any, n_members: int, rows: Rows, examples: TrainingBatch, votes: Votes
    ) -> Callable[[int, npt.NDArray[Any]], None]:
        """Return what shows members the examples from one on, their weights multiplied, once they have voted."""
        bound, soft, work = bind(members, rows), self.soft_votes, np.empty((5, len(self.classes_)))
        asked = bind(members, votes.rows) if isinstance(votes, Late) else None
        room = Room(np.empty(n_members), np.ones(n_members), np.empty(n_members, dtype=np.int64))

        def show(start: int, multipliers: npt.NDArray[Any]) -> None:
            block = block_of(rows, examples, start, start + len(multipliers))
            if asked is not None:
                predict_late_then_show(bound, block, multipliers, soft, asked, votes, room, work)
            elif len(votes):
                predict_then_show(bound, block, multipliers, soft, room, work, votes)
            else:
                show_rows(bound, block, multipliers, room.weights)

        return show

    def _pass_through(
        self,
        stage: StageMaker,
        n_members: int,
        n: int,
        first: int = 0,
        *,
        with_more: Callable[[Numbers], Any] | None = None,
        whole: bool = False,
    ) -> None:
        """Hand the examples from `first` on, with their numbers, to all members: in stages, if there are threads.

        `stage`: what makes stages; `whole`: the members that it gets are all, of which it is to touch these only.
        `with_more`: what adds to the numbers.
        """
        blocks = self._blocks if with_more is None else lambda *some: map(with_more, self._blocks(*some))
        while first < n:
            size = block_by_member(self._members, n - first) if n - first >= _FEW else 0
            end = min(n, first + (size or _LOOK)) if hasattr(self._members, "member_block") else n
            self._pass_some(stage, blocks, n_members, (first, end, n), size, whole=whole)
            first = end

    def _pass_some(
        self,
        stage: StageMaker,
        blocks: Callable[..., Iterable[Any]],
        n_members: int,
        which: tuple[int, int, int],
        size: int,
        *,
        whole: bool,
    ) -> None:
        """As `_pass_through`, with the examples from `which[0]` to before `which[1]` of `which[2]`.

        `size`: of a block that passes through one member before the next; 0 if all members are shown each example together.
        """
        first, end, n = which
        n_threads, sharing = threads_of(self._given), sharing_of(self._members)
        bounds = bounds_of(n_members, n_threads)
        if size:
            stage, whole = by_member(stage, whole), True
        while len(bounds) > 1 and end - first >= _FEW:
            most = sharing.most_examples(self._members)
            stop = min(end, first + most)
            if stop - first < _FEW:
                break
            parts = sharing.parts(self._members, bounds, stop - first)
            some = [part if whole else sharing.some(part, *each) for part, each in zip(parts, bounds, strict=True)]
            stages = [stage(these, *each) for these, each in zip(some, bounds, strict=True)]
            length = max(_LEAST, min(BLOCK // 4, most // (_BLOCKS * len(bounds))))
            length = max(length, min(size, (stop - first) // len(bounds)))
            in_stages(blocks(n, first, stop, length), stages, n_threads)
            for these, each in zip(some, bounds, strict=True):
                sharing.keep(self._members, these, *each)
            sharing.put_together(self._members, parts)
            first = stop
        if first < end:
            in_stages(blocks(n, first, end, size), [stage(self._members, 0, n_members)], 1)

    def _allocate_weights(self, n: int) -> npt.NDArray[np.float64]:
        """Return room for the weights of n examples, (examples, members), which are to be kept; no rows if they are not."""
        kept = np.zeros((n if self.keep_weights else 0, self._n_members()))
        if self.keep_weights:
            self.example_weights_ = kept.T
        return kept

    def _blocks(self, n: int, first: int = 0, stop: int | None = None, size: int = 0) -> Iterator[Numbers]:
        """Yield the examples from `first` to before `stop` of n in blocks: where each starts, and a uniform number a member.

        Unless a size is asked for, the numbers of a block take the place of those before: a new array for each took as long
        as to draw them.
        """
        stop, room = n if stop is None else stop, np.empty((0, 0))
        for start in range(first, stop, size or BLOCK):
            length = min(size or BLOCK, stop - start)
            if size or not len(room):
                room = np.empty((length, len(self._streams)))
            yield start, self._drawn(length, room)
            self._report(start + length, n)

    def _drawn(self, size: int, room: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the next numbers of all streams, shape (size, members), in the first rows of `room`.

        For a single example some are drawn ahead, and kept: to ask each stream takes longer than to draw from it.
        """
        first, ahead = (self._streams[0] if self._streams else None), room[:0]
        if self._ahead is not None and self._ahead[0] is first:
            ahead = self._ahead[1]
        if size == 1 and len(ahead) == 0:
            ahead = uniforms(self._streams, _AHEAD)
        taken = min(size, len(ahead))
        room[:taken] = ahead[:taken]
        self._ahead = (first, ahead[taken:]) if taken < len(ahead) else None
        if taken < size:
            uniforms(self._streams, size - taken, room[taken:])
        return room[:size]
