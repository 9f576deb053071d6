"""What all generators share: size, seed, noise, class balance, and concepts that drift.

Each purpose has random numbers of its own, so that a setting changes nothing but what it is about. Where the class follows
from the attributes and there is no drift, fewer rows of the same seed are the first rows of more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.errors import InvalidParameter

__all__ = ["Made", "Stream", "draw_by_rule", "swap"]

_MOST_CHANGES = 1000

Labels = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_PURPOSES = {"classes": 1, "label_noise": 2, "drift": 3, "attributes": 4, "concept": 5, "turns": 6, "block": 7}
_MOST_ROUNDS = 1000  #: attempts to draw an example of a wanted class


class Made(NamedTuple):
    """Examples that were generated."""

    name: str
    table: Table
    labels: Labels
    classes: tuple[str, ...]


@dataclass(frozen=True)
class Stream:
    """The settings that all generators share, and which of the rows are wanted; `source` tells the settings in words.

    Attributes
    ----------
    noise : float
        What it means is the generator's affair.
    class_ratio : float in [0, 1]
        Each class occurs this many times as often as the one before it; 0: as often as the attributes bring it.
    drift : {"none", "abrupt", "gradual", "recurring"}
    drift_at, drift_width : float
        Where the concept changes, and over how many rows around it: shares of the rows, or if above 1 numbers of them.
    times : int
        How often it changes, if abruptly or gradually: each time `drift_at` of the rows later.
    start, size : int
        The rows that are wanted now; size None: all. Who wants some at a time wants them in order.
    carried : dict
        What generators keep from the rows before for those that follow.
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
    start: int = 0
    size: int | None = None
    carried: dict[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many rows are wanted."""
        return self.rows if self.size is None else self.size

    @property
    def position(self) -> float:
        """After how many rows the concept changes first."""
        return self.drift_at if self.drift_at > 1.0 else self.drift_at * self.rows

    @property
    def width(self) -> float:
        """Over how many rows a gradual drift goes."""
        return self.drift_width if self.drift_width > 1.0 else self.drift_width * self.rows

    def drawn(self, purpose: str, *shape: int) -> Floats:
        """Return numbers of [0, 1) for the rows that are wanted, of this shape each; none depends on other rows."""
        rng = self.numbers(purpose)
        rng.bit_generator.advance(self.start * math.prod(shape))  # type: ignore[attr-defined]  # PCG64: a number a step
        return rng.random((self.n, *shape))

    def block(self) -> np.random.Generator:
        """Return numbers for whatever is drawn for the rows that are wanted: of all of them, or of a block by itself."""
        if self.size is None:
            return np.random.default_rng(self.seed)
        return self.numbers("block", self.start)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what is made for the first rows, and kept for those that follow."""
        if name not in self.carried:
            self.carried[name] = make()
        return self.carried[name]

    def numbers(self, purpose: str, *more: int) -> np.random.Generator:
        """Return the random numbers for one purpose."""
        return np.random.default_rng([self.seed, _PURPOSES[purpose], *more])

    def concepts(self, n_concepts: int = 2, first: int = 0) -> Labels:
        """Return the concept of each row, in [0, n_concepts); after the last comes the first again.

        A gradual drift takes row t from the new concept with probability 1 / (1 + exp(-4 (t - position) / width)), as
        MOA's ConceptDriftStream (Bifet et al. 2009).
        """
        row, position = np.arange(self.start, self.start + self.n), self.position
        later: npt.NDArray[Any]
        if self.drift == "abrupt":
            later = row >= position
        elif self.drift == "recurring":
            later = row // position
        elif self.drift == "gradual":
            from scipy.special import expit  # see data/openml.py

            width = max(self.width, 1.0)
            later = self.drawn("drift") < expit(4.0 * (row - position) / width)
        else:
            later = np.zeros(self.n)
        return (first + later.astype(np.int64)) % n_concepts

    @property
    def changes(self) -> tuple[int, ...]:
        """After how many rows the concept changes, up to 1,000 times; of a gradual drift, where both are as likely."""
        places = (math.ceil(self.position * time) for time in range(1, self.most_changes + 1))
        return tuple(islice((place for place in places if place < self.rows), _MOST_CHANGES))

    @property
    def most_changes(self) -> int:
        """How often the concept changes, if there are rows enough."""
        recurring = math.ceil(self.rows / self.position) - 1
        return {"none": 0, "recurring": recurring}.get(self.drift, self.times)

    def wanted_classes(self, n_classes: int) -> Labels:
        """Draw the class of each row, by the ratio of the classes."""
        heap = np.cumsum(self.class_ratio ** np.arange(n_classes))
        return np.searchsorted(heap[:-1] / heap[-1], self.drawn("classes"), side="right")

    def flipped(self, labels: Labels, n_classes: int) -> Labels:
        """Return the classes with a share `noise` of them replaced by another, each other one alike."""
        drawn = self.drawn("label_noise", 2)
        other = (labels + 1 + (drawn[:, 1] * (n_classes - 1)).astype(np.int64)) % n_classes
        return np.where(drawn[:, 0] < self.noise, other, labels)


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
        From numbers of shape (n, n_attributes) and the rows they stand in, of those wanted now, to classes.
    owner : str
        Key of the generator, for errors.

    Raises
    ------
    InvalidParameter
        A class is so rare that its share cannot be drawn.
    """
    values = stream.drawn("attributes", n_attributes)
    labels = classify(values, np.arange(stream.n))
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
            again = stream.once(f"attempt {attempt}", partial(stream.numbers, "attributes", attempt))
            values[open_rows] = again.random((len(open_rows), n_attributes))
            labels[open_rows] = classify(values[open_rows], open_rows)
            open_rows = open_rows[labels[open_rows] != wanted[open_rows]]
    return values, stream.flipped(labels, n_classes)
