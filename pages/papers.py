"""Papers: published tables, run again (`?table=oza2001/3.4&scale=A+tenth`): the permalink of a comparison."""

import streamlit as st

from ensembles.errors import NotFound
from ensembles.papers import PublishedTable, compare, get_table
from pages.parts.address import end_nowhere
from pages.parts.links import PAPERS
from pages.parts.papers.comparison import draw_comparison
from pages.parts.papers.gallery import draw_gallery
from pages.parts.papers.launch import draw_run_again, draw_runs, draw_scale, on_the_page
from pages.parts.results.copy_link import draw_copy_link
from pages.parts.results.load import load_results
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from runner.papers import find_runs, not_here


def find_table(key: str) -> PublishedTable:
    """Return the table that the address names; without one, say so and end the page."""
    try:
        return get_table(key)
    except NotFound as error:
        end_nowhere("Papers", error, PAPERS, "All tables")


def draw_table(table: PublishedTable) -> None:
    """Draw one table: what it shows, its runs, and the published numbers beside ours."""
    st.page_link(PAPERS, label="All tables", icon=":material/arrow_back:")
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.title(f"{table.paper.name}, table {table.number}", anchor=False, width="content")
        draw_copy_link()
    st.markdown(f"**{table.title}.** {table.shows}")
    st.caption(f"{table.paper.protocol} {table.paper.citation}.")
    if table.left_out:
        st.info(escape_markdown(f"Its numbers are shown and not counted: {table.left_out}."), icon=":material/info:")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        scale = draw_scale()
        with show_errors():
            runs, missing = find_runs(store(), table.experiments(), scale), not_here(store(), table)
        draw_run_again(table, scale, runs, missing)
        draw_runs(table, scale, runs)
    with show_errors():
        results = {key: load_results(run) for key, run in runs.items()}
    draw_comparison(table, compare(table, results, on_the_page(missing)))


if key := st.query_params.get("table"):
    draw_table(find_table(key))
else:
    draw_gallery()
