"""A figure with its words under it and its numbers beside it."""

import textwrap
from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from pandas.api.types import is_float_dtype

from ensembles.reports.charts import Chart
from ensembles.reports.end_labels import END_LABEL
from ensembles.reports.plot_template import PHONE_WIDTH, legend_room
from ensembles.reports.style import THEMES, Theme
from ensembles.reports.tables import to_csv
from ensembles.wording import as_shown
from pages.parts.look import on_phone
from pages.parts.store import later
from pages.parts.text import escape_markdown

__all__ = ["as_in_text", "draw_chart", "draw_download", "draw_numbers", "number_columns"]

_LARGE = 100.0  # from here on sentences leave out decimals that a table may show
_AXIS_LETTERS = 28  # a line of them fits under the axis on a phone
_BUTTONS = 20  # pixels
_PLOTLY = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d"],
}


def draw_chart(chart: Chart, *, key: str) -> None:
    """Draw a figure with its caption, which screen readers read out too; without numbers, the sentence that says why."""
    if chart.numbers.empty:
        st.info(escape_markdown(chart.caption), icon=":material/info:")
        return
    theme = _theme()
    figure = chart.draw(theme)
    if theme == "dark":  # saved as a file, light letters would stand on nothing, and be read on no paper
        figure.update_layout(paper_bgcolor=THEMES[theme].background)
    if is_small := on_phone():
        figure.update_layout(dragmode=False)  # a finger scrolls the page
        _fit_phone(figure)
    else:
        _make_room_for_buttons(figure)
    # Where nothing hovers, Plotly shows its buttons all the time, and on a phone they cover the legend.
    config = _PLOTLY | {"toImageButtonOptions": {"format": "svg", "filename": chart.file_name}}
    config |= {"displayModeBar": False} if is_small else {}
    st.plotly_chart(figure, theme=None, config=config, key=f"results_chart_{key}", alt=chart.caption)
    st.caption(escape_markdown(chart.caption))
    draw_numbers(chart.numbers, key)
    if chart.means is not None:
        _draw_means(chart.means, key)


def _fit_phone(figure: go.Figure) -> None:
    """Put a legend in the place of names at the ends of lines, and leave room for its rows, which are short on a phone.

    Of a square nothing is left empty below it. Words under a short axis, beside long names, are not cut.
    """
    figure.for_each_xaxis(lambda axis: axis.title.text and axis.update(title_text=_in_short_lines(axis.title.text)))
    if figure.layout.yaxis.scaleanchor:
        figure.update_layout(height=PHONE_WIDTH)
    kept = [note for note in figure.layout.annotations if note.name != END_LABEL]
    had_legend = len(kept) == len(figure.layout.annotations)
    if not had_legend:
        figure.layout.annotations = kept
        figure.layout.shapes = [shape for shape in figure.layout.shapes if shape.name != END_LABEL]
        figure.update_layout(showlegend=True, margin={"r": 8})
    if figure.layout.showlegend is not False and figure.layout.height:
        shown = (trace.name for trace in figure.data if trace.name and trace.showlegend is not False)
        names = [name.replace("<br>", " ") for name in dict.fromkeys(shown)]
        room = legend_room(names, PHONE_WIDTH) - (legend_room(names) if had_legend else 0)
        figure.update_layout(height=figure.layout.height + room)


def _make_room_for_buttons(figure: go.Figure) -> None:
    """Leave a line above a legend empty: Plotly's buttons stand there, and would lie over the legend of a small figure."""
    named = sum(trace.showlegend is not False for trace in figure.data)
    if figure.layout.height and figure.layout.showlegend is not False and (named > 1 or figure.layout.showlegend):
        figure.update_layout(
            legend_title={"text": "\u00a0", "side": "top", "font": {"size": _BUTTONS}},
            height=figure.layout.height + _BUTTONS,
        )


def _in_short_lines(title: str) -> str:
    return "<br>".join(line for part in title.split("<br>") for line in textwrap.wrap(part, _AXIS_LETTERS))


def _draw_means(means: pd.DataFrame, key: str) -> None:
    st.dataframe(
        as_in_text(means), hide_index=True, height="content", width="content", column_config=number_columns(means)
    )
    draw_download("Download as CSV", lambda: to_csv(means), f"{key}-means.csv", key=f"{key}_means")


def draw_numbers(table: pd.DataFrame, key: str, *, label: str = "Numbers") -> None:
    """Draw a button that opens `table` and offers it as CSV."""
    with st.popover(label, icon=":material/table:", key=f"results_numbers_{key}"):
        shown = as_in_text(table)
        st.dataframe(shown, hide_index=True, height="content" if len(table) <= 12 else 420, width="content")
        draw_download("Download as CSV", lambda: to_csv(table), f"{key}.csv", key=key)


def as_in_text(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its fractions rounded as sentences and figures say them; a browser rounds halves otherwise."""
    fractions = table.select_dtypes("float")
    shown = table.copy()
    shown[fractions.columns] = fractions.where(fractions.abs() >= _LARGE, fractions.map(as_shown))
    return shown


def number_columns(table: pd.DataFrame) -> dict[str, Any]:
    """Return the columns of numbers as a table shows them: fractions with four decimals, counts with separators."""
    formats = {
        str(name): "%.4f" if is_float_dtype(table[name]) else "localized" for name in table.select_dtypes("number")
    }
    return {name: st.column_config.NumberColumn(format=form) for name, form in formats.items()}


def draw_download(label: str, write: Callable[[], str], file_name: str, *, key: str, mime: str = "text/csv") -> None:
    """Draw a download button; the file is written when it is pressed, and the page is left alone."""
    st.download_button(
        label,
        later(lambda: write().encode()),
        file_name=file_name,
        mime=mime,
        icon=":material/download:",
        on_click="ignore",
        key=f"results_download_{key}",
    )


def _theme() -> Theme:
    """Return whether the page is light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"
