"""One published table beside ours: agreement, side by side, as points, in seconds, and what cannot be run."""

import math
from collections.abc import Sequence

import streamlit as st

from ensembles.papers import Agreement, Cell, PublishedTable, agreement_of
from ensembles.reports import formatting
from ensembles.reports.formatting import pluralize
from ensembles.reports.published import (
    agreement_chart,
    cell_table,
    differences,
    reasons,
    say,
    side_by_side,
    speed_chart,
    verdict,
)
from pages.parts.address import choose_view
from pages.parts.chart import draw_chart, draw_numbers
from pages.parts.grid import draw_grid
from pages.parts.text import escape_markdown

__all__ = ["draw_agreement", "draw_comparison"]

_VIEWS = ("Side by side", "Figure", "Far from the paper", "Without a number")


def draw_agreement(found: Agreement) -> None:
    """Draw how far the compared cells agree, or in how many times less time ours were made."""
    shares = (
        ("Within 0.01", found.within_001, "Share of compared cells at most 0.01 from the paper, to its decimals."),
        ("Within 0.02", found.within_002, "Share of compared cells at most 0.02 from the paper, to its decimals."),
        (
            "Within 2 std. errors",
            found.within_errors,
            "Of the cells for which the paper gives a standard error: share within two, the paper's and ours together.",
        ),
        (
            "Same sign",
            found.same_sign,
            f"Of {pluralize(found.significant, 'pair')} of methods that differ here by more than twice the standard error "
            "(trials taken as independent): share that the paper orders alike.",
        ),
    )
    told = [(name, f"{100 * share:.0f} %", why) for name, share, why in shares if math.isfinite(share)]
    if math.isfinite(found.rank_correlation):
        why = "Spearman's, of published numbers with ours over the compared cells."
        told.append(("Rank correlation", f"{found.rank_correlation:.3f}", why))
    if found.timed:
        why = (
            f"Published by our seconds, geometric mean over {pluralize(found.timed, 'cell')}: "
            f"{formatting.seconds(found.published_seconds)} against {formatting.seconds(found.our_seconds)} in all."
        )
        told.append(("Faster", formatting.ratio(found.factor), why))
    if told:
        st.caption(f"{found.compared + found.timed:,} of {pluralize(found.cells, 'cell')} compared.")
        with st.container(horizontal=True):
            for name, value, why in told:
                st.metric(name, value, help=why, width="content")


def draw_comparison(table: PublishedTable, cells: tuple[Cell, ...]) -> None:
    """Draw one view of the comparison; the view is part of the address."""
    draw_agreement(agreement_of(cells))
    view = choose_view(_VIEWS, key="comparison")
    match view:
        case "Figure":
            _draw_figures(table, cells)
        case "Far from the paper":
            _draw_differences(table, cells)
        case "Without a number":
            _draw_reasons(table, cells)
        case _:
            _draw_side_by_side(table, cells)


def _draw_side_by_side(table: PublishedTable, cells: tuple[Cell, ...]) -> None:
    parts = [[cell for cell in cells if cell.is_time is is_time] for is_time in (False, True)]
    for is_time, part in zip((False, True), parts, strict=True):
        if not part:
            continue
        found = side_by_side(table, part)
        st.caption(_told_of_times() if is_time else _told_of_values(part))
        draw_grid(
            found.ours,
            lambda value, is_time=is_time: say(value, is_time=is_time),  # type: ignore[misc]
            notes=found.notes,
            verdicts=found.verdicts,
            alt=f"{table.title}: ours and the paper's",
        )
    if table.note:
        st.caption(table.note)
    draw_numbers(cell_table(table, cells), table.key.replace("/", "_"))


def _told_of_times() -> str:
    return "Our seconds of training, and below them the paper's, with how many times ours are less."


def _told_of_values(cells: Sequence[Cell]) -> str:
    if not any(map(verdict, cells)):
        return "Ours, and below it the paper's, and the difference."
    return (
        "Ours, and below it the paper's, the difference, and in brackets that in standard errors (the paper's and "
        "ours together). Beyond two of them: **bold green** where ours is better, *italic orange* where it is worse."
    )


def _draw_figures(table: PublishedTable, cells: tuple[Cell, ...]) -> None:
    if any(not cell.is_time for cell in cells):
        draw_chart(agreement_chart(table, cells), key="papers_agreement")
    if any(cell.is_time for cell in cells):
        draw_chart(speed_chart(table, cells), key="papers_speed")


def _draw_differences(table: PublishedTable, cells: tuple[Cell, ...]) -> None:
    if not any(cell.counts for cell in cells):
        st.info("No cell that counts has a number of ours.", icon=":material/info:")
        return
    found = differences(table, cells)
    if not found:
        st.info("No cell that counts is off by more than 0.02.", icon=":material/check:")
        return
    st.caption(
        "Cells off by more than 0.02, the farthest first. The findings were made on other runs than this one, so look "
        "whether they fit it."
    )
    for finding, far in found.items():
        with st.container(gap="xxsmall"):
            for which, how_far in far:
                st.markdown(f"**{escape_markdown(which)}**: {escape_markdown(how_far)}")
            st.caption(escape_markdown(f"{finding[0].upper()}{finding[1:]}."))


def _draw_reasons(table: PublishedTable, cells: tuple[Cell, ...]) -> None:
    found = reasons(table, cells)
    if found.empty:
        st.info("Every cell has a number of ours.", icon=":material/check:")
        return
    for reason, count, datasets in found.itertuples(index=False):
        with st.container(gap="xxsmall"):
            st.markdown(f"**{escape_markdown(datasets)}**: {pluralize(count, 'cell')}")
            st.caption(escape_markdown(f"{reason[0].upper()}{reason[1:]}."))
