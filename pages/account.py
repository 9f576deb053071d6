"""Account: who one is here, how much one may have, and tokens for programs of one's own."""

import streamlit as st

from pages.parts.account import draw_limits, draw_tokens
from pages.parts.store import store
from pages.parts.text import escape_markdown

st.title("Account", anchor=False)
actor = store().actor
st.markdown(f"You are **{escape_markdown(actor.name)}**, {'an' if actor.role == 'admin' else 'a'} {actor.role}.")
draw_limits()
draw_tokens()
