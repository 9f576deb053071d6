"""What the browser does itself: Back leads to where somebody was, Ctrl and a link to a tab beside; colours turn at once.

Ctrl and Enter launch wherever one has pressed last.
"""

import streamlit as st

from pages.parts.left_form import is_left

__all__ = ["draw_history"]

# Who goes to another page from one whose widgets stand in the address is given two entries: the old page without these
# widgets first, as the server forgets them before it tells that the page is another one. Back would lead there, to a list
# that is not filtered any more, or to no experiment. So what is pushed before anything was pressed again takes the place
# of such an entry. A browser that does not tell of its ways keeps both. It is listened to once for a window.
# A link that is pressed with Ctrl or the like is left to the browser: Streamlit would open it in the same tab.
# Pressed in the menu, the page one is on would stay about what it is about: it is asked for without that.
# A choice in segments keeps Enter to itself, so Ctrl and Enter there are said once more where shortcuts are heard.
# What a tab keeps of a form is forgotten once that is launched.
# Figures and the logo are drawn in the colours of the page, so it runs again when these turn, by the menu or at dusk.
_JS = """
const GESTURES = ["pointerdown", "keydown", "click", "input", "change", "drop"];
const PHONE = 768;  // below it the menu lies over the page

export default function ({ data, setTriggerValue }) {
    if (!data.isLeft && window.ensembleLabForm) sessionStorage.removeItem(window.ensembleLabForm);
    window.ensembleLabTurned = () => setTriggerValue("turned", true);
    window.ensembleLabAsked = () => setTriggerValue("asked", true);
    if (window.ensembleLabHistory) return;
    window.ensembleLabHistory = true;
    window.addEventListener("click", (event) => {
        const link = event.target.closest?.("a[href]");
        const here = link?.closest('[data-testid="stSidebarNav"]') && link.pathname === window.location.pathname;
        const held = event.ctrlKey || event.metaKey || event.shiftKey;
        if (held ? link : here && window.location.search) event.stopPropagation();
        if (held || !here || !window.location.search) return;
        event.preventDefault();
        window.ensembleLabAsked();
        if (window.innerWidth < PHONE) document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
    }, true);
    window.addEventListener("keydown", (event) => {
        const launches = event.key === "Enter" && (event.ctrlKey || event.metaKey);
        if (!launches || !event.target.closest?.('[role="radio"]')) return;
        event.stopPropagation();
        document.dispatchEvent(new KeyboardEvent("keydown", event));
    }, true);
    const app = document.querySelector('[data-testid="stApp"]');
    const scheme = () => window.getComputedStyle(app).colorScheme;
    let drawn = scheme();
    new MutationObserver(() => {
        if (drawn !== scheme()) window.ensembleLabTurned();
        drawn = scheme();
    }).observe(app, { attributes: true });
    if (!window.navigation) return;
    let passing = null;  // the address of the last entry, if it was pushed for the page that stood there already
    window.navigation.addEventListener("navigate", (event) => {
        if (event.navigationType !== "push" || !event.destination.sameDocument) return;  // a sign-in leaves the document
        const { url } = event.destination;
        const stays = new URL(url).pathname === window.location.pathname;
        if (passing === window.location.href && event.cancelable) {
            event.preventDefault();
            window.history.replaceState({}, "", url);
        }
        passing = stays ? url : null;
    });
    for (const gesture of GESTURES)
        window.addEventListener(gesture, (event) => { if (event.isTrusted) passing = null; }, true);
    window.addEventListener("popstate", () => { passing = null; }, true);
}
"""

_component = st.components.v2.component("ensemble_lab_history", js=_JS)


def draw_history() -> bool:
    """Have the browser keep one entry for each way, open tabs, and ask anew in other colours; the look hides it.

    Returned is whether the page one is on was just pressed in the menu.
    """
    with st.container(key="history"):
        heard = _component(
            key="history_kept", data={"isLeft": is_left()}, on_turned_change=lambda: None, on_asked_change=lambda: None
        )
    return bool(heard.asked)
