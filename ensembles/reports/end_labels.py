"""Names of curves at their right ends, moved apart where they would cover each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from ensembles.reports.figure_data import Band
from ensembles.reports.plot_template import wrapped
from ensembles.reports.style import LearnerStyle, Theme

__all__ = ["END_LABEL", "Start", "add_end_labels", "beyond", "moved_apart", "value_range"]

END_LABEL = "end_label"
"""Name of the annotations; where there is no room for them, as on a phone, they go and the legend comes back."""

Numbers = npt.NDArray[np.float64]

_MOST, _LETTERS, _LINE, _FONT = 10, 24, 15, 12
_MARGIN = 178  # pixels for a square and a line of that many letters
_SQUARE = 8
_AROUND = 66  # pixels of the height that axis and margins take
_FAR, _ROOM = 1.5, 0.06
_TOGETHER = 0.02  # of the axis: ends that lie so close tell nothing


class Start(NamedTuple):
    """The head of curves, which does not set the scale of the axis.

    Attributes
    ----------
    share : float
        Of the examples: points up to it belong to the head.
    reach : float
        How far the axis goes towards them beyond the others, in lengths of what those take.
    """

    share: float
    reach: float


def value_range(bands: Sequence[Band], *, start: Start | None = None) -> tuple[float, float] | None:
    """Return the range of the vertical axis that holds means and bands, which are shares; None without a value.

    Bands go on where no share is, below 0 or above 1, and the axis does not.
    What the points of `start` reach counts only where it lies close by: the first predictions of a stream, or a model of ten
    examples, would make all others a flat line. So would their bands, which count from the middle on.
    """
    parts = [(np.asarray(b.x), np.asarray([b.mean, b.low, b.high], dtype=float)) for b in bands]
    values = np.concatenate([part[1].ravel() for part in parts]) if parts else np.array([])
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    if start is not None:
        later = np.concatenate([_settled(x, series, start.share) for x, series in parts])
        span = float(later.max() - later.min()) if len(later) else 0.0
        if high - low > max(_FAR, 1 + start.reach) * span > 0:
            room = start.reach * span
            low, high = max(low, float(later.min()) - room), min(high, float(later.max()) + room)
    means = [0.0, 1.0, *(mean for band in bands for mean in band.mean if math.isfinite(mean))]
    low, high = max(low, min(means)), min(high, max(means))
    room = _ROOM * (high - low) or 0.01
    return low - room, high + room


def _settled(x: Numbers, series: Numbers, share: float) -> Numbers:
    """Return the known means behind the head of a curve, and both ends of its band in the second half. series: (3, n)."""
    end = x.max(initial=0.0)
    values: Numbers = np.concatenate([series[0, x > share * end], series[1:, x > end / 2].ravel()])
    known: Numbers = values[np.isfinite(values)]
    return known


def beyond(bands: Sequence[Band], limits: tuple[float, float] | None) -> tuple[int, float]:
    """Return how many points lie outside the axis, and the value of the farthest; 0 and NaN where all are inside."""
    values = np.concatenate([np.asarray(band.mean, dtype=float) for band in bands])
    if limits is None:
        return 0, float("nan")
    over = np.fmax(limits[0] - values, values - limits[1])
    outside = over > 0
    return int(outside.sum()), float(values[int(np.nanargmax(over))]) if outside.any() else float("nan")


def moved_apart(wanted: Sequence[float], heights: Sequence[float], top: float) -> list[float]:
    """Return middles near the wanted ones, in pixels from the bottom, of labels that do not overlap and end below `top`.

    Labels keep their order from top to bottom; with more of them than there is room they reach below 0.
    """
    order = sorted(range(len(wanted)), key=lambda place: -wanted[place])
    middles = list(wanted)
    limit = top
    for place in order:  # from the top: none above the one before it
        middles[place] = min(wanted[place], limit - heights[place] / 2)
        limit = middles[place] - heights[place] / 2
    limit = 0.0
    for place in reversed(order):  # from the bottom: those that were pushed out come back up
        middles[place] = max(middles[place], limit + heights[place] / 2)
        limit = middles[place] + heights[place] / 2
    over = max((middles[place] + heights[place] / 2 for place in order), default=0.0) - top
    return [middle - max(over, 0.0) for middle in middles]


def add_end_labels(
    figure: go.Figure,
    bands: Sequence[Band],
    styles: Sequence[LearnerStyle],
    theme: Theme,
    limits: tuple[float, float],
    height: int,
) -> bool:
    """Write the names of the curves at their ends instead of a legend; return whether there is room and reason to."""
    ends = [next((y for y in reversed(band.mean) if np.isfinite(y)), float("nan")) for band in bands]
    span = limits[1] - limits[0]
    if not 2 <= len(bands) <= _MOST or np.isnan(ends).any() or max(ends) - min(ends) < _TOGETHER * span:
        return False
    pixels = height - _AROUND
    at = [(min(max(end, limits[0]), limits[1]) - limits[0]) / span * pixels for end in ends]
    names = [wrapped(band.label, _LETTERS) for band in bands]
    middles = moved_apart(at, [_LINE * (1 + name.count("<br>")) + 2 for name in names], pixels)
    if min(middles) < 0:
        return False
    notes: list[dict[str, Any]] = []
    squares: list[dict[str, Any]] = []
    for band, name, place, middle in zip(bands, names, at, middles, strict=True):
        y, shift = limits[0] + span * place / pixels, round(middle - place)
        notes.append(_note(name, y, shift))
        squares.append(_square(styles[band.learner].colour(theme), y, shift))
    # all at once: one by one, each would have those before it checked again
    annotations, shapes = [*figure.layout.annotations, *notes], [*figure.layout.shapes, *squares]
    figure.update_layout(annotations=annotations, shapes=shapes, showlegend=False, margin={"r": _MARGIN})
    return True


def _note(name: str, y: float, shift: int) -> dict[str, Any]:
    """Return a name, `shift` pixels above the end of its line."""
    return {
        "name": END_LABEL,
        "text": name,
        "x": 1.0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 8 + _SQUARE + 4,
        "y": y,
        "yanchor": "middle",
        "yshift": shift,
        "showarrow": False,
        "align": "left",
        "font": {"size": _FONT},
    }


def _square(colour: str, y: float, shift: int) -> dict[str, Any]:
    """Return a square in the colour of the line, beside its name."""
    return {
        "name": END_LABEL,
        "type": "rect",
        "xref": "paper",
        "xsizemode": "pixel",
        "xanchor": 1.0,
        "x0": 8,
        "x1": 8 + _SQUARE,
        "ysizemode": "pixel",
        "yanchor": y,
        "y0": shift - _SQUARE // 2,
        "y1": shift + _SQUARE // 2,
        "fillcolor": colour,
        "line": {"width": 0},
    }
