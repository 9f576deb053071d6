"""New experiment: data sets, learners and protocol, with the number of trials and the time before launch.

`?clone=<experiment>`, `?extend=<experiment>` and `?dataset=<key or hash>` say what the form starts from; without them, what
it was left with for another page.
"""

import streamlit as st

from pages.parts.choose_datasets import draw_datasets
from pages.parts.choose_learners import draw_learners
from pages.parts.choose_preset import draw_presets, is_just_opened, keep_chosen, with_preset
from pages.parts.choose_protocol import draw_protocol
from pages.parts.choose_records import draw_records
from pages.parts.draft import find_start
from pages.parts.extension import draw_extension
from pages.parts.left_form import as_left, draw_left
from pages.parts.look import side_by_side
from pages.parts.plan_summary import draw_files, draw_summary
from pages.parts.store import show_errors, store
from pages.parts.streamed_data import draw_stream_advice, forget_wish, protocol_start
from pages.parts.text import escape_lines

if is_just_opened():
    forget_wish()
st.title("New experiment", anchor=False)
with show_errors():
    records = store().list_datasets()
    start = as_left(find_start(records), records)
    draft, prefix, problem = with_preset(start, records)
if problem:
    problem = problem[0].upper() + problem[1:]
    st.warning(escape_lines(problem), icon=":material/info:")

draw_left()
draw_extension()
draw_presets()

with side_by_side("new"):
    what, how = st.columns([6, 5])
with what:
    with st.container(border=True):
        st.header("Data sets", anchor=False)
        datasets = draw_datasets(draft.datasets, records, key=prefix)
        keep_chosen(datasets)
    with st.container(border=True):
        st.header("Learners", anchor=False)
        st.caption("Every method is run with every base model.")
        learners = draw_learners(draft.learners, key=prefix)
with how:
    with st.container(border=True):
        st.header("Protocol", anchor=False)
        draw_stream_advice(datasets, records, draft.protocol, key=prefix)
        begun, own_key = protocol_start(draft.protocol, prefix)
        protocol = draw_protocol(begun, records, key=own_key)
    with st.container(border=True):
        st.header("What to record", anchor=False)
        kind = protocol["kind"] if protocol else "given_split"  # the one that may still lack its test set
        measures, curves = draw_records(kind, draft.measures, draft.curves, key=prefix)
    summary = st.container()
    draw_files(problem)
# Last, as it ends with an estimate that takes a moment. Presets leave name and seed alone, so what was typed stays.
with summary:
    draw_summary(draft, datasets, learners, protocol, measures, curves, key=start.prefix)
