"""What all methods share that weigh a pool of members: members on random attributes, trained first, then asked in order.

Bai, Lam & Sclaroff, section 5.1 (members trained beforehand) and 5.2 (members that go on learning).

The weights of the members never touch what the members learn. So members answer a block of examples one after another, each
in the order of the examples, and the weights are found from the table of answers: kernels for members know nothing of
weights, kernels for weights nothing of members.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.draws import BLOCK, entropy_of
from ensembles.errors import InvalidParameter
from ensembles.jit import inner, kernel
from ensembles.learners.base import Examples
from ensembles.learners.feature_subset import FeatureSubset
from ensembles.learners.protocol import TIE, best_class, classify, distribute, learn, settle
from ensembles.methods.base import MEMBERS, Ensemble
from ensembles.parameters import Choice, Integer, Parameter, Real, check_parameters

__all__ = ["POOL", "Answers", "MemberPool", "Record", "decide", "note"]

POOL: tuple[Parameter, ...] = (
    MEMBERS,
    Choice(
        "members",
        "fixed",
        "Members",
        "Keep the members as they were trained on the first examples, or let them go on learning.",
        choices=("fixed", "updated"),
        labels=("trained first, then fixed", "trained first, then updated"),
    ),
    Real(
        "subset",
        0.5,
        "Attributes a member sees",
        "Share of the attributes, drawn at random for each member; with 1 members may be all alike.",
        low=0.0,
        high=1.0,
        open_low=True,
    ),
    Real(
        "pretrain_fraction",
        0.1,
        "Trained first",
        "Share of the first call's examples on which the members are trained, before they are weighed.",
        low=0.0,
        high=1.0,
    ),
    Integer("pretrain_least", 10, "Trained first, at least", "Examples; two a class if that is more."),
)

_POINTS = 500  # of the history of weights
_MOST_KEPT = 2**20  # numbers in the history
_MOST_ANSWERS = 2**22  # of members about a block


class Answers(NamedTuple):
    """What members say of a block of examples; one of the two arrays is empty.

    told : int64, (examples, members); the class, -1 from a member that has learned nothing
    shares : float64, (examples, members, classes)
    """

    told: np.ndarray
    shares: np.ndarray


class Record(NamedTuple):
    """What is written down while members are weighed."""

    wrong: np.ndarray  # (m,) weight of the examples that the member got wrong
    own: np.ndarray  # (2,) weight of all examples, and of those that the ensemble got wrong before it saw their class
    history: np.ndarray  # (points, m) member weights
    times: np.ndarray  # (points,) examples weighed by then
    cursor: np.ndarray  # (3,) points used, examples from one point to the next, examples weighed


class MemberPool(Ensemble):
    """Members on random attributes, trained on the first examples; subclasses weigh them (`_start`, `_weigh`, `_count`).

    Attributes
    ----------
    member_weights_ : array of shape (n_estimators,)
    member_errors_ : array of shape (n_estimators,)
        Share of the weighed examples that each member got wrong, NaN before the first.
    online_error_ : float
        Share of the weighed examples that the ensemble got wrong, each told before its class was seen.
    weight_times_, weight_history_ : arrays of shape (points,) and (points, n_estimators)
        Member weights after so many weighed examples, at up to 500 points.
    n_pretrained_ : int
        Examples on which members were trained before they were weighed.
    forecasts_ : array, only if `keep_forecasts` was set
        The class told of each example weighed in the last call, before it was seen.
    """

    order_matters = True
    pieces_equal_whole: ClassVar[bool] = False  # the share to train on first is that of the first call
    output = "class"
    loss_timing = "before"
    keep_forecasts: bool = False
    _goal: int
    _expected: int

    def __init__(
        self,
        estimator=None,
        n_estimators=100,
        members="fixed",
        subset=0.5,
        pretrain_fraction=0.1,
        pretrain_least=10,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.members = members
        self.subset = subset
        self.pretrain_fraction = pretrain_fraction
        self.pretrain_least = pretrain_least
        self.random_state = random_state

    def prototype(self) -> FeatureSubset:
        base = super().prototype()
        check_parameters(base)
        if self.members == "updated" and not base.learns_online:
            raise InvalidParameter(
                f"{self.key}: estimator must learn online for members='updated', or members be 'fixed', got {base.key}"
            )
        return FeatureSubset(base, self.subset)

    def _seeded(self, prototype):
        return FeatureSubset(prototype.estimator, self.subset, entropy_of(self.random_state))

    def fit(self, X, y, sample_weight=None):
        """Forget what was learned; train the members on the first examples and weigh them on the rest, in their order."""
        self._forget()
        return self._take(X, y, None, sample_weight, whole=True)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn more examples, in their order; the first call also trains the members.

        `classes`: all classes to come; without it, new classes are added as they appear.
        """
        return self._take(X, y, classes, sample_weight, whole=False)

    def begin_stream(self, X, y, classes):
        """Train the members on their share of a stream, of which X and y are the whole; return how many examples it is."""
        n = self._share(len(y), len(classes))
        if n:
            examples = self._admit(X.take(slice(0, n)), y[:n], None, classes, batch=self.members == "fixed")
            self._begin(n, len(y) - n)
            self._learn_examples(examples)
        return n

    def learn_next(self, X, labels):
        """Learn more examples without checks: the very schema and the classes are known."""
        self._learn_examples(self._admit_next(X, labels))

    def _take(self, X, y, classes, sample_weight, *, whole):
        first = not hasattr(self, "classes_")
        examples = self._admit(X, y, sample_weight, classes, batch=self.members == "fixed")
        if first:
            n = len(examples.labels)
            share = self._share(n, len(self.classes_))
            self._begin(share, max(n - share, 0) if whole else 0)
        self._learn_examples(examples)
        return self

    def _learn_examples(self, examples: Examples) -> None:
        n, used = len(examples.labels), self._pretrain(examples)
        rest = Examples(examples.table.take(slice(used, n)), examples.labels[used:], examples.weights[used:])
        before = self._prior - np.bincount(rest.labels, rest.weights, minlength=len(self.classes_))
        told = np.empty(n - used, dtype=np.int64)
        for part, answers in self._asked(rest.table, rest if self.members == "updated" else None):
            self._weigh(answers, rest.labels[part], rest.weights[part], before, told[part])
            self._report(used + part.stop, n)
        if self.keep_forecasts:
            self.forecasts_ = self.classes_[told]
        self._sum_up()

    def _share(self, n: int, n_classes: int) -> int:
        """Return on how many of n examples, or of more to come, members are trained before they are weighed."""
        share: int = math.ceil(self.pretrain_fraction * n)
        if share > 0 or self.members == "fixed":
            share = max(share, int(self.pretrain_least), 2 * n_classes)
        return share

    def _begin(self, goal: int, expected: int) -> None:
        """Begin to train members on `goal` examples, and to weigh them on `expected`, 0 if that is not known."""
        m = self.n_estimators
        points = max(2, min(_POINTS, _MOST_KEPT // m))
        self._record = Record(
            wrong=np.zeros(m),
            own=np.zeros(2),
            history=np.zeros((points, m)),
            times=np.zeros(points, dtype=np.int64),
            cursor=np.array([0, 1, 0], dtype=np.int64),
        )
        self.n_pretrained_ = 0
        self._goal, self._expected = goal, expected
        self._start()

    def _start(self) -> None:
        """Begin with weights before the first of `_expected` examples; 0 if their number is not known."""
        raise NotImplementedError

    def _weigh(self, answers: Answers, labels: Any, weights: Any, prior: Any, told: Any) -> None:
        """Tell the class of each example of a block, then take its class into the weights.

        `prior` holds the weight of each class so far, and grows; the classes told go to `told`.
        """
        raise NotImplementedError

    def _count(self, answers: Answers, votes: Any) -> None:
        """Write the votes for each class, shape (n_examples, n_classes), not negative."""
        raise NotImplementedError

    def _pretrain(self, examples: Examples) -> int:
        """Train the members on the first examples; return on how many of these."""
        prototype, n = self.prototype(), len(examples.labels)
        size: int = max(0, min(self._goal - self.n_pretrained_, n))
        if size == 0:
            return 0
        table, labels, weights = examples.table.take(slice(0, size)), examples.labels[:size], examples.weights[:size]
        work, told = np.empty((4, len(self.classes_))), np.empty(size, dtype=np.int64)
        for m in range(self.n_estimators):
            rows = prototype.rows_of(self._members, m, table, learning=True)
            if self.n_pretrained_ == 0:
                self._members = prototype.fit_member(self._members, m, rows, labels, weights)
            else:
                _teach_rows(self._members[m].members, rows, labels, weights, False, work, told)
            self._report(size * (m + 1), n * self.n_estimators)
        self.n_pretrained_ += size
        if not prototype.estimator.learns_online:
            self._goal = self.n_pretrained_
        return size

    def _asked(self, table: Table, lessons: Examples | None = None) -> Iterator[tuple[slice, Answers]]:
        """Yield the answers of all members block by block; they learn the `lessons`, the same examples with classes."""
        prototype, n_classes, n_members = self.prototype(), len(self.classes_), self.n_estimators
        block, soft = max(1, min(BLOCK, _MOST_ANSWERS // (n_members * n_classes))), self.output == "probability"
        for start in range(0, len(table), block):
            part = slice(start, min(start + block, len(table)))
            examples, size = table.take(part), part.stop - start
            told = np.empty((0, 0) if soft else (size, n_members), dtype=np.int64)
            shares = np.empty((size, n_members, n_classes) if soft else (0, 0, 0))
            for m in range(n_members):
                rows = prototype.rows_of(self._members, m, examples, learning=lessons is not None)
                if lessons is not None:
                    answer = self._taught(m, rows, lessons.labels[part], lessons.weights[part])
                elif soft:
                    answer = prototype.shares_of(self._members, m, rows, n_classes)
                else:
                    answer = prototype.classes_of(self._members, m, rows, n_classes)
                (shares if soft else told)[:, m] = answer
            yield part, Answers(told, shares)

    def _taught(self, m: int, rows: Any, labels: Any, weights: Any) -> npt.NDArray[Any]:
        """Ask member m about each example, and teach it."""
        work, after = np.empty((4, len(self.classes_))), self.loss_timing == "after"
        if self.output == "probability":
            answer: npt.NDArray[Any] = np.empty((len(labels), len(self.classes_)))
            _teach_rows_softly(self._members[m].members, rows, labels, weights, after, work, answer)
        else:
            answer = np.empty(len(labels), dtype=np.int64)
            _teach_rows(self._members[m].members, rows, labels, weights, after, work, answer)
        return answer

    def _sum_up(self) -> None:
        record, total = self._record, self._record.own[0]
        self.n_members_ = self.n_estimators
        self.member_weights_ = self._weights_of_members().copy()
        self.member_errors_ = record.wrong / total if total > 0 else np.full(self.n_estimators, np.nan)
        self.online_error_ = float(record.own[1] / total) if total > 0 else math.nan

    @property
    def weight_times_(self) -> npt.NDArray[np.int64]:
        """How many examples had been weighed at each point of the history."""
        return self._record.times[: self._record.cursor[0]]

    @property
    def weight_history_(self) -> npt.NDArray[np.float64]:
        """The member weights at these times, shape (points, n_estimators)."""
        return self._record.history[: self._record.cursor[0]]

    def _weights_of_members(self) -> npt.NDArray[np.float64]:
        raise NotImplementedError

    def _votes(self, X):
        table = self._encoded(X)
        votes = np.zeros((len(table), len(self.classes_)))
        for part, answers in self._asked(table):
            self._count(answers, votes[part])
        return votes

    def predict(self, X):
        """Return the class with most votes for each example, shape (n_examples,); of two tied classes, the second."""
        votes = self._votes(X)
        chosen = np.empty(len(votes), dtype=np.int64)
        _decide_rows(votes, self._prior, chosen)
        return self.classes_[chosen]


@kernel
def _teach_rows(members, rows, labels, weights, after, work, told):
    """Show every example to the one member; `told`: what it said before, or after."""
    for i in range(labels.shape[0]):
        if after:
            learn(members, 0, rows, i, labels[i], weights[i])
        told[i] = classify(members, 0, rows, i, work)
        if not after:
            learn(members, 0, rows, i, labels[i], weights[i])
    settle(members, 0)


@kernel
def _teach_rows_softly(members, rows, labels, weights, after, work, shares):
    for i in range(labels.shape[0]):
        if after:
            learn(members, 0, rows, i, labels[i], weights[i])
        distribute(members, 0, rows, i, work, shares[i])
        if not after:
            learn(members, 0, rows, i, labels[i], weights[i])
    settle(members, 0)


@inner
def decide(votes, prior):
    """Return the class of most votes: of two tied classes the second, as printed; of more the usual one."""
    if votes.shape[0] == 2 and votes[0] + votes[1] > 0.0:
        return 1 if votes[1] >= votes[0] - TIE * max(1.0, votes[0]) else 0
    return best_class(votes, prior)


@kernel
def _decide_rows(votes, prior, chosen):
    for i in range(votes.shape[0]):
        chosen[i] = decide(votes[i], prior)


@inner
def note(record, weights, chosen, label, weight):
    """Write down how the ensemble did, and the member weights if it is time; if full, every second point goes."""
    history, times, cursor = record.history, record.times, record.cursor
    record.own[0] += weight
    if chosen != label:
        record.own[1] += weight
    cursor[2] += 1
    if cursor[2] % cursor[1] != 0:
        return
    if cursor[0] == times.shape[0]:
        kept = 0
        for p in range(1, cursor[0], 2):
            times[kept] = times[p]
            for m in range(history.shape[1]):
                history[kept, m] = history[p, m]
            kept += 1
        cursor[0] = kept
        cursor[1] *= 2
        if cursor[2] % cursor[1] != 0:
            return
    times[cursor[0]] = cursor[2]
    for m in range(history.shape[1]):
        history[cursor[0], m] = weights[m]
    cursor[0] += 1
