"""The rows of the table of experiments, with their headings."""

import re
from collections.abc import Sequence

import streamlit as st

from ensembles.errors import InvalidInput
from ensembles.registry import within_sentence
from ensembles.reports.formatting import UNKNOWN, number, pluralize, seconds, shortened
from pages.parts.address import visit
from pages.parts.experiment_actions import ACTIONS, act, actions_for
from pages.parts.experiment_rows import draw_moving, draw_name, state_badge, trials_ended
from pages.parts.experiments.cells import DATE_WIDTH, ERROR_WIDTH, MENU_WIDTH, SHARES, TIME_WIDTH, draw_cell
from pages.parts.experiments.filters import SORTINGS, sort_by
from pages.parts.live import ask_anew
from pages.parts.rights import rights_to
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown, format_datetime
from pages.parts.visibility import owner_badges
from storage import ExperimentRecord, Sorting

__all__ = ["draw_headings", "draw_row"]

_LISTED, _LONGEST = 3, 40
_MARKUP = re.compile(r"[^\w\s.,-]+")

_HEADINGS: tuple[tuple[str, int, tuple[Sorting, ...]], ...] = (
    ("Lowest error", ERROR_WIDTH, ("error",)),
    ("Time", TIME_WIDTH, ("longest", "quickest")),
    ("Launched", DATE_WIDTH, ("newest", "oldest")),
)
"""What stands above a column, its width, and the orders that pressing it gives in turn."""

# Rows are lines of a table, not cards. How it went takes the room that its cells need, and stands below what it is where a
# window is narrow; then nothing stands below headings, and the error says itself what it is. What buttons of a row are read
# out as ends with what the row shows anyhow.
_STYLE = """<style>
[class*="st-key-experiments_row_"] { padding: 0.35rem 0.6rem 0.45rem; border-width: 0 0 1px; border-radius: 0; }
[class*="st-key-experiments_row_"] a { left: 0; padding-left: 0; }
[class*="st-key-experiments_star_"] p > span:last-child {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
[class*="st-key-experiments_action_"] p {
  display: block; width: 3.5rem; height: 1lh; overflow: hidden; white-space: normal;
}
.st-key-experiments_headings {
  padding: 0 0.6rem; border-bottom: 2px solid color-mix(in srgb, currentColor 25%, transparent);
}
@media (min-width: 1201px) {
  :is([class*="st-key-experiments_row_"], .st-key-experiments_headings) [data-testid="stColumn"] {
    flex: 1 1 0;
    &:last-child { flex: 0 0 472px; }
  }
}
@media (max-width: 1200px) {
  .st-key-experiments_headings { display: none; }
  [class*="st-key-experiments_row_"] [data-testid="stHorizontalBlock"]:has(> [data-testid="stColumn"]) {
    flex-direction: column; gap: 0.25rem;
    > [data-testid="stColumn"] { width: 100%; flex: none; }
  }
  [class*="st-key-experiments_row_"] [data-testid="stColumn"]:last-child {
    [data-testid="stHorizontalBlock"] > :first-child p::before { content: "Lowest error "; }
  }
}
</style>"""


def draw_headings(sort: Sorting) -> None:
    """Draw what stands above the columns; pressed, the table is sorted by it."""
    st.html(_STYLE)
    with st.container(key="experiments_headings"):
        left, right = st.columns(SHARES)
        with left:
            _draw_heading("Experiment", ("name",), sort)
        with right.container(horizontal=True, gap="small"):
            for label, width, orders in _HEADINGS:
                with st.container(width=width):
                    _draw_heading(label, orders, sort)


def _draw_heading(label: str, orders: Sequence[Sorting], sort: Sorting) -> None:
    upcoming = orders[(orders.index(sort) + 1) % len(orders)] if sort in orders else orders[0]
    arrow = "arrow_upward" if sort in ("oldest", "quickest", "name", "error") else "arrow_downward"
    st.button(
        label,
        key=f"experiments_by_{orders[0]}",
        type="tertiary",
        icon=f":material/{arrow}:" if sort in orders else None,
        icon_position="right",
        help=f"Sort by: {within_sentence(SORTINGS[upcoming])}",
        on_click=sort_by,
        args=(upcoming,),
    )


