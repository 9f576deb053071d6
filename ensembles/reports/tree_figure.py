"""`plot_tree`: a trained tree as a figure of Plotly, which is imported only then."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ensembles.errors import InvalidParameter, NotInstalled
from ensembles.learners.core.tree_text import read_tree
from ensembles.reports.style import THEMES, Theme
from ensembles.wording import written

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["plot_tree"]

_WHO = "plot_tree"


def plot_tree(model: Any, member: int | None = None, max_depth: int | None = None, theme: Theme = "light") -> go.Figure:
    """Draw the tree of a trained base model as a figure of Plotly.

    Parameters
    ----------
    model : trained base model of trees, stumps or rules, `SingleClassifier`, or an ensemble of such
    member : int, optional
        Which member of an ensemble, by its place in `estimators_`.
    max_depth : int, optional
        How many levels are drawn below the root; nodes at the last one say their class, and "..." if they ask on.
    theme : {"light", "dark"}
        Colours for a light or a dark page; the ground is transparent.

    Returns
    -------
    plotly.graph_objects.Figure
        Leaves have the colour of their class; pointing at a node tells the weights of the training examples that came to it.

    Raises
    ------
    InvalidParameter
        It is no tree, there is no such member, or a setting is not allowed.
    NotInstalled
        Plotly is not there.
    """
    tree, names, classes = read_tree(_chosen(model, member), _WHO)
    if max_depth is not None and not (_is_whole(max_depth) and max_depth >= 0):
        raise InvalidParameter(f"{_WHO}: max_depth must be an integer of at least 0, or None, got {written(max_depth)}")
    if theme not in THEMES:
        raise InvalidParameter(f"{_WHO}: theme must be one of {', '.join(map(repr, THEMES))}, got {written(theme)}")
    if find_spec("plotly") is None:
        raise NotInstalled(f"{_WHO} needs the library plotly, which is not installed; `pip install plotly` installs it")
    from ensembles.reports.tree_drawing import draw_nodes, place_nodes

    return draw_nodes(place_nodes(tree, max_depth), names, classes, theme)


def _chosen(model: Any, member: int | None) -> Any:
    """Return the member that is meant, or the model itself."""
    if member is None:
        return model
    members = getattr(model, "estimators_", ())
    if not _is_whole(member) or not 0 <= member < len(members):
        raise InvalidParameter(
            f"{_WHO}: member must be a place in `estimators_`, of {len(members)} here, got {written(member)}"
        )
    return members[member]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
