"""Where the names of the points of a scatterplot stand, so that they cover neither points nor one another.

Plotly sets a name where it is told and looks at nothing else. A name is therefore tried at eight places around its
point, and left out where none is free. Where things lie is reckoned in pixels, for the narrowest and the widest square
that pages draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["FONT_SIZE", "NamedPoint", "place_names"]

FONT_SIZE = 12
_SIDES = (240.0, 330.0)
_LETTER, _HALF_HEIGHT = 5.8, 7.0  # of text in `FONT_SIZE`
_ROUND = 8.0  # around the middle of a point: its radius with the rim, and some air
_GAP = 8.0  # that Plotly leaves between the middle of a point and its name
_ABOVE = (
    *("middle left", "top left", "top center", "top right"),
    *("bottom left", "middle right", "bottom center", "bottom right"),
)
_MIRRORED = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
_BELOW = tuple(" ".join(_MIRRORED.get(word, word) for word in place.split()) for place in _ABOVE)


class NamedPoint(NamedTuple):
    """A point, in shares of the square from its lower left corner, and the text that may stand beside it."""

    x: float
    y: float
    name: str


class _Box(NamedTuple):
    """A rectangle in pixels from the lower left corner of the square; `y` grows upwards."""

    left: float
    right: float
    bottom: float
    top: float


def place_names(
    points: Sequence[NamedPoint], wanted: Iterable[int], *, most: int, notes: tuple[str, str] = ("", "")
) -> dict[int, str]:
    """Return Plotly's `textposition` of the names that have room, at most `most` of them.

    Parameters
    ----------
    points : sequence of NamedPoint
        Everything that is drawn, with a name or not.
    wanted : iterable of int
        Positions of the points whose names are tried, the most important one first.
    notes : (str, str)
        Text in the upper left and in the lower right corner.

    Returns
    -------
    dict of int to str
        By the position of the point. Places beyond the diagonal are none, those on it the last.
    """
    layouts = [_Layout(points, side, notes) for side in _SIDES]
    placed: dict[int, str] = {}
    for row in wanted:
        if len(placed) == most:
            break
        place = _free_place(points[row], row, layouts)
        if place is not None:
            placed[row] = place
            for layout in layouts:
                layout.taken.append(layout.box(points[row], place))
    return placed


def _free_place(point: NamedPoint, row: int, layouts: Sequence[_Layout]) -> str | None:
    places = _ABOVE if point.y > point.x else _BELOW
    free = [place for place in places if all(layout.is_free(point, row, place) for layout in layouts)]
    return min(free, key=lambda place: any(layout.is_crossed(point, place) for layout in layouts), default=None)


class _Layout:
    """What lies where in a square of `side` pixels."""

    def __init__(self, points: Sequence[NamedPoint], side: float, notes: tuple[str, str]) -> None:
        self.side = side
        self.centres: npt.NDArray[np.float64] = np.array([(point.x, point.y) for point in points]) * side
        upper, lower = (len(note) * _LETTER for note in notes)
        height = 2 * _HALF_HEIGHT
        self.taken = [_Box(0.0, upper, side - height, side), _Box(side - lower, side, 0.0, height)]

    def box(self, point: NamedPoint, place: str) -> _Box:
        """Return the rectangle of the name of `point` at `place`, as Plotly sets it."""
        level, beside = place.split()
        width = len(point.name) * _LETTER
        left = {"left": -_GAP - width, "center": -width / 2, "right": _GAP}[beside]
        bottom = {"top": _GAP, "middle": -_HALF_HEIGHT, "bottom": -_GAP - 2 * _HALF_HEIGHT}[level]
        x, y = point.x * self.side + left, point.y * self.side + bottom
        return _Box(x, x + width, y, y + 2 * _HALF_HEIGHT)

    def is_free(self, point: NamedPoint, row: int, place: str) -> bool:
        """Whether the name lies inside the square, on nothing, and not beyond the diagonal from its point."""
        box = self.box(point, place)
        inside = box.left >= 0 and box.right <= self.side and box.bottom >= 0 and box.top <= self.side
        beyond = box.top <= box.left if point.y > point.x else box.bottom >= box.right
        if not inside or beyond or any(_overlap(box, other) for other in self.taken):
            return False
        x, y = self.centres[:, 0], self.centres[:, 1]
        covered = (x > box.left - _ROUND) & (x < box.right + _ROUND)
        covered &= (y > box.bottom - _ROUND) & (y < box.top + _ROUND)
        covered[row] = False
        return not covered.any()

    def is_crossed(self, point: NamedPoint, place: str) -> bool:
        """Whether the diagonal runs through the name."""
        box = self.box(point, place)
        return box.bottom < box.right and box.top > box.left


def _overlap(one: _Box, other: _Box) -> bool:
    return one.left < other.right and other.left < one.right and one.bottom < other.top and other.bottom < one.top
