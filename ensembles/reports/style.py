"""How a learner looks, everywhere: one colour, one symbol, one dash, after Okabe and Ito's palette.

Family decides hue and shape (single grey circle, bagging blue square, boosting orange diamond, primed green triangle),
the way of learning decides the fill (batch filled, online open). Learners of one experiment that would look the same,
such as the same method with other base models, get the next hue near that of the family, shape and dash, in the order of
the experiment; when the hues are used up, they come again in other shades.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ensembles.registry import methods

if TYPE_CHECKING:
    from ensembles.experiments.config import LearnerSpec

__all__ = [
    "FONT",
    "THEMES",
    "VERDICTS",
    "VERDICT_TEXT",
    "LearnerStyle",
    "Theme",
    "ThemeColours",
    "cell_colour",
    "learner_styles",
    "translucent",
]

Theme = Literal["light", "dark"]
FONT = '"Source Sans", sans-serif'

VERDICTS = {"better": "#009E73", "worse": "#D55E00", "equal": "#868e91"}
"""Colours of better, worse and equal; each stands beside a second sign (side of the line, a word)."""


@dataclass(frozen=True)
class ThemeColours:
    """The quiet colours of a theme; hex."""

    background: str
    text: str
    muted: str
    grid: str


THEMES: dict[Theme, ThemeColours] = {
    "light": ThemeColours(background="#fcfcfa", text="#11171a", muted="#5f676b", grid="#e4e4dd"),
    "dark": ThemeColours(background="#15191b", text="#e8e8e3", muted="#a3abae", grid="#2c3336"),
}

VERDICT_TEXT: dict[Theme, dict[str, str]] = {
    "light": {"better": "#007a59", "worse": "#b34f00", "equal": THEMES["light"].muted},
    "dark": {"better": "#2cc295", "worse": "#ff8a45", "equal": THEMES["dark"].muted},
}
"""The same as letters, which need more contrast than lines."""

# hues of batch and of online learners, and shapes, of the first, second, ... learner that would look alike; the first hues
# are Okabe and Ito's, the others stay near them and differ in lightness too, for colour-blind readers
_SINGLE = ("#7f878a", "#a3744f", "#5f78b8", "#7d8f3a")
_PRIMED = ("#009E73", "#7E9A16", "#3D7F5B", "#45BD3A")
_OTHER = ("#CC79A7", "#9A45C4", "#C42C68", "#DE62EA")
_FAMILIES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "single": (_SINGLE, _SINGLE, ("circle", "hexagon", "octagon", "pentagon")),
    "bagging": (
        ("#0072B2", "#6A4FD0", "#1E8C84", "#7F93C4"),
        ("#56B4E9", "#A678E6", "#12B5A0", "#4F7C9C"),
        ("square", "hourglass", "bowtie", "cross"),
    ),
    "boosting": (
        ("#D55E00", "#A04A70", "#CF2430", "#7A6838"),
        ("#E69F00", "#F27AA8", "#CC8E72", "#B3A12B"),
        ("diamond", "diamond-tall", "diamond-wide", "star-diamond"),
    ),
    "primed": (_PRIMED, _PRIMED, ("triangle-up", "triangle-down", "triangle-left", "triangle-right")),
    "other": (_OTHER, _OTHER, ("star", "hexagram", "star-triangle-up", "star-triangle-down")),
}
_SHADES = (0.0, 0.4, 0.65, 0.2)
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


@dataclass(frozen=True)
class LearnerStyle:
    """Colour, symbol and dash of one learner.

    Attributes
    ----------
    hue : str
        Hex, as in both themes for the first learners of their kind.
    shade : float
        How far the hue moves towards the text colour of the theme, in [0, 1).
    symbol : str
        A Plotly marker symbol; ends in `-open` for online learners.
    dash : str
        A Plotly line dash.
    """

    hue: str
    shade: float
    symbol: str
    dash: str

    def colour(self, theme: Theme) -> str:
        """Return the colour in `theme`, hex."""
        return _mixed(self.hue, THEMES[theme].text, self.shade)


def learner_styles(learners: Sequence[LearnerSpec]) -> tuple[LearnerStyle, ...]:
    """Return the style of each learner of an experiment.

    A look depends on the learners before it only, so adding one or hiding some changes no other.
    """
    alike: Counter[tuple[str, bool]] = Counter()
    styles = []
    for learner in learners:
        family, open_symbol = _kind(learner.method)
        place = alike[family, open_symbol]
        alike[family, open_symbol] += 1
        batch_hues, online_hues, shapes = _FAMILIES[family]
        hues = online_hues if open_symbol else batch_hues
        styles.append(
            LearnerStyle(
                hue=hues[place % len(hues)],
                shade=_SHADES[place // len(hues) % len(_SHADES)],
                symbol=shapes[place % len(shapes)] + ("-open" if open_symbol else ""),
                dash=_DASHES[place % len(_DASHES)],
            )
        )
    return tuple(styles)


def translucent(colour: str, opacity: float) -> str:
    """Return a hex colour as `rgba(...)` with `opacity` in [0, 1]."""
    red, green, blue = _channels(colour)
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def cell_colour(colour: str, theme: Theme) -> str:
    """Return a colour as the ground of a cell, on which the text of a theme can be read."""
    return _mixed(colour, THEMES[theme].background, 0.5)


def _kind(method: str) -> tuple[str, bool]:
    if method.startswith("primed"):
        return "primed", True
    entry = methods().get(method)
    if entry is None:
        return "other", "online" in method
    if entry.family == "single":
        return "single", False
    return (entry.family if entry.family in _FAMILIES else "other"), entry.online


def _mixed(colour: str, other: str, share: float) -> str:
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(mine + share * (theirs - mine)):02x}" for mine, theirs in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
