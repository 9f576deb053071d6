"""The mark of Ensemble Lab: members around what they decide together."""

__all__ = ["logo"]

_INK = {"light": ("#1d2326", "#0f6b6d"), "dark": ("#e8e8e3", "#4fb8b4")}

_MARK = """<svg xmlns="http://www.w3.org/2000/svg" width="188" height="32" viewBox="0 0 188 32" role="img" aria-label="Ensemble Lab">
<g fill="none" stroke="{accent}" stroke-width="1.6"><path d="M16 16 6.5 8.5M16 16 25.5 8.5M16 16v11.5"/></g>
<g fill="{accent}"><circle cx="6" cy="8" r="4"/><circle cx="26" cy="8" r="4"/><circle cx="16" cy="27" r="4"/></g>
<circle cx="16" cy="15.500" r="5" fill="{ink}"/>
<text x="40" y="22.500" font-family="Source Sans, Source Sans 3, Segoe UI, Helvetica, Arial, sans-serif" font-size="20" font-weight="650" fill="{ink}">Ensemble Lab</text>
</svg>"""


def logo(ground: str | None) -> str:
    """Return the logo as SVG for a "light" or "dark" ground."""
    ink, accent = _INK.get(ground or "light", _INK["light"])
    return _MARK.format(ink=ink, accent=accent)
