"""The protocol of an experiment as a user writes it: how often, into how many parts, in how many orders."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from ensembles.experiments.protocol_base import ORDERS, AnyProtocol, orders_in_words
from ensembles.experiments.stream_protocol import Prequential
from ensembles.experiments.yaml_io import check_new_name, checked, problem, shown
from ensembles.parameters import Flag, Integer, Parameter

__all__ = ["PROTOCOLS", "BiasVariance", "CrossValidation", "GivenSplit", "Holdout", "Prequential", "Protocol"]


@dataclass(frozen=True)
class _TrainSize(Parameter):
    """A number of examples, or the fraction of all examples."""

    def allowed(self) -> str:
        return "a whole number of examples from 1 or a fraction above 0 and below 1"

    def _allows(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            return False
        return (isinstance(value, int) and value >= 1) or 0.0 < float(value) < 1.0


_REPEATS = Integer("repeats", 10, "Repeats", "How often the examples are split afresh.", 1, 100_000)
_FOLDS = Integer("folds", 5, "Folds", "Parts of equal size; each is the test set once.", 2, 1_000_000)
_ONE_ORDER = Integer("orders", 1, ORDERS.label, ORDERS.help, ORDERS.low, ORDERS.high)
_STRATIFIED = Flag("stratified", True, "Stratified", "Every part has about the same share of each class.")
_LOOSE = Flag("stratified", False, _STRATIFIED.label, _STRATIFIED.help)
_TRAIN_SIZE = _TrainSize("train_size", 0.8, "Training examples", "A number of examples, or a fraction of all.")
_FEW_REPEATS = Integer("repeats", 3, _REPEATS.label, _REPEATS.help, _REPEATS.low, _REPEATS.high)
_SETS = Integer("training_sets", 10, "Training sets", "Drawn from the pool, each of half its size.", 2, 1000)
_POOL = _TrainSize(
    "pool", 0.5, "Pool", "Examples that training sets are drawn from, or their share; the others are the test."
)


class CrossValidation(AnyProtocol):
    """Repeated k-fold cross-validation (Oza's thesis, section 3.5.1: ten times five folds, five orders)."""

    name: ClassVar[str] = "Cross-validation"
    parameters: ClassVar[tuple[Parameter, ...]] = (_REPEATS, _FOLDS, ORDERS, _STRATIFIED)

    kind: Literal["cross_validation"] = "cross_validation"
    repeats: Annotated[int, checked(_REPEATS)] = _REPEATS.default
    folds: Annotated[int, checked(_FOLDS)] = _FOLDS.default
    orders: Annotated[int, checked(ORDERS)] = ORDERS.default
    stratified: Annotated[bool, checked(_STRATIFIED)] = _STRATIFIED.default

    @property
    def sentence(self) -> str:
        """What people read: "10 × 5-fold cross-validation, 5 orders"."""
        return f"{self.repeats} × {self.folds}-fold cross-validation{_loose(self)}, {orders_in_words(self.orders)}"

    @property
    def told_apart(self) -> tuple[str, ...]:
        """See `AnyProtocol`."""
        return (f"{self.folds:,} folds",)

    @property
    def splits(self) -> tuple[int, int]:
        """Repeats, and folds in each."""
        return self.repeats, self.folds

    def split_settings(self) -> dict[str, Any]:
        """Return what defines one split, whatever the number of repeats and orders."""
        return {"kind": self.kind, "folds": self.folds, "stratified": self.stratified}


class Holdout(AnyProtocol):
    """Repeated random partitions into training and test examples (Lee and Clyde: 1000 of fixed sizes)."""

    name: ClassVar[str] = "Hold-out"
    parameters: ClassVar[tuple[Parameter, ...]] = (_REPEATS, _TRAIN_SIZE, _LOOSE, _ONE_ORDER)

    kind: Literal["holdout"] = "holdout"
    repeats: Annotated[int, checked(_REPEATS)] = _REPEATS.default
    train_size: Annotated[int | float, checked(_TRAIN_SIZE)] = _TRAIN_SIZE.default
    stratified: Annotated[bool, checked(_LOOSE)] = _LOOSE.default
    orders: Annotated[int, checked(_ONE_ORDER)] = _ONE_ORDER.default

    @property
    def sentence(self) -> str:
        """What people read: "1000 × hold-out, 200 training examples, 1 order"."""
        loose = ", stratified" * self.stratified
        return f"{self.repeats} × hold-out, {self._size}{loose}, {orders_in_words(self.orders)}"

    @property
    def told_apart(self) -> tuple[str, ...]:
        """See `AnyProtocol`."""
        return (self._size,)

    @property
    def _size(self) -> str:
        if self.train_size >= 1:
            return f"{self.train_size:,} training examples"
        return f"{100 * self.train_size:.4g} % for training"

    @property
    def splits(self) -> tuple[int, int]:
        """Repeats, and folds in each."""
        return self.repeats, 1

    def split_settings(self) -> dict[str, Any]:
        """Return what defines one split, whatever the number of repeats and orders."""
        return {"kind": self.kind, "train_size": self.train_size, "stratified": self.stratified}

    def n_train(self, n_examples: int) -> int:
        """Return the number of training examples out of `n_examples` (at least 2): at least one, and one is left."""
        wanted = self.train_size if self.train_size >= 1 else round(self.train_size * n_examples)
        return min(max(int(wanted), 1), n_examples - 1)


class GivenSplit(AnyProtocol):
    """Training and test examples as supplied, in two data sets."""

    name: ClassVar[str] = "Given test set"
    parameters: ClassVar[tuple[Parameter, ...]] = (ORDERS,)

    kind: Literal["given_split"] = "given_split"
    test_file: str | None = None
    test_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    test_name: Annotated[str | None, BeforeValidator(check_new_name)] = None  # what people read where it is not stored
    orders: Annotated[int, checked(ORDERS)] = ORDERS.default

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.test_file is None) == (self.test_sha256 is None):
            raise problem("give either test_file or test_sha256")
        if self.test_name is not None and self.test_sha256 is None:
            raise problem("test_name goes with test_sha256 only; it cannot go with test_file")
        return self

    @property
    def sentence(self) -> str:
        """What people read: "given test set, 5 orders"."""
        return f"given test set, {orders_in_words(self.orders)}"

    @property
    def told_apart(self) -> tuple[str, ...]:
        """See `AnyProtocol`."""
        return () if self.test_sha256 is None else (self.test_sha256[:8],)

    @property
    def splits(self) -> tuple[int, int]:
        """Repeats, and folds in each."""
        return 1, 1

    def split_settings(self) -> dict[str, Any]:
        """Return what defines the split."""
        return {"kind": self.kind, "test": self.test_sha256 or self.test_file}


