"""The pages there are, and who may open them."""

from typing import NamedTuple

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.parts.links import (
    ACCOUNT,
    ADMIN,
    DATASETS,
    EXPERIMENTS,
    HOME,
    LEADERBOARD,
    LEARNERS,
    NEW_EXPERIMENT,
    PAPERS,
    RESULTS,
    SHARED,
)
from storage import Actor
from storage.access import Action

__all__ = ["PAGES", "FramedPage", "draw_navigation", "page_at"]


class FramedPage(NamedTuple):
    """A page: where it stands in the navigation, and what one must be allowed to do to open it."""

    file: str
    title: str
    icon: str
    address: str = ""
    section: str = ""
    needs: Action = "read"
    is_linked: bool = True

    def may_be_opened_by(self, actor: Actor) -> bool:
        """Return whether somebody who signed in, or anybody where nobody does, may open it."""
        return actor.may(self.needs) and (self.file != ACCOUNT or actor.kind == "user")


PAGES = (
    FramedPage(HOME, "Home", "home"),
    FramedPage(NEW_EXPERIMENT, "New experiment", "add_circle", "new", "Compare", "launch"),
    FramedPage(EXPERIMENTS, "Experiments", "list", "experiments", "Compare"),
    FramedPage(RESULTS, "Results", "scatter_plot", "results", "Compare"),
    FramedPage(LEADERBOARD, "Leaderboard", "leaderboard", "leaderboard", "Compare"),
    FramedPage(DATASETS, "Data sets", "table_chart", "datasets", "Library"),
    FramedPage(LEARNERS, "Learners", "hub", "learners", "Library"),
    FramedPage(PAPERS, "Papers", "menu_book", "papers", "Library"),
    FramedPage(ACCOUNT, "Account", "person", "account", is_linked=False),
    FramedPage(ADMIN, "Admin", "admin_panel_settings", "admin", "Server", "administrate"),
    FramedPage(SHARED, "Shared results", "share", "shared", is_linked=False),
)


def page_at(address: str) -> FramedPage:
    """Return the page with this address."""
    return next(page for page in PAGES if page.address == address)


def draw_navigation(actor: Actor) -> StreamlitPage:
    """Draw links to what somebody may open, and return the page of the address, whether they may open it or not.

    Strangers see no links, and neither does who opens what a link shows. Addresses are known all the same, so that one can
    sign in where one wanted to go.
    """
    sections: dict[str, list[StreamlitPage]] = {}
    for page in PAGES:
        drawn = st.Page(
            page.file,
            title=page.title,
            icon=f":material/{page.icon}:",
            url_path=page.address,
            default=not page.address,
            visibility="visible" if page.is_linked and page.may_be_opened_by(actor) else "hidden",
        )
        sections.setdefault(page.section, []).append(drawn)
    is_alone = not actor.may("read") or (st.context.url or "").rstrip("/").endswith("/shared")
    return st.navigation(sections, position="hidden" if is_alone else "sidebar")
