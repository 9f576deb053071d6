"""What all generators share: size, seed, noise, class balance, and concepts that drift.

Each purpose has random numbers of its own, so that a setting changes nothing but what it is about. Where the class follows
from the attributes and there is no drift, fewer rows of the same seed are the first rows of more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.dataset import Dataset
from ensembles.errors import InvalidParameter
from ensembles.parameters import Choice, Integer, Parameter, Real

__all__ = ["Generator", "Stream", "draw_by_rule", "label_noise", "swap", "swapped_setting"]

Labels = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_PURPOSES = {"classes": 1, "label_noise": 2, "drift": 3, "attributes": 4, "concept": 5, "turns": 6}
_MOST_ROUNDS = 1000  #: attempts to draw an example of a wanted class


@dataclass(frozen=True)
class Stream:
    """The settings that all generators share; `source` tells them in words.

    Attributes
    ----------
    noise : float
        What it means is the generator's affair.
    class_ratio : float in [0, 1]
        Each class occurs this many times as often as the one before it; 0: as often as the attributes bring it.
    drift : {"none", "abrupt", "gradual", "recurring"}
    drift_at, drift_width : float
        Shares of the rows: where the concept changes, and over how many around it.
    times : int
        How often it changes, if abruptly or gradually: each time `drift_at` of the rows later.
    """

    rows: int
    seed: int
    drift: str
    drift_at: float
    drift_width: float
    source: str
    noise: float = 0.0
    class_ratio: float = 0.0
    times: int = 1

    def numbers(self, purpose: str, *more: int) -> np.random.Generator:
        """Return the random numbers for one purpose."""
        return np.random.default_rng([self.seed, _PURPOSES[purpose], *more])

    def concepts(self, n_concepts: int = 2, first: int = 0) -> Labels:
        """Return the concept of each row, in [0, n_concepts); after the last comes the first again.

        A gradual drift takes row t from the new concept with probability 1 / (1 + exp(-4 (t - position) / width)), as
        MOA's ConceptDriftStream (Bifet et al. 2009).
        """
        row, position = np.arange(self.rows), self.drift_at * self.rows
        later: npt.NDArray[Any]
        if self.drift == "abrupt":
            later = row >= position
        elif self.drift == "recurring":
            later = row // position
        elif self.drift == "gradual":
            from scipy.special import expit  # see data/openml.py

            width = max(self.drift_width * self.rows, 1.0)
            later = self.numbers("drift").random(self.rows) < expit(4.0 * (row - position) / width)
        else:
            later = np.zeros(self.rows)
        return (first + later.astype(np.int64)) % n_concepts

    @property
    def changes(self) -> tuple[int, ...]:
        """After how many rows the concept changes; of a gradual drift, where both concepts are as likely."""
        position = self.drift_at * self.rows
        places = (math.ceil(position * time) for time in range(1, self.most_changes + 1))
        return tuple(place for place in places if place < self.rows)

    @property
    def most_changes(self) -> int:
        """How often the concept changes, if there are rows enough."""
        recurring = math.ceil(self.rows / (self.drift_at * self.rows)) - 1
        return {"none": 0, "recurring": recurring}.get(self.drift, self.times)

    def wanted_classes(self, n_classes: int) -> Labels:
        """Draw the class of each row, by the ratio of the classes."""
        heap = np.cumsum(self.class_ratio ** np.arange(n_classes))
        return np.searchsorted(heap[:-1] / heap[-1], self.numbers("classes").random(self.rows), side="right")

    def flipped(self, labels: Labels, n_classes: int) -> Labels:
        """Return the classes with a share `noise` of them replaced by another, each other one alike."""
        drawn = self.numbers("label_noise").random((self.rows, 2))
        other = (labels + 1 + (drawn[:, 1] * (n_classes - 1)).astype(np.int64)) % n_classes
        return np.where(drawn[:, 0] < self.noise, other, labels)


@dataclass(frozen=True)
class Generator:
    """A data set that is generated: its settings, and how it is made.

    Attributes
    ----------
    key : str
        Of the catalogue.
    rows : int
        Number of examples by default.
    make : callable
        From a `Stream` and the generator's own settings by name to the data set.
    noise : Parameter, optional
        Named "noise", if there is any.
    own : tuple of Parameter
        Settings that no other generator need have.
    by_rule : bool
        The class follows from the attributes, and is not drawn first.
    ratio : bool
        Classes may be asked for in a ratio.
    """

    key: str
    rows: int
    make: Callable[..., Dataset]
    noise: Parameter | None = None
    own: tuple[Parameter, ...] = ()
    by_rule: bool = False
    ratio: bool = True

    @property
    def settings(self) -> tuple[Parameter, ...]:
        """All settings, as `load` takes them."""
        return (
            Integer("rows", self.rows, "Rows", "Number of examples to generate.", low=100, high=2_000_000),
            Integer("seed", 1, "Seed", "The same seed gives the same data set."),
            *([self.noise] if self.noise else ()),
            *self.own,
            *([_ratio(by_rule=self.by_rule)] if self.ratio else ()),
            *_DRIFT,
        )

    def load(self, **settings: Any) -> Dataset:
        """Generate the data set with these settings, all of them given and checked."""
        told = [f"generated, {settings['rows']:,} rows, seed {settings['seed']}"]
        chosen = [(parameter, settings[parameter.name]) for parameter in self.settings[2:]]
        told += [f"{parameter.label.lower()} {value}" for parameter, value in chosen if value != parameter.default]
        own = {name: value for name, value in settings.items() if name not in _SHARED}
        return self.make(_stream(settings, ", ".join(told)), **own)

    def changes(self, **settings: Any) -> tuple[int, ...]:
        """Return after how many rows the concept changes; settings that are left out have their defaults."""
        defaults = {parameter.name: parameter.default for parameter in self.settings}
        return _stream(defaults | settings, "").changes


_SHARED = {field.name for field in fields(Stream)}


def _stream(settings: Mapping[str, Any], source: str) -> Stream:
    return Stream(**{name: value for name, value in settings.items() if name in _SHARED}, source=source)


_DRIFT = (
    Choice(
        "drift",
        "none",
        "Drift",
        "How the concept changes on the way.",
        choices=("none", "abrupt", "gradual", "recurring"),
        labels=("none", "abrupt: from one example to the next", "gradual: more and more", "recurring: again and again"),
    ),
    Real(
        "drift_at",
        0.5,
        "Place of the drift",
        "Share of the examples before the change; if recurring, before each change.",
        low=0.01,
        high=1.0,
    ),
    Real(
        "drift_width",
        0.1,
        "Width of the drift",
        "If gradual: share of the examples in which old and new concept are mixed.",
        low=0.0,
        high=1.0,
    ),
)


def _ratio(*, by_rule: bool) -> Parameter:
    text = "Each class is this many times as frequent as the one before it, noise aside; 1: all alike."
    if by_rule:
        return Real("class_ratio", 0.0, "Class ratio", f"{text} 0: as the rule gives them.", low=0.0, high=1.0)
    return Real("class_ratio", 1.0, "Class ratio", text, low=0.0, high=1.0, open_low=True)


def label_noise(share: float) -> Parameter:
    """Declare noise that gives a share of the examples another class."""
    return Real("noise", share, "Noise", "Share of the examples that get another class.", low=0.0, high=1.0)


def swapped_setting(most: int) -> Parameter:
    """Declare how many attributes change places in the second concept."""
    text = "If there is drift: how many attributes change places with attributes of the other half."
    return Integer("swapped", most, "Attributes that drift", text, low=1, high=most)


def swap(values: npt.NDArray[Any], swapped: int, concepts: Labels) -> None:
    """Let the first attributes change places with those that begin the other half, in rows of the second concept."""
    rows, half = np.flatnonzero(concepts), values.shape[1] // 2
    front, back = np.arange(swapped), np.arange(half, half + swapped)
    values[np.ix_(rows, [*front, *back])] = values[np.ix_(rows, [*back, *front])]


def draw_by_rule(
    stream: Stream, n_attributes: int, n_classes: int, classify: Callable[[Floats, Labels], Labels], owner: str
) -> tuple[Floats, Labels]:
    """Draw numbers of [0, 1) for each row and classify them; noise comes last.

    With a class ratio, the class of a row is drawn first, and then attributes until their class is that one.

    Parameters
    ----------
    classify : callable
        From numbers of shape (n, n_attributes) and the rows they stand in, of shape (n,), to classes.
    owner : str
        Key of the generator, for errors.

    Raises
    ------
    InvalidParameter
        A class is so rare that its share cannot be drawn.
    """
    values = stream.numbers("attributes").random((stream.rows, n_attributes))
    labels = classify(values, np.arange(stream.rows))
    if stream.class_ratio > 0:
        wanted = stream.wanted_classes(n_classes)
        open_rows, attempt = np.flatnonzero(labels != wanted), 0
        while len(open_rows):
            if attempt == _MOST_ROUNDS:
                raise InvalidParameter(
                    f"{owner}: class_ratio must be 0 here, as class {wanted[open_rows[0]]} is too rare to be given a "
                    f"share, got {stream.class_ratio:g}"
                )
            attempt += 1
            values[open_rows] = stream.numbers("attributes", attempt).random((len(open_rows), n_attributes))
            labels[open_rows] = classify(values[open_rows], open_rows)
            open_rows = open_rows[labels[open_rows] != wanted[open_rows]]
    return values, stream.flipped(labels, n_classes)
