"""Where the focus goes for who has a keyboard alone: into what a button opens, and back to where it was."""

import streamlit as st

__all__ = ["draw_keyboard"]

# What a popover shows stands at the end of the document, so Tab would come to it after all of the page: it leads there from
# its button, and from its end on. A dialog that a menu has opened, and a button that is another one once it was pressed,
# leave the focus nowhere: it goes back to what had it, or to what is left of that. A menu stands there too, and closes when
# Tab is pressed in it. Who points needs none of it.
_JS = """
const STOPS = "a[href], button, input, select, textarea, [tabindex]";
const OVER = '[role="dialog"], [role="menu"]';

const stops = (element) => [...element.querySelectorAll(STOPS)].filter(
    (one) => one.tabIndex >= 0 && !one.disabled && one.getClientRects().length);

const keysAround = (element) => {
    const keys = [];
    for (let one = element; one; one = one.parentElement)
        keys.push(...[...one.classList].filter((name) => name.startsWith("st-key-")));
    return keys;
};

export default function () {
    if (window.ensembleLabKeyboard) return;
    window.ensembleLabKeyboard = true;
    let last = null, around = [], byKey = false, hadDialog = false;
    document.addEventListener("focusin", ({ target }) => {
        if (target.closest(OVER)) return;
        last = target;
        around = keysAround(target);
    });
    window.addEventListener("pointerdown", () => { byKey = false; }, true);
    window.addEventListener("keydown", (event) => {
        byKey = true;
        if (event.key === "Tab" && document.activeElement.closest('[role="menu"]')) last?.focus();  // and on from there
        const opener = document.querySelector('[data-testid="stPopoverButton"][aria-expanded="true"]');
        const body = document.querySelector('[data-testid="stPopoverBody"]');
        if (event.key !== "Tab" || !opener || !body) return;
        const [first, ...others] = stops(body), here = document.activeElement;
        const [from, to] = event.shiftKey ? [first, opener] : [opener, first];
        if (to && here === from) {
            event.preventDefault();
            to.focus();
        } else if (!event.shiftKey && here === (others.at(-1) ?? first)) opener.focus();  // and on from there
    }, true);
    new MutationObserver(() => {
        const hasDialog = document.querySelector('[role="dialog"]') !== null;
        const isLost = (hadDialog && !hasDialog) || !last?.isConnected;
        hadDialog = hasDialog;
        if (!isLost || hasDialog || !byKey || !last || document.activeElement !== document.body) return;
        const found = around.map((key) => document.getElementsByClassName(key)[0]).find((one) => one && stops(one).length);
        const to = last.isConnected ? last : found && stops(found)[0];
        to?.focus();
    }).observe(document.body, { childList: true, subtree: true });
}
"""

_component = st.components.v2.component("ensemble_lab_keyboard", js=_JS)


def draw_keyboard() -> None:
    """Have the browser look after the focus; the look hides it."""
    with st.container(key="history_keyboard"):
        _component(key="keyboard")
