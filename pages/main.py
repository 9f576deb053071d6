"""The frame of every page: who looks at it, navigation, title, and one sentence instead of a broken page."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ensembles.errors import EnsembleLabError, Forbidden, StorageError
from pages.parts.address import is_about_something, kept_address, switch_subject
from pages.parts.frame import draw_navigation, page_at
from pages.parts.history import draw_history
from pages.parts.keyboard import draw_keyboard
from pages.parts.links import SHARED
from pages.parts.logo import favicon, logo
from pages.parts.look import draw_look
from pages.parts.notice import draw_notice
from pages.parts.sign_in import draw_sign_in, draw_way_out, draw_who, is_for_strangers
from pages.parts.store import store
from pages.parts.text import escape_markdown
from pages.parts.who import open_by_link
from storage import NOBODY, Actor

_NOT_ALLOWED = "Your role does not let you open this page; an admin can give you another."
_NO_ACCOUNTS = "Nobody signs in here, so nobody has an account."


def run(page: StreamlitPage, actor: Actor) -> None:
    """Run a page for who may open it; have strangers sign in, and tell others in a sentence."""
    about = page_at(page.url_path)
    if about.file != SHARED and not actor.may("read") and not is_for_strangers(about.file):
        draw_sign_in()
        return
    if about.file != SHARED and actor.may("read"):
        draw_who(actor)
        draw_notice()
        if not about.may_be_opened_by(actor):
            st.title(page.title, anchor=False)
            st.info(_NO_ACCOUNTS if actor.may(about.needs) else _NOT_ALLOWED, icon=":material/lock:")
            return
    with kept_address(page.url_path):
        page.run()


# Before the navigation: else the browser asks a font server on the internet for the page's icon.
st.set_page_config(
    page_icon=favicon(),
    layout="wide",
    menu_items={"About": "**Ensemble Lab** compares ensemble learners, batch and online."},
)
open_by_link(None)
problem: EnsembleLabError | None = None
try:
    viewer = store().actor
except EnsembleLabError as error:
    viewer, problem = NOBODY, error
opened = draw_navigation(viewer)
is_home = opened.title == "Home" or not viewer.may("read")
st.set_page_config(page_title="Ensemble Lab" if is_home else f"{opened.title} · Ensemble Lab")
st.logo(logo(st.context.theme.type), size="large")
draw_look()
draw_keyboard()
if draw_history() and is_about_something():
    switch_subject(opened, {})
try:
    if problem is not None:
        raise problem
    run(opened, viewer)
except StorageError as error:
    st.error(escape_markdown(str(error)), icon=":material/database_off:")
except EnsembleLabError as error:
    st.error(escape_markdown(str(error)), icon=":material/lock:")
    if isinstance(error, Forbidden):
        draw_way_out()
