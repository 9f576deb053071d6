"""A button that puts the address of the page, with its view and filters, on the clipboard."""

import streamlit as st

__all__ = ["draw_copy_link"]

_HTML = '<button type="button"><span aria-hidden="true"></span><b aria-live="polite">Share</b></button>'

_CSS = """
button {
    display: inline-flex; align-items: center; gap: 0.45rem; width: 100%; justify-content: center;
    min-height: 2.5rem; padding: 0.25rem 0.75rem; cursor: pointer; white-space: nowrap;
    font: 400 0.875rem var(--st-font); color: var(--st-text-color);
    background: var(--st-background-color); border: 1px solid var(--st-border-color);
    border-radius: var(--st-button-radius);
}
button:hover, button:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
b { font-weight: 400; }
span {
    width: 1.1em; height: 1.1em; background: currentColor;
    mask: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M3.9 12\
a3.1 3.1 0 0 1 3.1-3.1h4V7H7a5 5 0 0 0 0 10h4v-1.9H7A3.1 3.1 0 0 1 3.9 12M8 13h8v-2H8zm9-6h-4v1.9h4a3.1 3.1 0 0 1 0 \
6.2h-4V17h4a5 5 0 0 0 0-10'/%3E%3C/svg%3E") center / contain no-repeat;
}
@media (forced-colors: active) { span { background: ButtonText; forced-color-adjust: none; } }
"""

# Without HTTPS (a laptop's address in the office network) browsers hide the clipboard; the old command works there.
_JS = """
async function copy(text) {
    if (navigator.clipboard && window.isSecureContext) {
        try { await navigator.clipboard.writeText(text); return true; } catch { /* refused: try the old way */ }
    }
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.appendChild(area);
    area.select();
    try { return document.execCommand("copy"); } catch { return false; } finally { area.remove(); }
}
export default function ({ parentElement, data }) {
    const button = parentElement.querySelector("button");
    const label = button.querySelector("b");
    let timer;
    label.textContent = data.label;
    button.onclick = async () => {
        label.textContent = (await copy(window.location.href)) ? "Link copied" : "See Export for the link";
        clearTimeout(timer);
        timer = setTimeout(() => { label.textContent = data.label; }, 2500);
    };
    return () => clearTimeout(timer);
}
"""

_component = st.components.v2.component("ensemble_lab_copy_link", html=_HTML, css=_CSS, js=_JS)


def draw_copy_link(label: str = "Share") -> None:
    """Draw the button."""
    _component(key="results_share", data={"label": label}, width="content")
