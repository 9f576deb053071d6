"""From a few timed samples to the seconds of any other size: as a range, and never less for more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log2

import numpy as np
from scipy.optimize import nnls

__all__ = ["CostModel", "LearnerCost", "Sample", "Span", "fit_costs"]

_SHAPES: tuple[Callable[[float], float], ...] = (
    lambda n: n,
    lambda n: n * log2(n + 1.0),
    lambda n: n**1.5,
    lambda n: n**2,
)
"""How the time of a member may grow with its examples: naive Bayes, sorting and trees, neighbours; none falls."""

_MARGIN = 1.2  # what a machine takes more or less from one time to the next
_AS_GOOD = 1.5  # a shape whose misfit is at most so many times the smallest one may be the true one ...
_NEARLY = 0.05  # ... and so may one whose misfit is larger by no more than this
_NEARER = 0.25  # exponent by which a sample counts more when it is larger
_SIZES_TO_TELL = 4  # different numbers of examples that tell one growth from another
_BLIND = 3.0  # further margin where samples of one size tell nothing of growth
_FAR = 0.1  # exponent by which the range opens upwards with the distance from the largest sample


@dataclass(frozen=True)
class Sample:
    """Seconds that so many examples took with so many members."""

    examples: int
    members: int
    seconds: float


@dataclass(frozen=True)
class Span:
    """Seconds, at least and at most."""

    low: float = 0.0
    high: float = 0.0

    def __add__(self, other: Span) -> Span:
        return Span(self.low + other.low, self.high + other.high)

    def __mul__(self, times: float) -> Span:
        return Span(self.low * times, self.high * times)

    __rmul__ = __mul__


@dataclass(frozen=True)
class _Curve:
    """`fixed` + `of_examples` n + `of_members` m + `of_both` m shape(n), no coefficient below zero: it never falls."""

    shape: Callable[[float], float]
    fixed: float
    of_examples: float
    of_members: float
    of_both: float

    def at(self, examples: float, members: float, trained_on: float) -> float:
        """Return seconds; with a model of `trained_on` examples, each example takes its share of what they take."""
        rate = self.shape(trained_on) / trained_on
        return self.standing(members) + examples * (self.of_examples + self.of_both * members * rate)

    def standing(self, members: float) -> float:
        """Return what a call costs whatever the number of examples."""
        return self.fixed + self.of_members * members


@dataclass(frozen=True)
class CostModel:
    """Every curve that may be the true one, and how far they may be off.

    Deterministic, and by construction it never falls with examples or members: neither does any of the curves, so neither
    does the lowest nor the highest of them.
    """

    curves: tuple[_Curve, ...]
    margin: float
    reach: float  # examples x members of the largest sample

    def at(self, examples: float, members: float, trained_on: float | None = None) -> Span:
        """Return the seconds of so many examples and members.

        Parameters
        ----------
        trained_on : float, optional
            Examples that the model was trained on, where it is asked about others; else `examples`.
        """
        if trained_on is None:
            trained_on = examples
        trained_on = max(trained_on, 1.0)
        seconds = [curve.at(examples, members, trained_on) for curve in self.curves]
        far = max(max(examples, trained_on) * members / self.reach, 1.0) ** _FAR
        return Span(min(seconds) / self.margin, max(seconds) * self.margin * far)

    def standing(self, members: float) -> Span:
        """Return what each call costs besides its examples."""
        seconds = [curve.standing(members) for curve in self.curves]
        return Span(min(seconds) / self.margin, max(seconds) * self.margin)


@dataclass(frozen=True)
class LearnerCost:
    """What a learner costs on a data set, whatever its number of members.

    Attributes
    ----------
    fits, asked : tuple of Sample
        Of a stream, `fits` are of predicting and learning, and `asked` is empty.
    built : float
        Share of the members it is allowed that it built in the largest probe; below 1 when it stopped early.
    attributes : int
    busy : float
        How many times as long as its own work a probe lasted, as others use the machine too; at least 1.
    steady : bool
        Whether each example of a stream costs about as much as those before: samples need not tell how that grows.
    """

    fits: tuple[Sample, ...]
    asked: tuple[Sample, ...]
    built: float
    attributes: int
    busy: float = 1.0
    steady: bool = False

    @cached_property
    def fit(self) -> CostModel:
        """What training, or a stream, costs."""
        return fit_costs(self.fits, _SHAPES[:1] if self.steady else _SHAPES)

    @cached_property
    def predict(self) -> CostModel | None:
        """What predicting costs, apart from a stream."""
        return fit_costs(self.asked) if self.asked else None


def fit_costs(samples: Sequence[Sample], shapes: Sequence[Callable[[float], float]] = _SHAPES) -> CostModel:
    """Return the model of samples (at least one), by one of the shapes.

    Kept are the slowest growth that explains the samples about as well as the best one, and the next faster one if it does
    too: what fits small samples equally well may differ a lot where they end. Of samples of few sizes, which tell little of
    growth, more are kept.
    """
    samples = _without_outliers(samples)
    fitted = [_fit(samples, shape) for shape in shapes]
    best = min(misfit for _, misfit in fitted)
    limit = max(_AS_GOOD * best, best + _NEARLY)
    first = next(position for position, (_, misfit) in enumerate(fitted) if misfit <= limit)
    last = first + 1 + max(_SIZES_TO_TELL - len({sample.examples for sample in samples}), 0)
    curves = tuple(curve for curve, misfit in fitted[first : last + 1] if misfit <= limit)
    reach = max(sample.examples * sample.members for sample in samples)
    margin = _MARGIN + best
    if len({sample.examples for sample in samples}) < 2:
        curves, margin = (_proportional(samples),), margin * _BLIND
    return CostModel(curves, margin, float(reach))


def _without_outliers(samples: Sequence[Sample]) -> list[Sample]:
    """Return samples of which none took longer than another with as many examples and members, or more."""

    def least(one: Sample) -> float:
        return min(s.seconds for s in samples if s.examples >= one.examples and s.members >= one.members)

    return [replace(sample, seconds=least(sample)) for sample in samples]


def _fit(samples: Sequence[Sample], shape: Callable[[float], float]) -> tuple[_Curve, float]:
    """Return the curve of least relative error, none of its coefficients below zero, and that error.

    Large samples count a little more: they are nearer to what is asked for.
    """
    terms = np.array([[1.0, s.examples, s.members, s.members * shape(s.examples)] for s in samples])
    weights = (terms[:, 1] / terms[:, 1].max()) ** _NEARER
    if len(set(terms[:, 2])) < 2:
        terms[:, :2] = 0.0  # one number of members tells nothing of what there is besides: all may be theirs
    seconds = np.array([max(s.seconds, 1e-9) for s in samples])
    relative = terms / seconds[:, None] * weights[:, None]
    scale = np.maximum(relative.max(axis=0), 1e-300)
    coefficients, _ = nnls(relative / scale, weights)
    misfit = relative / scale @ coefficients - weights
    error = float(np.sqrt(np.sum(misfit**2) / np.sum(weights**2)))
    return _Curve(shape, *map(float, coefficients / scale)), error


def _proportional(samples: Sequence[Sample]) -> _Curve:
    last = samples[-1]
    return _Curve(_SHAPES[0], 0.0, 0.0, 0.0, last.seconds / (last.examples * last.members))
