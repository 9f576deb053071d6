"""Streams while they run: what learners have told of themselves so far, as numbers and as one figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pandas as pd
import plotly.graph_objects as go

from ensembles.evaluation.stream_watch import StreamNews
from ensembles.reports.charts import Chart
from ensembles.reports.formatting import pluralize
from ensembles.reports.plot_template import legend_room, template, wrapped
from ensembles.reports.style import LearnerStyle, Theme

__all__ = ["LIVE_KINDS", "LiveStream", "live_chart", "live_table", "size_in_words", "throughput"]

_KIB = 2**10  # in table and figure: of small models whole MiB would be 0
_HEIGHT = 300
_RECENT = 5  # pieces of news that the present speed is taken from
_UNITS = ((2**30, "GiB"), (2**20, "MiB"), (_KIB, "KiB"))


@dataclass(frozen=True)
class LiveStream:
    """A trial on a stream that has not ended.

    Attributes
    ----------
    learner : int
        Position in the experiment.
    label, dataset : str
        What people call learner and data set. Text of users.
    order : int
        Which order of the stream it is; from 0.
    news : sequence of StreamNews
        The oldest first; at least one.
    snapshot_seen, snapshot_bytes : int
        After how many examples its snapshot was taken, and how large that is; 0 without one.
    """

    learner: int
    label: str
    dataset: str
    order: int
    news: Sequence[StreamNews]
    snapshot_seen: int = 0
    snapshot_bytes: int = 0


class _Kind(NamedTuple):
    """What the figure can show: the words of its choice, its axis, its caption, and what it takes of the news."""

    word: str
    axis: str
    says: str
    series: Callable[[Sequence[StreamNews]], list[float]]


def _of(name: str, unit: float = 1.0) -> Callable[[Sequence[StreamNews]], list[float]]:
    return lambda news: [getattr(one, name) / unit for one in news]


def _speeds(news: Sequence[StreamNews]) -> list[float]:
    """Return examples a second between each piece of news and the one before it; of the first, since the beginning."""
    nothing = StreamNews(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0)
    return [_speed(before, one) for before, one in zip([nothing, *news], news, strict=False)]


def _speed(before: StreamNews, after: StreamNews) -> float:
    took = after.seconds + after.reading_seconds - before.seconds - before.reading_seconds
    return (after.seen - before.seen) / took if took > 0 else float("nan")


LIVE_KINDS = {
    "window": _Kind("Window", "error", "Error on the last examples", _of("window_error")),
    "whole": _Kind("Whole", "error", "Error on all examples so far", _of("error")),
    "fading": _Kind("Fading", "error", "Error, in which an example counts less the longer ago", _of("fading_error")),
    "speed": _Kind("Speed", "examples a second", "Examples a second, learning and waiting for them", _speeds),
    "memory": _Kind("Memory", "KiB", "Memory of the learner", _of("model_bytes", _KIB)),
    "drifts": _Kind("Drifts", "drifts", "Changes that members have found", _of("drifts")),
    "replaced": _Kind("Replaced", "members", "Members that have begun anew", _of("replaced")),
}
"""What the figure of running streams can show, by key."""


def throughput(stream: LiveStream) -> float:
    """Return how many examples a second a learner takes at present, waiting for them included."""
    recent = stream.news[-_RECENT:]
    return _speed(recent[0], recent[-1]) if len(recent) > 1 else _speeds(recent)[-1]


def size_in_words(n_bytes: int) -> str:
    """Return "3.4 MiB"."""
    for unit, name in _UNITS:
        if n_bytes >= unit:
            return f"{n_bytes / unit:,.1f} {name}"
    return pluralize(n_bytes, "byte")


def live_table(streams: Sequence[LiveStream]) -> pd.DataFrame:
    """Return how far each learner is, one row a stream; data set and order only where there are several."""
    rows = []
    for stream in streams:
        last = stream.news[-1]
        rows.append(
            {
                "Learner": stream.label,
                "Data set": stream.dataset,
                "Order": stream.order + 1,
                "Examples": last.seen,
                "Error": last.error,
                "Window": last.window_error,
                "Fading": last.fading_error,
                "Examples/s": throughput(stream),
                "Memory, KiB": round(last.model_bytes / _KIB),
                "Drifts": last.drifts,
                "Replaced": last.replaced,
                "Snapshot at": stream.snapshot_seen if stream.snapshot_bytes else None,
            }
        )
    table = pd.DataFrame(rows)
    return table.drop(columns=[name for name in ("Data set", "Order") if table[name].nunique() < 2])


def live_chart(
    streams: Sequence[LiveStream], kind: str, styles: Sequence[LearnerStyle], *, paused: bool = False
) -> Chart:
    """Draw one thing that learners tell against the examples they have seen, one line a stream.

    Parameters
    ----------
    kind : str
        A key of `LIVE_KINDS`.
    styles : sequence of LearnerStyle
        By position of the learner in the experiment.
    paused : bool
        Whether nothing more is told of them for now.
    """
    shown = LIVE_KINDS[kind]
    often = "" if paused else "; the numbers are told about once a second"
    lines = [
        pd.DataFrame(
            {
                "Learner": stream.label,
                "Data set": stream.dataset,
                "Order": stream.order + 1,
                "Examples": [one.seen for one in stream.news],
                shown.axis.capitalize(): shown.series(stream.news),
            }
        )
        for stream in streams
    ]
    return Chart(
        f"{shown.says}, as far as the stream has come{often}.",
        pd.concat(lines, ignore_index=True),
        partial(_figure, streams, shown, styles),
        title=f"live {shown.word}",
    )


def _figure(streams: Sequence[LiveStream], shown: _Kind, styles: Sequence[LearnerStyle], theme: Theme) -> go.Figure:
    figure, named = go.Figure(), set[int]()
    for stream in streams:
        style = styles[stream.learner]
        figure.add_scatter(
            x=[one.seen for one in stream.news],
            y=shown.series(stream.news),
            mode="lines+markers" if len(stream.news) == 1 else "lines",
            line={"color": style.colour(theme), "width": 2, "dash": style.dash},
            marker={"color": style.colour(theme), "symbol": style.symbol},
            legendgroup=str(stream.learner),
            name=wrapped(stream.label),
            showlegend=stream.learner not in named,
            hovertemplate="%{y:,.4f}" if shown.axis == "error" else "%{y:,.0f}",
        )
        named.add(stream.learner)
    names = list(dict.fromkeys(stream.label for stream in streams))
    figure.update_layout(
        template=template(theme), height=_HEIGHT + legend_room(names), hovermode="x unified", showlegend=True
    )
    figure.update_xaxes(title_text="examples of the stream", tickformat=",d", hoverformat=",d", rangemode="tozero")
    # Learners differ little in error beside the way to 0; of all else 0 is what tells much from little.
    return figure.update_yaxes(title_text=shown.axis, rangemode="nonnegative" if shown.axis == "error" else "tozero")