class BiasVariance(AnyProtocol):
    """Bias and variance of zero-one loss (Kohavi & Wolpert 1996, as in Bauer & Kohavi, section 4).

    A random pool of examples, of which training sets of half its size are drawn; the other examples are the test set. One
    trial trains on every training set of a pool.
    """

    name: ClassVar[str] = "Bias and variance"
    parameters: ClassVar[tuple[Parameter, ...]] = (_FEW_REPEATS, _SETS, _POOL)
    own_measures: ClassVar[tuple[str, ...]] = (
        *("accuracy", "error", "bias", "variance"),
        *("main_bias", "unbiased_variance", "biased_variance"),
    )

    kind: Literal["bias_variance"] = "bias_variance"
    repeats: Annotated[int, checked(_FEW_REPEATS)] = _FEW_REPEATS.default
    training_sets: Annotated[int, checked(_SETS)] = _SETS.default
    pool: Annotated[int | float, checked(_POOL)] = _POOL.default

    @property
    def sentence(self) -> str:
        """What people read: "bias and variance, 3 × 10 training sets"."""
        return f"bias and variance, {self.repeats} × {self.training_sets} training sets"

    @property
    def told_apart(self) -> tuple[str, ...]:
        """See `AnyProtocol`."""
        share = f"{100 * self.pool:.4g} % of the examples"
        return (f"a pool of {f'{self.pool:,} examples' if self.pool >= 1 else share}",)

    @property
    def splits(self) -> tuple[int, int]:
        """Repeats, and folds in each."""
        return self.repeats, 1

    @property
    def trainings(self) -> int:
        """See `AnyProtocol`."""
        return self.training_sets

    def split_settings(self) -> dict[str, Any]:
        """Return what defines one repeat."""
        return {"kind": self.kind, "training_sets": self.training_sets, "pool": self.pool}

    def n_pool(self, n_examples: int) -> int:
        """Return the size of the pool out of `n_examples` (at least 3): at least two, and one is left for the test."""
        wanted = self.pool if self.pool >= 1 else round(self.pool * n_examples)
        return min(max(int(wanted), 2), n_examples - 1)

    @classmethod
    def offered_curves(cls) -> tuple[str, ...]:
        """Return the keys of the curves that an experiment may ask for: none, a trial has many learners."""
        return ()


_Any = CrossValidation | Holdout | GivenSplit | Prequential | BiasVariance

#: Every protocol, by kind.
PROTOCOLS: dict[str, type[_Any]] = {
    "cross_validation": CrossValidation,
    "holdout": Holdout,
    "given_split": GivenSplit,
    "prequential": Prequential,
    "bias_variance": BiasVariance,
}


def _check_kind(value: Any) -> Any:
    if isinstance(value, dict):
        kind, known = value.get("kind"), ", ".join(PROTOCOLS)
        if kind is None:
            raise problem(f"kind is missing; it must be one of {known}")
        if not isinstance(kind, str) or kind not in PROTOCOLS:
            raise problem(f"kind must be one of {known}, got {shown(kind)}")
    elif not isinstance(value, _Any):
        raise problem(f"must be fields with values, got {shown(value)}")
    return value


Protocol = Annotated[_Any, Field(discriminator="kind"), BeforeValidator(_check_kind)]


def _loose(protocol: CrossValidation) -> str:
    return "" if protocol.stratified else " (not stratified)"