def draw_row(record: ExperimentRecord) -> bool:
    """Draw one experiment; return whether it is ticked."""
    with st.container(border=True, key=f"experiments_row_{record.id}"):
        left, right = st.columns(SHARES, vertical_alignment="center")
        with left.container(gap="xxsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
                ticked = _draw_tick(record)
                _draw_star(record)
                draw_name(record, width="stretch")
            draw_moving(record)
            st.markdown(f"{state_badge(record)} {_badges(record)} :small[:gray[{escape_markdown(_what(record))}]]")
        with right.container(horizontal=True, vertical_alignment="center", gap="small"):
            draw_cell(*_best(record), width=ERROR_WIDTH)
            grows = record.state in {"running", "cancelling"}  # what is known ends where it was let go before
            took = UNKNOWN if record.seconds is None or grows else seconds(record.seconds)
            draw_cell(took, _trials(record), width=TIME_WIDTH)
            draw_cell(format_datetime(record.created), width=DATE_WIDTH)
            chosen = st.menu_button(
                f"Actions with {_spoken(record)}",
                actions_for(record),
                format_func=ACTIONS.__getitem__,
                key=f"experiments_action_{record.id}",
                type="tertiary",
                width=MENU_WIDTH,
            )
    if chosen:
        act(chosen, [record])
    return ticked


def _draw_tick(record: ExperimentRecord) -> bool:
    """Draw the tick of a row. It is gone when the page is left: who comes back would not expect to delete it."""
    return st.checkbox(
        f"Select {_spoken(record)}",
        key=f"experiments_tick_{visit()}_{record.id}",
        label_visibility="collapsed",
    )


def _spoken(record: ExperimentRecord) -> str:
    """Return a name to be read out as it stands; drawn as Markdown where nobody sees it, it would ask for images."""
    return " ".join(_MARKUP.sub(" ", record.name).split())


def _read_out(words: str) -> str:
    """Return the end of a label of a row, as Markdown, that is read out and not seen."""
    return f":gray[{words}]"


def _draw_star(record: ExperimentRecord) -> None:
    if not rights_to(record).may_change:
        if record.starred:
            st.markdown(":orange[★]", width="content")
    elif st.button(
        f":orange[★] {_read_out(f'Take the star of {_spoken(record)}')}"
        if record.starred
        else f"☆ {_read_out(f'Give a star to {_spoken(record)}')}",
        key=f"experiments_star_{record.id}_{record.starred}",
        type="tertiary",
        help="Take its star" if record.starred else "Give it a star",
    ):
        with show_errors():
            store().mark_experiments([record.id], starred=not record.starred)
        ask_anew()
        st.rerun()


def _badges(record: ExperimentRecord) -> str:
    tags = (f":blue-badge[{escape_markdown(tag)}]" for tag in record.tags)
    return " ".join((*owner_badges(record), *tags))


def _what(record: ExperimentRecord) -> str:
    """Return what an experiment compares, and why it failed, in one line; or why it cannot be opened here."""
    if (config := record.readable) is None:
        return " · ".join(filter(None, [record.unreadable, record.message]))
    methods = dict.fromkeys(learner.entry.name for learner in config.learners)
    entries = [learner.base_entry for learner in config.learners]
    bases = dict.fromkeys(within_sentence(entry.name) for entry in entries if entry)
    learners = _some([*methods], "method") + (f" · {_some([*bases], 'base model')}" if bases else "")
    parts = [
        _some([reference.label for reference in config.datasets], "data set"),
        learners,
        config.protocol.sentence,
    ]
    return " · ".join([*parts, *filter(None, [record.message])])


def _some(names: Sequence[str], noun: str) -> str:
    if len(names) > _LISTED:
        return pluralize(len(names), noun)
    return ", ".join(shortened(name, _LONGEST) for name in names)


def _best(record: ExperimentRecord) -> tuple[str, str]:
    """Return the lowest error and whose it is."""
    if record.best_error is None or record.best_learner is None:
        return UNKNOWN, ""
    try:
        label = record.config.labels()[record.best_learner]
    except InvalidInput:
        label = ""
    return number(record.best_error), shortened(label, _LONGEST)


def _trials(record: ExperimentRecord) -> str:
    """Return how many trials ended, of how many, and how many of them badly."""
    failed = f", {record.failed:,} failed" if record.failed else ""
    return f"{trials_ended(record)}{failed}" if record.is_final else ""
