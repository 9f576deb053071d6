"""What every Plotly figure shares: the template of each theme, readable ticks, and text that stays text."""

from __future__ import annotations

import html
import math
import textwrap
from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from ensembles.reports import formatting
from ensembles.reports.style import FONT, THEMES, Theme

__all__ = ["PHONE_WIDTH", "count_ticks", "escaped", "legend_room", "row_room", "second_ticks", "template", "wrapped"]

_SECONDS = (*(10.0**power for power in range(-6, 2)), 60.0, 600.0, 3600.0, 36000.0, 864000.0)
PHONE_WIDTH = 340
"""How many pixels a figure has on a phone."""

_FEW_ROWS = 12
_LEGEND_ROW, _LEGEND_LINE = 26, 18
_LEGEND_COLUMNS = 3
_LEGEND_WIDTH, _LETTER, _LEGEND_MARK = 568, 7, 50  # pixels: the width is that of the axes in a window of 1,000
_LEGEND_LETTERS = 44  # a line of them fits a phone


def escaped(text: str, limit: int = 40) -> str:
    """Return text of a user so that Plotly, which renders a subset of HTML, shows it as it is.

    Parameters
    ----------
    limit : int
        Longest text that is shown whole; longer ones end in an ellipsis.
    """
    return html.escape(formatting.shortened(text, limit), quote=False)


def wrapped(text: str, width: int = _LEGEND_LETTERS) -> str:
    """Return the whole text as Plotly shows it, in lines of at most `width` characters: names of learners are never cut."""
    return "<br>".join(html.escape(line, quote=False) for line in _lines(text, width))


def _lines(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def template(theme: Theme) -> go.layout.Template:
    """Return the template of figures in a light or dark theme."""
    colours = THEMES[theme]
    axis = {
        "gridcolor": colours.grid,
        "linecolor": colours.grid,
        "zeroline": False,
        "ticks": "",
        "automargin": True,
        "ticklabelstandoff": 4,
        "exponentformat": "none",  # the usual one writes 0.00002 as 20µ
        "title": {"standoff": 12, "font": {"size": 14}},
        "tickfont": {"size": 13, "color": colours.muted},
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 14, "color": colours.text},
            "paper_bgcolor": "rgba(0, 0, 0, 0)",
            "plot_bgcolor": "rgba(0, 0, 0, 0)",
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": 1.02,
                "yanchor": "bottom",
                "maxheight": 0.8,
                "tracegroupgap": 3,  # else rows of curves, which are groups, would be half as high again
            },
            "modebar": {"bgcolor": "rgba(0, 0, 0, 0)", "color": colours.muted, "activecolor": colours.text},
            "hoverlabel": {
                "bgcolor": colours.background,
                "bordercolor": colours.grid,
                "font": {"family": FONT, "size": 13, "color": colours.text},
                "align": "left",
            },
        }
    )


def legend_room(names: Sequence[str], width: int = _LEGEND_WIDTH) -> int:
    """Return the height, in pixels, of the rows of a legend beyond the first, in a figure so wide.

    Three `wrapped` names a row where they are short, fewer where they are long, and on a phone.
    """
    if not names:
        return 0
    lines = [_lines(name, _LEGEND_LETTERS) for name in names]
    longest = max(len(line) for entry in lines for line in entry or [""])
    columns = min(_LEGEND_COLUMNS, max(1, width // (_LETTER * longest + _LEGEND_MARK)))
    rows = math.ceil(len(names) / columns)
    return _LEGEND_ROW * (rows - 1) + _LEGEND_LINE * rows * (max(map(len, lines)) - 1)


def row_room(n_rows: int) -> tuple[int, int, int]:
    """Return the size of letters, the height of a line and the gap between rows, in pixels: smaller for many rows."""
    return (13, 17, 16) if n_rows <= _FEW_ROWS else (11, 14, 7)


def second_ticks(values: Sequence[float]) -> dict[str, object]:
    """Return a logarithmic axis over positive seconds whose ticks people read: "10 ms", "1 s", "10 min"."""
    return _log_axis(values, _SECONDS, lambda value: formatting.seconds(value).replace(".0 ", " "))


def count_ticks(values: Sequence[float]) -> dict[str, object]:
    """Return a logarithmic axis over positive counts with ticks such as "1,000"."""
    return _log_axis(values, tuple(10.0**power for power in range(10)), lambda value: formatting.count(round(value)))


def _log_axis(values: Sequence[float], decades: Sequence[float], named: Callable[[float], str]) -> dict[str, object]:
    low, high = min(values, default=1.0) / 1.3, max(values, default=1.0) * 1.3
    ticks = [tick for tick in decades if low <= tick <= high]
    two = 2 if len({*values}) > 1 else 0  # one tick alone does not tell the scale
    for enough, steps in ((3, (1, 2, 5)), (two, range(1, 10)), (two, (1, 1.5, *range(2, 10)))):
        if len(ticks) < enough:
            finer = sorted({step * tick for tick in (decades[0] / 10, *decades) for step in steps})
            ticks = [tick for tick in finer if low <= tick <= high]
    ticks = ticks or sorted({*values})[:1]  # of one value only
    return {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickvals": ticks,
        "ticktext": [named(tick) for tick in ticks],
    }
