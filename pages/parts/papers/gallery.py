"""All published tables, paper after paper, with what each shows."""

from collections.abc import Sequence
from itertools import count, groupby

import streamlit as st

from ensembles.papers import PublishedTable, list_tables
from ensembles.papers.tables import Place
from ensembles.reports.formatting import pluralize
from pages.parts.links import PAPERS
from pages.parts.look import on_phone

__all__ = ["draw_gallery"]

_FEW = 4


def draw_gallery() -> None:
    """Draw a card for each table, linked to its page."""
    st.title("Papers", anchor=False)
    tables = list_tables()
    numbers = sum(len(table.numbers) for table in tables)
    st.markdown(
        f"{pluralize(numbers, 'published number')} of {pluralize(len(tables), 'table')}: choose one, run it again as its "
        "paper says or at a smaller scale, and read each number beside yours."
    )
    for _, of_paper in groupby(tables, key=lambda table: table.paper.citation):
        first, *others = of_paper
        st.header(first.paper.name, anchor=first.paper.key)
        st.caption(f"{first.paper.citation}. {first.paper.protocol}")
        _draw_cards([first, *others])


def _draw_cards(tables: Sequence[PublishedTable]) -> None:
    """Draw the cards of one paper; many of them are a long way on a phone, and unfold."""
    is_long = on_phone() and len(tables) > _FEW
    with st.expander(pluralize(len(tables), "table")) if is_long else st.container():
        cells = (cell for _ in count() for cell in st.columns(2))
        for table, cell in zip(tables, cells, strict=False):
            with cell, st.container(border=True, height="stretch", gap="xxsmall"):
                _draw_card(table)


def _draw_card(table: PublishedTable) -> None:
    st.page_link(PAPERS, label=f"**{table.number} {table.title}**", query_params={"table": table.key}, width="stretch")
    st.markdown(f"{table.shows} :small[:gray[{_facts(table)}.]]")


def _facts(table: PublishedTable) -> str:
    n_again = sum(isinstance(table.place(number), Place) for number in table.numbers)
    some = f"{n_again:,}" if n_again else "none"
    again = "" if n_again == len(table.numbers) else f"; {some} can be run again"
    datasets = {number.dataset for number in table.numbers}
    return f"{pluralize(len(table.numbers), 'number')} on {pluralize(len(datasets), 'data set')}{again}"
