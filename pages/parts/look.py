"""What themes cannot say of the look, in the style of a page."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

__all__ = ["draw_look", "on_phone", "side_by_side"]

# Streamlit writes white on its accent, which on the dark ground is too light for that; an accent dark enough for white would
# be too dark for the names of chosen segments, which are written in it. Links to the page one is on are no chosen entries of
# a menu; links stand in line with the text around them, and show long names whole. On tablets margins are narrow, and large
# figures do not share a row. What strangers see stands in the middle of the window. Names of rows stay in sight where a
# table is wider than the window, and a shade, which its end covers, tells that there is more to the right.
# What keeps the history is drawn for what it does. Links that have the focus would differ by a shade from the others.
# Where the reader's system forces its own colours, grounds are gone: what is chosen, ticked or on would look like the rest.
_STYLE = """<style>
[data-testid="stBaseButton-primary"]:not(:disabled), [data-tag], [data-tag] button { color: light-dark(#ffffff, #11171a); }
[data-testid="stPageLink-NavLink"] { position: relative; left: -0.5rem; }
[data-testid="stPageLink-NavLink"] :is(p, span) { white-space: normal; }
[data-testid="stPageLink-NavLink"]:not(:hover):not(:focus-visible) { background-color: transparent; }
:is([data-testid="stPageLink-NavLink"], [data-testid="stSidebarNavLink"]):focus-visible {
  outline: 2px solid light-dark(#0f6b6d, #2f9a96);
}
[data-testid="stLayoutWrapper"]:has(> [class*="st-key-history"]) { display: none; }
.st-key-stranger { min-height: 60vh; }
[data-testid="stTable"] :is(th, td):first-child {
  position: sticky; left: 0; background: light-dark(#fcfcfa, #15191b) padding-box;
}
[data-testid="stTable"] > div {
  background: linear-gradient(to left, light-dark(#fcfcfa, #15191b) 50%, transparent) right / 4rem 100% no-repeat local,
    linear-gradient(to left, light-dark(#00000030, #ffffff40), transparent) right / 1.5rem 100% no-repeat scroll;
  border-radius: 0;
}
@media (min-width: 768px) and (max-width: 1200px) {
  [data-testid="stMainBlockContainer"], [data-testid="stBottomBlockContainer"] { padding-left: 2rem; padding-right: 2rem; }
}
@media (max-width: 1200px) {
  [class*="st-key-side_by_side"] > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] {
    flex-direction: column;
    > [data-testid="stColumn"] { width: 100%; flex: none; }
  }
}
@media (forced-colors: active) {
  button[data-selected="true"], [data-testid="stCheckbox"] label > span + div {
    forced-color-adjust: none; border: 1px solid ButtonText;
  }
  button[data-selected="true"] { background: Highlight !important; color: HighlightText !important; }
  button[data-selected="true"] * { color: inherit !important; }
  [data-testid="stCheckbox"] label[data-selected="true"] { --chosen: HighlightText; --ground: Highlight; }
  [data-testid="stCheckbox"] label > span + div { background: var(--ground, ButtonFace); stroke: var(--chosen, ButtonText); }
  [data-testid="stCheckbox"] label > span + div > div { background: var(--chosen, ButtonText); }
}
</style>"""


def draw_look() -> None:
    """Draw nothing but the style."""
    st.html(_STYLE)


def on_phone() -> bool:
    """Return whether the page is drawn for a phone."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


def side_by_side(key: str) -> DeltaGenerator:
    """Return a container whose columns stand below each other already on a tablet, not just on a phone."""
    return st.container(key=f"side_by_side_{key}")
