"""Experiments that run a paper's published tables again: one row, which unfolds to a table of them."""

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from ensembles.papers import list_tables
from ensembles.reports.formatting import UNKNOWN, number, pluralize, seconds
from pages.parts.address import visit
from pages.parts.apart import fragment
from pages.parts.experiment_rows import counted_badge
from pages.parts.experiments.cells import DATE_WIDTH, ERROR_WIDTH, MENU_WIDTH, SHARES, TIME_WIDTH, draw_cell
from pages.parts.links import PAPERS
from pages.parts.live import experiments_now, folded_now
from pages.parts.store import show_errors
from pages.parts.text import escape_markdown, format_datetime
from storage import ExperimentRecord, Folded, Wanted

__all__ = [
    "NAMES",
    "PAPER",
    "count_words",
    "draw_folded",
    "draw_unfolded",
    "entries_now",
    "experiments_of",
    "papers_among",
]

PAPER = "paper"
"""The key of the choice of a paper, which stands in the address."""

_ORDER = ("finished", "running", "cancelling", "waiting", "failed", "cancelled")
_PROGRESS_SECONDS = 2.0
_MOST_TICKED = 500  # all of them are read each time the page is drawn
_TOO_MANY = f"They are more than {_MOST_TICKED:,}, so tick them one by one."


def _names() -> dict[tuple[str, ...], str]:
    papers = {table.paper.key: table.paper for table in list_tables()}
    return {
        tuple(dict.fromkeys(f"{paper.key}/{group.table}".lower() for group in paper.groups)): paper.name
        for paper in papers.values()
    }


NAMES = _names()
"""What people read for each paper, by the tags that its experiments are launched with."""


def papers_among(tags: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the tags of the papers of which there are experiments."""
    known = set(tags)
    return [own for own in NAMES if known.intersection(own)]


def entries_now(wanted: Wanted, limit: int, offset: int) -> list[ExperimentRecord | Folded]:
    """Return a page of the table: experiments, and in the place of the first of a paper all of them, if it has several."""
    found = folded_now(wanted)
    entries: list[ExperimentRecord | Folded] = []
    for record in experiments_now(wanted, limit, offset):
        own = next((folded for folded in found if set(folded.tags).intersection(record.tags)), None)
        entries.append(record if own is None or own.experiments == 1 else own)
    return entries


def count_words(wanted: Wanted, rows: int) -> str:
    """Return how many experiments there are in the rows of all pages."""
    behind = sum(folded.experiments - 1 for folded in folded_now(wanted))
    words = pluralize(rows + behind, "experiment")
    return f"{words} in {pluralize(rows, 'row')}" if behind else words


def experiments_of(folded: Folded, wanted: Wanted) -> list[ExperimentRecord]:
    """Return the experiments behind a row."""
    return experiments_now(replace(wanted, folds=(), tagged=folded.tags), folded.experiments)


def draw_folded(folded: Folded, wanted: Wanted) -> bool:
    """Draw the experiments of a paper as one row; return whether it is ticked, which means all of them."""
    name = NAMES[folded.tags]
    too_many = folded.experiments > _MOST_TICKED
    with st.container(border=True, key=f"experiments_row_{_key(folded)}"):
        left, right = st.columns(SHARES, vertical_alignment="center")
        with left.container(gap="xxsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
                ticked = st.checkbox(
                    f"Select all {folded.experiments:,} experiments of {name}",
                    key=f"experiments_tick_{visit()}_{_key(folded)}",
                    label_visibility="collapsed",
                    disabled=too_many,
                )
                st.button(
                    f"**{escape_markdown(name)}: {pluralize(folded.experiments, 'experiment')}**",
                    key=f"experiments_unfold_{_key(folded)}",
                    type="tertiary",
                    icon=":material/unfold_more:",
                    help=f"Show them. {_TOO_MANY if too_many else 'A tick means all of them.'}",
                    on_click=_choose,
                    args=(name,),
                )
            draw_moving(folded, wanted)
            states = sorted(folded.states, key=lambda counted: _ORDER.index(counted[0]))
            badges = " ".join(counted_badge(*counted) for counted in states)
            st.markdown(f"{badges} :small[:gray[Published tables run again]]")
        with right.container(horizontal=True, vertical_alignment="center", gap="small"):
            _draw_sums(folded, name)
    return ticked


def _draw_sums(folded: Folded, name: str) -> None:
    best = UNKNOWN if folded.best_error is None else number(folded.best_error)
    draw_cell(best, "the lowest of all" if folded.best_error is not None else "", width=ERROR_WIDTH)
    failed = f", {folded.failed:,} failed" if folded.failed else ""
    took = seconds(folded.seconds) if folded.seconds is not None else UNKNOWN
    draw_cell(took, f"{pluralize(folded.done, 'trial')}{failed}" if folded.is_final else "", width=TIME_WIDTH)
    draw_cell(format_datetime(folded.created), width=DATE_WIDTH)
    st.button(
        "Unfold",
        key=f"experiments_show_{_key(folded)}",
        type="tertiary",
        width=MENU_WIDTH,
        on_click=_choose,
        args=(name,),
    )


def draw_moving(folded: Folded, wanted: Wanted) -> None:
    """Draw how far the experiments of a paper are, every two seconds until they are over."""
    if not folded.is_final:
        fragment(_draw_progress, run_every=_PROGRESS_SECONDS)(folded, wanted)


def _draw_progress(shown: Folded, wanted: Wanted) -> None:
    with show_errors():
        now = next((one for one in folded_now(wanted) if one.tags == shown.tags), shown)
    share = min(now.done / now.total, 1.0) if now.total else 0.0
    st.progress(share, text=f"{now.done:,} of {pluralize(now.total, 'trial')}" if now.total else "Planning the trials")


def draw_unfolded(wanted: Wanted, total: int) -> None:
    """Draw, above the experiments of a paper, whose they are, and the way back to all."""
    if not wanted.tagged:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="experiments_unfolded"):
        st.button(
            "All experiments",
            key="experiments_fold",
            type="tertiary",
            icon=":material/arrow_back:",
            on_click=_choose,
            args=(None,),
        )
        st.markdown(f"**{escape_markdown(NAMES[wanted.tagged])}: {pluralize(total, 'experiment')}**", width="content")
        st.page_link(PAPERS, label="Its published tables", icon=":material/menu_book:")


def _choose(paper: str | None) -> None:
    st.session_state[PAPER] = paper
    st.session_state["page"] = 1


def _key(folded: Folded) -> str:
    return folded.tags[0].partition("/")[0]
