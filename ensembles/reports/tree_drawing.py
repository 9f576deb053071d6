"""Trees as figures: nodes in their places, lines between them, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from ensembles.learners.core.tree_view import TreeNode
from ensembles.reports.plot_template import escaped, template
from ensembles.reports.style import FONT, THEMES, Theme, cell_colour

__all__ = ["PlacedNode", "draw_nodes", "place_nodes"]

_COLUMN, _ROW, _LEAST = 120, 90, 360  # pixels that a leaf, a level and a figure have at least
_HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7f878a")  # of classes, Okabe & Ito's


class PlacedNode(NamedTuple):
    """A node and where it is drawn.

    x : in leaves from the left, in the middle above what is below it
    depth : in levels below the root
    parent : place of the node above in the list, -1 of the root
    words : what a value must be to come here from above
    cut : whether what is below it is left out
    """

    node: TreeNode
    x: float
    depth: int
    parent: int
    words: str
    cut: bool


def place_nodes(tree: TreeNode, max_depth: int | None = None) -> list[PlacedNode]:
    """Return the nodes of a tree with their places, each before those below it."""
    placed: list[PlacedNode] = []
    waiting = [(tree, 0, -1, "")]
    while waiting:
        node, depth, parent, words = waiting.pop()
        cut = bool(node.branches) and depth == max_depth
        if not cut:
            waiting.extend((below, depth + 1, len(placed), said) for said, below in reversed(node.branches))
        placed.append(PlacedNode(node, 0.0, depth, parent, words, cut))
    return _spread(placed)


def _spread(placed: Sequence[PlacedNode]) -> list[PlacedNode]:
    """Return the nodes with the lowest ones side by side, and all others in the middle above what is below them."""
    below: list[list[float]] = [[] for _ in placed]
    n_lowest = sum(one.cut or not one.node.branches for one in placed)
    spread = [*placed]
    for at in range(len(placed) - 1, -1, -1):
        one = placed[at]
        if one.cut or not one.node.branches:
            n_lowest -= 1
            x = float(n_lowest)
        else:
            x = (min(below[at]) + max(below[at])) / 2
        spread[at] = one._replace(x=x)
        if one.parent >= 0:
            below[one.parent].append(x)
    return spread


def draw_nodes(placed: Sequence[PlacedNode], names: list[str], classes: list[Any], theme: Theme) -> go.Figure:
    """Draw placed nodes; names of attributes and classes are text of users."""
    colours, depth = THEMES[theme], max(one.depth for one in placed)
    width, right = max(1.0 + max(one.x for one in placed), _LEAST / _COLUMN), max(one.x for one in placed)
    figure = go.Figure(layout={"template": template(theme), "showlegend": False})
    figure.add_scatter(**_edges(placed), mode="lines", line={"color": colours.muted, "width": 1}, hoverinfo="skip")
    figure.add_scatter(
        x=[one.x for one in placed],
        y=[-one.depth for one in placed],
        mode="markers",
        marker={"size": 34, "opacity": 0.0},
        hovertext=[_told(one.node, classes) for one in placed],
        hoverinfo="text",
    )
    for one in placed:
        figure.add_annotation(**_box(one, names, classes, theme))
        if one.parent >= 0:
            figure.add_annotation(**_on_the_way(placed[one.parent], one, theme))
    middle = right / 2
    figure.update_xaxes(visible=False, range=[middle - width / 2, middle + width / 2])
    figure.update_yaxes(visible=False, range=[-depth - 0.5, 0.5])
    return figure.update_layout(width=round(width * _COLUMN), height=max(_ROW * (depth + 1), 120))


def _edges(placed: Sequence[PlacedNode]) -> dict[str, list[float | None]]:
    """Return lines from each node to those below it, with gaps between."""
    x: list[float | None] = []
    y: list[float | None] = []
    for one in placed:
        if one.parent >= 0:
            above = placed[one.parent]
            x += [above.x, one.x, None]
            y += [-above.depth, -one.depth, None]
    return {"x": x, "y": y}


def _told(node: TreeNode, classes: list[Any]) -> str:
    """Return the weights of a node in words, a class a line."""
    weights = zip(classes, node.weights, strict=False)
    return "<br>".join(f"{escaped(str(label))}: {weight:g}" for label, weight in weights)


def _box(one: PlacedNode, names: list[str], classes: list[Any], theme: Theme) -> dict[str, Any]:
    """Return the box of a node: what it asks, or its class."""
    colours, asks = THEMES[theme], bool(one.node.branches) and not one.cut
    label = escaped(str(classes[one.node.label]), 16) if one.node.label >= 0 else "nothing learned"
    ground = colours.background if asks else cell_colour(_HUES[one.node.label % len(_HUES)], theme)
    return {
        "x": one.x,
        "y": -one.depth,
        "text": escaped(names[one.node.attribute], 16) + "?" if asks else label + (" ..." if one.cut else ""),
        "showarrow": False,
        "borderpad": 5,
        "bordercolor": colours.muted if asks else ground,
        "bgcolor": ground,
        "font": {"family": FONT, "size": 13, "color": colours.text},
    }


def _on_the_way(above: PlacedNode, one: PlacedNode, theme: Theme) -> dict[str, Any]:
    """Return the words of a branch, on its line."""
    colours = THEMES[theme]
    return {
        "x": (above.x + one.x) / 2,
        "y": -(above.depth + one.depth) / 2,
        "text": escaped(one.words, 20),
        "showarrow": False,
        "borderpad": 1,
        "bgcolor": colours.background,
        "font": {"family": FONT, "size": 11, "color": colours.muted},
    }
