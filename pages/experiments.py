"""Experiments: a table of what was launched, live, sorted and filtered in the database, and what can be done with it."""

from functools import partial

import streamlit as st

from pages.parts.address import choose_page
from pages.parts.bin import draw_bin_of_experiments
from pages.parts.experiment_actions import draw_bar
from pages.parts.experiment_questions import draw_question
from pages.parts.experiment_rows import watch
from pages.parts.experiments.filters import draw_filters
from pages.parts.experiments.papers import (
    count_words,
    draw_folded,
    draw_unfolded,
    entries_now,
    experiments_of,
)
from pages.parts.experiments.rows import draw_headings, draw_row
from pages.parts.links import draw_new_link
from pages.parts.live import count_now
from pages.parts.store import show_errors, store
from storage import ExperimentRecord, Folded

PAGE_SIZE = 15

title, new = st.columns([3, 1], vertical_alignment="bottom")
title.title("Experiments", anchor=False)
with show_errors():
    is_empty = store().count_experiments() == 0
if is_empty:
    st.info("No experiment here. Choose data sets and learners, launch, and it appears.", icon=":material/science:")
    draw_new_link()
    draw_bin_of_experiments()
    st.stop()
with new.container(horizontal_alignment="right"):
    draw_new_link()

wanted = draw_filters()
with show_errors():
    total = count_now(wanted)
if not total:
    st.info("No experiment is like that: change the search or the filters.", icon=":material/search_off:")
    draw_bin_of_experiments()
    draw_question()
    st.stop()

draw_unfolded(wanted, total)
draw_headings(wanted.sort)
rows = st.container(gap=None)
with st.container(horizontal=True, vertical_alignment="center"):
    st.caption(count_words(wanted, total))
    page = choose_page(-(-total // PAGE_SIZE), key="page")
read = partial(entries_now, wanted, PAGE_SIZE, (page - 1) * PAGE_SIZE)
with show_errors():
    entries = read()
ticked: list[ExperimentRecord] = []
with rows:
    for entry in entries:
        if isinstance(entry, Folded):
            ticked += experiments_of(entry, wanted) if draw_folded(entry, wanted) else []
        elif draw_row(entry):
            ticked.append(entry)
watch(entries, read)
draw_bin_of_experiments()
if ticked:
    draw_bar(ticked)
draw_question()
