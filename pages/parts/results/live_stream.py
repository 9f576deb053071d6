"""Streams that run: how far each learner is, and what can be done with them meanwhile."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from ensembles.experiments.config import Prequential
from ensembles.reports.charts import Chart
from ensembles.reports.formatting import pluralize
from ensembles.reports.live_streams import LIVE_KINDS, LiveStream, live_chart, live_table, size_in_words
from ensembles.reports.style import learner_styles
from pages.parts.address import choose_segment
from pages.parts.chart import draw_chart
from pages.parts.experiment_actions import act
from pages.parts.live import ask_anew, streams_now
from pages.parts.notice import leave_notice
from pages.parts.rights import rights_to
from pages.parts.store import show_errors, store
from storage import ExperimentRecord, StreamRecord

__all__ = ["draw_left_streams", "draw_live_streams", "has_live_streams", "has_snapshots"]

_MOST_LINES = 40
_FIGURE, _SECONDS_A_FIGURE, _GROWN = "live_stream_figure", 10.0, 1.1
_FORMATS = {
    **dict.fromkeys(("Examples", "Memory, KiB", "Drifts", "Replaced", "Snapshot at"), "localized"),
    **dict.fromkeys(("Error", "Window", "Fading"), "%.4f"),
    "Examples/s": "%,d",
}
_COLUMNS = {name: st.column_config.NumberColumn(format=form) for name, form in _FORMATS.items()}


def has_live_streams(record: ExperimentRecord) -> bool:
    """Return whether streams of an experiment that is not over have told how far they are."""
    return not record.is_final and any(_runs(stream) for stream in _streams(record))


def has_snapshots(record: ExperimentRecord) -> bool:
    """Return whether there is a snapshot of a stream of an experiment that has not come to its end."""
    return any(stream.snapshot_bytes for stream in _streams(record))


def draw_live_streams(record: ExperimentRecord) -> None:
    """Draw how far the streams of an experiment are that is not over; nothing while nothing is known of any."""
    streams = _streams(record)
    told = [_live(record, stream) for stream in streams if _runs(stream)]
    if not told:
        return
    with st.container(border=True, key="live_streams"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            kind = choose_segment(
                "Shown",
                [*LIVE_KINDS],
                say=lambda key: LIVE_KINDS[key].word,
                key="live",
                label_visibility="collapsed",
            )
            _draw_buttons(record, streams)
        shown = told[:_MOST_LINES]
        draw_chart(_steady_chart(record, shown, kind), key="live_stream")
        height: int | Literal["content"] = "content" if len(shown) <= 12 else 420
        st.dataframe(live_table(shown), hide_index=True, height=height, column_config=_COLUMNS, placeholder="–")
        if len(told) > len(shown):
            st.caption(f"The first {len(shown)} of {pluralize(len(told), 'stream')} that run.")


@dataclass(frozen=True)
class _Drawn:
    """A figure, what it is of, and when it was made of how many points."""

    about: tuple[object, ...]
    chart: Chart
    points: int
    made: float


def _steady_chart(record: ExperimentRecord, shown: Sequence[LiveStream], kind: str) -> Chart:
    """Return the figure that is shown, until it has a tenth more points or is ten seconds old.

    A figure that differs is built anew by Streamlit: for a moment it is blank, and what the reader had zoomed is lost.
    """
    about, points = (record.id, kind, record.paused, len(shown)), sum(len(stream.news) for stream in shown)
    drawn: _Drawn | None = st.session_state.get(_FIGURE)
    if (
        drawn is None
        or drawn.about != about
        or not drawn.points <= points <= _GROWN * drawn.points  # fewer after a snapshot: those behind it come anew
        or time.monotonic() - drawn.made > _SECONDS_A_FIGURE
    ):
        chart = live_chart(shown, kind, learner_styles(record.config.learners), paused=record.paused)
        drawn = st.session_state[_FIGURE] = _Drawn(about, chart, points, time.monotonic())
    return drawn.chart


def draw_left_streams(record: ExperimentRecord) -> None:
    """Offer to go on with the streams of an experiment that is over without their results, where they left snapshots."""
    left = [stream for stream in _streams(record) if stream.snapshot_bytes]
    if not left:
        return
    seen = max(stream.snapshot_seen for stream in left)
    size = size_in_words(sum(stream.snapshot_bytes for stream in left))
    with st.container(border=True, key="left_streams"):
        st.markdown(
            f"**{pluralize(len(left), 'stream')}** did not come to the end and left a snapshot, the furthest after "
            f"{seen:,} examples ({size} in all)."
        )
        if rights_to(record).may_change and st.button(
            "Restart from snapshot",
            icon=":material/restart_alt:",
            key="stream_restart",
            help="What has ended stays; streams go on where their snapshots were taken, and come to the same numbers",
        ):
            with show_errors():
                store().reopen_experiment(record.id, retry=record.failed > 0, from_snapshots=True)
            _done("goes on from its snapshots")


def _draw_buttons(record: ExperimentRecord, streams: Sequence[StreamRecord]) -> None:
    if not rights_to(record).may_change:
        return
    with st.container(horizontal=True, gap="xsmall", width="content", key="stream_buttons"):
        if record.paused:
            if st.button("Go on", icon=":material/play_arrow:", key="stream_go_on"):
                act("unpause", [record])
            return
        if record.state != "running":
            return
        if st.button(
            "Pause", icon=":material/pause:", key="stream_pause", help="Takes a snapshot, and ends the trials"
        ):
            act("pause", [record])
        if st.button(
            "Snapshot now", icon=":material/photo_camera:", key="stream_snapshot", help=_snapshot_help(streams)
        ):
            with show_errors():
                store().request_snapshots(record.id)
            _done("takes a snapshot of each stream that runs")


def _snapshot_help(streams: Sequence[StreamRecord]) -> str:
    taken = sum(stream.snapshot_bytes for stream in streams)
    kept = f" Those that are kept take {size_in_words(taken)}." if taken else ""
    return f"What a killed worker would lose is what comes after it; one is taken every five minutes.{kept}"


def _done(what: str) -> None:
    ask_anew()
    leave_notice(f"It {what}")
    st.rerun()


def _streams(record: ExperimentRecord) -> list[StreamRecord]:
    if not isinstance(record.config.protocol, Prequential):
        return []
    with show_errors():
        return streams_now(record.id)


def _runs(stream: StreamRecord) -> bool:
    """Return whether more is known than of the first example, which is learned alone, before kernels are compiled."""
    return not stream.failed and bool(stream.news) and stream.news[-1].seen > 1


def _live(record: ExperimentRecord, stream: StreamRecord) -> LiveStream:
    label, dataset = record.config.labels()[stream.learner], record.config.datasets[stream.dataset].label
    return LiveStream(
        stream.learner, label, dataset, stream.order, stream.news, stream.snapshot_seen, stream.snapshot_bytes
    )
