"""Room for Hoeffding trees: growing the arrays between calls, and moving to more classes and values."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema
from ensembles.learners.hoeffding.members import BY_NODE, FRESH, LEAF, TABLES, HoeffdingMembers, Revisited, Settled
from ensembles.learners.hoeffding.subspaces import DrawnAttributes, EveryAttribute

__all__ = ["POOL", "empty_members", "enlarged", "with_capacity"]

POOL = 2**30  #: bytes that the tables of all members may take together; a leaf that gets none counts classes only


def empty_members(
    schema: Schema,
    n_classes: int,
    settings: list[float],
    split_parameters: npt.NDArray[np.float64],
    subspaces: EveryAttribute | DrawnAttributes,
    period: float | None = None,
) -> HoeffdingMembers:
    """Return members that have learned nothing, one a row of `split_parameters`; fields as in `HoeffdingMembers`.

    `period`: weight between two looks at the test of a node, None if nodes keep their tests.
    """
    n_members, n_nominal, n_numeric = len(split_parameters), len(schema.nominal), len(schema.numeric)
    order = np.zeros(len(schema.attributes), dtype=np.int64)
    order[list(schema.nominal)] = np.arange(n_nominal)
    order[list(schema.numeric)] = n_nominal + np.arange(n_numeric)
    first = np.concatenate([[0], np.cumsum(schema.value_counts + 1)]).astype(np.int64)
    nodes = np.zeros((n_members, 1, 3), dtype=np.int32)
    nodes[:, 0, 0], nodes[:, 0, 2] = LEAF, FRESH
    return HoeffdingMembers(
        nodes=nodes,
        node_statistics=np.zeros((n_members, 1, 4)),
        weights=np.zeros((n_members, 1, n_classes)),
        sizes=np.ones(n_members, dtype=np.int64),
        totals=np.zeros((n_members, n_classes)),
        cells=np.zeros((0, first[-1], n_classes)),
        seen=np.zeros((0, n_classes)),
        gaps=np.zeros(0, dtype=np.bool_),
        moments=np.zeros((0, n_classes, 6, n_numeric)),
        normals=np.zeros((0, 2, n_numeric, n_classes)),
        outlooks=np.zeros((0, 4, n_classes)),
        spread=np.zeros((0, 3, n_numeric)),
        spare=np.zeros(0, dtype=np.int64),
        stock=np.zeros(2, dtype=np.int64),
        first=first,
        n_values=schema.value_counts.astype(np.float64),
        order=order,
        settings=np.array(settings, dtype=np.float64),
        split_parameters=split_parameters,
        work=np.zeros((4, n_classes)),
        densities=np.zeros((3 + n_classes, n_numeric)),
        subspaces=subspaces,
        revisits=_revisits(period, n_members),
    )


def _revisits(period: float | None, n_members: int) -> Settled | Revisited:
    if period is None:
        return Settled()
    return Revisited(period=np.array([period]), marks=np.zeros((n_members, 1), dtype=np.int32))


def with_capacity(members: HoeffdingMembers, n_examples: int) -> HoeffdingMembers:
    """Return the members with room for what `n_examples` can add: one split and one table a member and example.

    What is asked for is doubled, so that a stream in small pieces is not copied at each of them. Nothing grows beyond
    `max_nodes` nodes and tables a member and `POOL` bytes of tables for all members together.
    """
    n_members, capacity = members.nodes.shape[:2]
    widest = max(3 if members.moments.shape[3] else 0, int(np.diff(members.first).max(initial=0)))
    most = members.most_nodes
    needed = min(int(members.sizes.max()) + n_examples * widest, most)
    if needed > capacity:
        size = min(2 * needed, most)
        wider: dict[str, Any] = {name: _wider(getattr(members, name), size) for name in BY_NODE}
        members = members._replace(**wider, revisits=_with_nodes(members.revisits, size))
    used, returned = int(members.stock[1]), int(members.stock[0])
    limit = max(min(n_members * most, POOL // members.table_bytes), n_members, used)
    needed = min(used - returned + n_members * n_examples, limit)
    if needed > len(members.spare):
        size = min(2 * needed, limit)
        longer: dict[str, Any] = {name: _longer(getattr(members, name), size, used) for name in TABLES}
        members = members._replace(**longer, subspaces=_with_slots(members.subspaces, size, used))
    return members


def _with_slots(kind: EveryAttribute | DrawnAttributes, size: int, used: int) -> EveryAttribute | DrawnAttributes:
    return kind._replace(chosen=_longer(kind.chosen, size, used)) if isinstance(kind, DrawnAttributes) else kind


def _with_nodes(kind: Settled | Revisited, size: int) -> Settled | Revisited:
    if isinstance(kind, Settled):
        return kind
    return kind._replace(marks=np.zeros((len(kind.marks), size), dtype=np.int32))


def _longer(array: npt.NDArray[Any], size: int, used: int) -> npt.NDArray[Any]:
    """Copy the first `used` items into an array of `size`; nothing else is written to, so it takes no memory yet."""
    longer = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    longer[:used] = array[:used]
    return longer


def _wider(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Copy an array into one with `size` nodes a member."""
    wider = np.zeros((len(array), size, array.shape[2]), dtype=array.dtype)
    wider[:, : array.shape[1]] = array
    return wider


