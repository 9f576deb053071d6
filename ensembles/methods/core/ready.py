"""Ready ensembles: estimators of other libraries as methods of their own, without a base model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.dummy import DummyClassifier
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Table
from ensembles.declarations import argument, choice
from ensembles.draws import entropy_of
from ensembles.learners.core.checking import FEW_OF_EACH
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import CATEGORICAL, SEED, Learner, TrainingBatch
from ensembles.learners.core.tree_size import TreeSize
from ensembles.methods.core.grid import FOLDS, best_of, candidates_of, folds_of
from ensembles.methods.core.handover import Floats, Handover

__all__ = ["N_JOBS", "ReadyEnsemble", "Task"]

N_JOBS = argument(
    default=1,
    what="int or None",
    help="Threads, as the library counts them: -1 for all processors. Trials of experiments have one.",
)

_TUNE = "tune"
_SEEDS = 2**31
_PARTS = 1000


class Task(NamedTuple):
    """What one estimator is to learn: its inputs, classes numbered through, weights, None if all are 1, and settings.

    `report` is told which share is done; what it raises ends the training.
    """

    handover: Handover
    inputs: Floats
    labels: npt.NDArray[np.int64]
    weights: Floats | None
    settings: Mapping[str, Any]
    seed: int
    report: Callable[[float], None]


class Trained(NamedTuple):
    """A model that has learned, how it is handed examples, and the labels of its classes."""

    model: Any
    handover: Handover
    classes: npt.NDArray[np.int64]

    def labels_of(self, table: Table) -> npt.NDArray[np.int64]:
        """Return the label of each example."""
        return self.labels(self.model.predict(self.handover.inputs(table)))

    def labels(self, told: Any) -> npt.NDArray[np.int64]:
        """Return the labels of what the estimator told."""
        return self.classes[np.asarray(told).ravel().astype(np.int64)]


def _tells_stages(ready: ReadyEnsemble) -> bool:
    return type(ready)._stages is not ReadyEnsemble._stages


class ReadyEnsemble(Learner):
    """An estimator of another library, handed examples as a careful user of it would.

    Numeric attributes are handed over as they are, missing values as NaN. Nominal attributes are categories where the
    estimator knows such, or else an input for each value (`one_hot`); values never seen in training count as missing. Of
    training examples of one class the model is that class. Subclasses say which estimator it is (`_made`), and how it is
    trained if not by a plain `fit` (`_fitted`).

    Attributes
    ----------
    estimator_ : estimator
        What was trained, of the other library; its classes are numbered as in `classes_`.
    best_params_ : dict
        With `tune="grid"`: the settings that were chosen.
    stop_reason_ : str or None
        Why training ended before all members that were asked for.
    """

    kind = "method"
    takes_base: ClassVar[bool] = False
    weighted = False
    stops_early: ClassVar[bool] = False
    warns_if_stopped = False
    library: ClassVar[str | None] = None  # that has to be installed besides what the product needs
    one_hot: ClassVar[bool] = False
    most_values: ClassVar[int | None] = None
    has_importances: ClassVar[bool] = True
    grid: ClassVar[Mapping[str, tuple[Any, ...]]] = {}

    tune: str = choice(
        default="none",
        label="Tuning",
        help="Use the settings as they are, or choose by cross-validation within the training examples.",
        details="Use the settings as they are, or try a small fixed grid (and what was given) by three-fold stratified "
        "cross-validation within the training examples: the most accurate settings train the model. If no class has two "
        "examples, nothing is tried.",
        choices=("none", "grid"),
        labels=("settings as they are", "small grid, cross-validated"),
    )
    categorical_features: Any = argument(default=None, what=CATEGORICAL.what, help=CATEGORICAL.help, kw_only=True)
    random_state: Any = argument(default=None, what=SEED.what, help="Seed of what is drawn.", kw_only=True)

    def _new_base_model(self) -> Any:
        return self  # nothing but `categorical_features` is asked of it

    def _lay_out(self, *_: Any, **__: Any) -> None:
        """Lay out no members: the estimator makes its own."""

    def ensure_capacity(self, members: Any, table: Table) -> Any:  # noqa: ARG002
        """Return what was learned: an estimator makes its own room."""
        return members

    def _made(self, task: Task) -> Any:
        """Return the estimator, untrained."""
        raise NotImplementedError

    def _fitted(self, task: Task) -> Any:
        """Return the estimator, trained on examples of at least two classes."""
        return self._made(task).fit(task.inputs, task.labels, sample_weight=task.weights)

    def _count(self, estimator: Any) -> int:
        """Return how many members an estimator has."""
        raise NotImplementedError

    def _why_stopped(self, n_trained: int) -> str | None:  # noqa: ARG002
        """Return why there are no more than `n_trained` members; None if there are as many as asked for."""
        return None

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on all examples.

        Parameters
        ----------
        X : DataFrame, array or Table, shape (n_examples, n_attributes)
            Categorical, text and truth columns are nominal; NaN is a missing value.
        y : array of shape (n_examples,)
        sample_weight : array of shape (n_examples,), optional
            Not negative; an example of weight 0 is not seen at all. They are handed to the estimator, relative ones one on
            average.
        """
        self._forget()
        examples = self._validated_examples(X, y, sample_weight, batch=True)
        given = {parameter.name: getattr(self._given, parameter.name) for parameter in self.parameters}
        seed = entropy_of(self.random_state) % _SEEDS
        tune = given.pop(_TUNE) == "grid"
        candidates = self._candidates(given) if tune else []
        folds = folds_of(examples.labels, FOLDS, seed) if tune else []
        done = _Progress(self._report, len(candidates) * len(folds) + 1)

        def train(part: TrainingBatch, candidate: dict[str, Any]) -> Trained:
            return self._trained(part, given | candidate, seed, done)

        with self._threads():
            if tune:
                self.best_params_ = best_of(candidates, examples, folds, lambda *some: train(*some).labels_of)
                given |= self.best_params_
            self._members = train(examples, given)
        self.estimator_ = self._members.model
        only = isinstance(self.estimator_, DummyClassifier)
        self.n_members_ = 1 if only else self._count(self.estimator_)
        self.stop_reason_ = None if only else self._why_stopped(self.n_members_)
        return self

    def _candidates(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        return candidates_of(self.grid, given)

    def _trained(
        self, examples: TrainingBatch, settings: Mapping[str, Any], seed: int, report: Callable[[float], None]
    ) -> Trained:
        classes, labels = np.unique(examples.labels, return_inverse=True)
        handover = self._handed(examples.table)
        inputs = handover.inputs(examples.table)
        if len(classes) == 1:
            estimator = DummyClassifier().fit(inputs, labels)
        else:
            weights = None if (examples.weights == 1.0).all() else examples.weights
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", FEW_OF_EACH, UserWarning)
                estimator = self._fitted(Task(handover, inputs, labels, weights, settings, seed, report))
        report(1.0)
        return Trained(estimator, handover, classes)

    def _threads(self) -> AbstractContextManager[Any]:
        """Return a context that holds the estimator to its threads, where it cannot be told by a parameter."""
        return nullcontext()

    def _handed(self, table: Table) -> Any:
        return Handover.learned(table, one_hot=self.one_hot, most_values=self.most_values)

    def _inputs(self, X: Any) -> Any:
        table = self._encoded(X)
        return self._members.handover.inputs(table)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each example, shape (n_examples,)."""
        inputs = self._inputs(X)
        with self._threads():
            told = self.estimator_.predict(inputs) if len(inputs) else ()  # libraries refuse to predict no example
        return self._named(told)

    def _labels_by(self, models: Sequence[Any], inputs: Any) -> npt.NDArray[np.int64]:
        """Return the labels that each of some models of the library tells, shape (n_models, n_examples)."""
        return np.stack([self._members.labels(one.predict(inputs) if len(inputs) else ()) for one in models])

    def _named(self, told: Any) -> npt.NDArray[Any]:
        """Return the classes of what the estimator told."""
        named: npt.NDArray[Any] = self.classes_[self._members.labels(told)]
        return named

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class, shape (n_examples, n_classes), columns as `classes_`."""
        inputs = self._inputs(X)
        if not len(inputs):
            return np.empty((0, len(self.classes_)))
        with self._threads():
            told = np.asarray(self.estimator_.predict_proba(inputs))
        shares: npt.NDArray[np.float64] = told.astype(np.float64)
        if told.dtype != np.float64:  # single precision does not sum to one
            shares /= shares.sum(axis=1, keepdims=True)
        return shares

    @property
    def estimators_(self) -> list[Any]:
        """The members as the library made them; where it shows none, what it trained: `estimator_` alone.

        They take what `library_inputs` gives, and number the classes that training showed.
        """
        self._check_learned()
        return [*getattr(self.estimator_, "estimators_", [self.estimator_])]

    def library_inputs(self, X: Any) -> Any:
        """Return examples as the library is handed them: numbers, shape (n_examples, n_inputs), or a data frame."""
        return self._inputs(X)

    def _library_bytes(self, estimator: Any) -> int:  # noqa: ARG002
        """Return the bytes of a trained model that its library keeps out of NumPy arrays, as the library writes it down."""
        return 0

    @property
    def model_bytes_outside_(self) -> int:
        """Bytes of what the library keeps out of NumPy arrays, as it writes its model down; 0 where arrays hold all."""
        self._check_learned()
        return 0 if isinstance(self.estimator_, DummyClassifier) else self._library_bytes(self.estimator_)

    @property
    def member_sizes_(self) -> list[TreeSize | None]:
        """Nodes, leaves and depth of each member; None where the library does not tell."""
        self._check_learned()
        return [None] * self.n_members_

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """How much each attribute tells, in shares of one; all 0 where no attribute tells anything."""
        if not self.has_importances:
            raise AttributeError(f"{type(self).__name__} has no attribute 'feature_importances_': its library has none")
        self._check_learned()
        of_inputs = getattr(self.estimator_, "feature_importances_", np.zeros(sum(self._members.handover.widths)))
        shares: npt.NDArray[np.float64] = self._members.handover.by_attribute(np.asarray(of_inputs))
        return shares

    @available_if(_tells_stages)
    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield what the first 1, 2, ..., n_members_ members predict together, each of shape (n_examples,)."""
        inputs = self._inputs(X)
        stages: Iterable[Any] = [()] * self.n_members_  # of no example
        if len(inputs):
            only = isinstance(self.estimator_, DummyClassifier)
            stages = [self.estimator_.predict(inputs)] if only else self._stages(inputs)
        for told in stages:
            yield self._named(told)

    def _stages(self, inputs: Floats) -> Iterator[Any]:
        """Yield the numbers of the classes that the first 1, 2, ... members predict together."""
        raise NotImplementedError


class _Progress:
    """Tells how far `n_trainings` are, one after the other."""

    def __init__(self, report: Callable[[int, int], None], n_trainings: int) -> None:
        self._report, self._n, self._done = report, n_trainings, 0

    def __call__(self, share: float) -> None:
        """Tell that a share, in (0, 1], of the training at hand is done."""
        self._report(max(1, round(_PARTS * (self._done + share))), _PARTS * self._n)
        self._done += share == 1.0