def enlarged(
    members: HoeffdingMembers,
    grown: HoeffdingMembers,
    maps: list[npt.NDArray[np.int64]],
    positions: npt.NDArray[np.int64],
) -> HoeffdingMembers:
    """Fill `grown`, members that have learned nothing, from `members`.

    Parameters
    ----------
    maps : list of arrays
        For each nominal attribute the new place of each of its values.
    positions : array
        The new place of each class.
    """
    n_slots = int(members.stock[1])
    branches = [
        np.append(to, grown.first[a + 1] - grown.first[a] - 1) for a, to in enumerate(maps)
    ]  # missing stays last
    values = np.concatenate([grown.first[a] + to for a, to in enumerate(branches)]) if maps else np.zeros(0, np.int64)
    cells = np.zeros((n_slots, *grown.cells.shape[1:]))
    cells[:, values[:, None], positions] = members.cells[:n_slots]
    seen = np.zeros((n_slots, len(grown.totals[0])))
    seen[:, positions] = members.seen[:n_slots]
    moments = np.zeros((n_slots, *grown.moments.shape[1:]))
    moments[:, positions] = members.moments[:n_slots]
    grown.totals[:, positions] = members.totals
    weights = np.zeros((*members.weights.shape[:2], len(grown.totals[0])))
    weights[:, :, positions] = members.weights
    grown = grown._replace(
        nodes=members.nodes.copy(),
        node_statistics=members.node_statistics.copy(),
        weights=weights,
        sizes=members.sizes.copy(),
        cells=cells,
        seen=seen,
        gaps=members.gaps[:n_slots].copy(),
        moments=moments,
        normals=np.ones((n_slots, *grown.normals.shape[1:])),  # none of them current
        outlooks=np.zeros((n_slots, *grown.outlooks.shape[1:])),
        spread=members.spread[:n_slots].copy(),
        spare=members.spare[:n_slots].copy(),
        stock=members.stock.copy(),
        subspaces=type(members.subspaces)(*(array.copy() for array in members.subspaces)),
        revisits=_with_nodes(members.revisits, members.nodes.shape[1]),
    )
    wider = np.diff(grown.first) != np.diff(members.first)
    return _with_branches(grown, branches, wider) if wider.any() else grown


def _with_branches(
    members: HoeffdingMembers, branches: list[npt.NDArray[np.int64]], wider: npt.NDArray[np.bool_]
) -> HoeffdingMembers:
    """Number the nodes anew, with a fresh leaf for each new value of an attribute that a node asks for."""
    plans = [
        _renumbered(nodes[:size], branches, wider, members.first)
        for nodes, size in zip(members.nodes, members.sizes, strict=True)
    ]
    size = max(members.nodes.shape[1], *(len(plan) for plan, _ in plans))
    nodes = np.zeros((len(plans), size, 3), dtype=np.int32)
    node_statistics = np.zeros((len(plans), size, 4))
    weights = np.zeros((len(plans), size, members.weights.shape[2]))
    for m, (origin, children) in enumerate(plans):
        old = np.flatnonzero(origin >= 0)
        nodes[m, : len(origin)] = [LEAF, 0, FRESH]
        nodes[m, old] = members.nodes[m, origin[old]]
        nodes[m, : len(origin), 1] = children
        node_statistics[m, old] = members.node_statistics[m, origin[old]]
        weights[m, old] = members.weights[m, origin[old]]
        members.sizes[m] = len(origin)
    revisits = _with_nodes(members.revisits, size)
    return members._replace(nodes=nodes, node_statistics=node_statistics, weights=weights, revisits=revisits)


def _renumbered(
    nodes: npt.NDArray[np.int32],
    branches: list[npt.NDArray[np.int64]],
    wider: npt.NDArray[np.bool_],
    first: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return for each node of the new numbering its old number, or -1 for a fresh leaf, and its first child."""
    origin, children = [0], [0]
    at = 0
    while at < len(origin):
        node = origin[at]
        if node >= 0 and nodes[node, 0] >= 0:
            a, start = int(nodes[node, 0]), int(nodes[node, 1])
            if a < len(branches):
                block = np.full(first[a + 1] - first[a], -1)
                block[branches[a]] = start + np.arange(len(branches[a]))
            else:
                block = start + np.arange(3)
            children[at] = len(origin)
            origin.extend(int(child) for child in block)
            children.extend([0] * len(block))
        at += 1
    return np.array(origin), np.array(children, dtype=np.int32)
