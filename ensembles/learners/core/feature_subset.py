"""Members that each look at some of the attributes only, drawn at random: what makes the members of a pool differ.

Every member is laid out alone, by its base model, for the attributes it looks at; those it does not see cost nothing.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.draws import entropy_of, stream
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.tree_size import TreeSize
from ensembles.learners.core.tree_view import TreeNode

__all__ = ["FeatureSubset", "MemberView"]


class MemberView(NamedTuple):
    """One member and what it sees: attributes by position, and by their columns in `Table.codes` and `Table.numbers`."""

    members: Any
    schema: Schema
    seen: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]

    def table(self, table: Table) -> Table:
        """Return the examples as the member sees them."""
        if table.schema is self.schema:
            return table
        return Table.unchecked(
            self.schema, table.codes.take(self.codes, axis=1), table.numbers.take(self.numbers, axis=1)
        )


class FeatureSubset(BaseModel):
    """Lays out members of `estimator`, each for ceil(share times attributes) attributes; its members are a list of parts.

    A member's attributes are drawn by (seed, member), so they are the same whatever the number of members.
    """

    key = "feature_subset"

    def __init__(self, estimator: BaseModel, share: float = 0.5, seed: int = 0) -> None:
        self.estimator = estimator
        self.share = share
        self.seed = seed
        self.categorical_features = estimator.categorical_features

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> list[MemberView]:
        n_attributes = len(schema.attributes)
        size = min(int(np.ceil(self.share * n_attributes)), n_attributes)
        parts = []
        for m in range(n_members):
            rng = stream(self.seed, "attribute_subsets", m)
            seen = np.sort(rng.permutation(n_attributes)[:size])
            parts.append(self.init_view(schema, seen, int(rng.integers(2**31)), n_classes, batch=batch))
        return parts

    def init_view(
        self, schema: Schema, seen: npt.NDArray[np.int64], seed: int, n_classes: int, *, batch: bool
    ) -> MemberView:
        """Return one member that has learned nothing and sees these attributes; `seed`: of what it draws, if it does."""
        part = _view_of(schema, seen)
        return part._replace(members=self._model_of(seed).init_members(1, part.schema, n_classes, batch=batch))

    def _model_of(self, seed: int) -> BaseModel:
        """Return the base model with a seed of this member's own, if it draws anything."""
        if not hasattr(self.estimator, "random_state"):
            return self.estimator
        model = copy(self.estimator)  # a clone takes as long as a hundred examples
        given = self.estimator.random_state
        model.random_state = seed if given is None else (seed + entropy_of(given)) % 2**31
        return model

    def extend_schema(
        self, members: list[MemberView], old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
    ) -> list[MemberView]:
        grown = []
        for part in members:
            wider = _view_of(new, part.seen)
            inner = part.members
            if wider.schema != part.schema or n_classes > len(positions):
                inner = self.estimator.extend_schema(inner, part.schema, wider.schema, positions, n_classes)
            grown.append(wider._replace(members=inner))
        return grown

    def ensure_capacity(self, members: list[MemberView], table: Table) -> list[MemberView]:
        """Leave the members as they are: room for values is made by `rows_of`, only for what they learn."""
        return members

    def rows_of(
        self, members: list[MemberView], m: int, table: Table, *, learning: bool, before: Rows | None = None
    ) -> Rows:
        """Return the examples as member m reads them; `learning`: make room for their values.

        `before`: as member m - 1 reads them, to be used again where that is the same.
        """
        seen = members[m].table(table)
        if learning:
            members[m] = members[m]._replace(members=self.estimator.ensure_capacity(members[m].members, seen))
        if before is not None and self.estimator.rows_alike and members[m].schema is members[m - 1].schema:
            return before
        return self.estimator.rows(members[m].members, seen, learning=learning)

    def fit_member(
        self,
        members: list[MemberView],
        m: int,
        rows: Rows,
        labels: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> list[MemberView]:
        """Train member m on rows that are its own, of `rows_of`."""
        members[m] = members[m]._replace(
            members=self.estimator.fit_member(members[m].members, 0, rows, labels, weights)
        )
        return members

    def _rows_to_predict(self, X: Any) -> Rows:
        return self.rows_of(self._members, self._member, self._encoded(X), learning=False)

    def classes_of(self, members: list[MemberView], m: int, rows: Rows, n_classes: int) -> npt.NDArray[np.int64]:
        return self.estimator.classes_of(members[m].members, 0, rows, n_classes)

    def probabilities_of(
        self, members: list[MemberView], m: int, rows: Rows, n_classes: int
    ) -> npt.NDArray[np.float64]:
        return self.estimator.probabilities_of(members[m].members, 0, rows, n_classes)

    def _tree_of(self, members: list[MemberView], m: int, schema: Schema) -> TreeNode | None:
        part = members[m]
        tree = self.estimator._tree_of(part.members, 0, part.schema)
        return None if tree is None else _among_all(tree, part.seen)

    def _lines_of(self, members: list[MemberView], m: int, schema: Schema, classes: list[Any]) -> list[str] | None:
        part = members[m]
        return self.estimator._lines_of(part.members, 0, part.schema, classes)

    def _importances_of(self, members: list[MemberView], m: int, schema: Schema) -> npt.NDArray[np.float64] | None:
        part, shares = members[m], np.zeros(len(schema.attributes))
        of_seen = self.estimator._importances_of(part.members, 0, part.schema)
        if of_seen is None:
            return None
        shares[part.seen] = of_seen
        return shares

    def size_of(self, members: list[MemberView], m: int) -> TreeSize | None:
        return self.estimator.size_of(members[m].members, 0)


def _among_all(tree: TreeNode, seen: npt.NDArray[np.int64]) -> TreeNode:
    """Return a tree of the attributes seen with these named by their positions among all."""
    if not tree.branches:
        return tree
    branches = [(words, _among_all(below, seen)) for words, below in tree.branches]
    return tree._replace(attribute=int(seen[tree.attribute]), branches=branches)


def _view_of(schema: Schema, seen: npt.NDArray[np.int64]) -> MemberView:
    is_seen = np.zeros(len(schema.attributes), dtype=bool)
    is_seen[seen] = True
    return MemberView(
        members=None,
        schema=schema if is_seen.all() else Schema(tuple(schema.attributes[a] for a in seen)),
        seen=seen,
        codes=np.flatnonzero(is_seen[list(schema.nominal)]),
        numbers=np.flatnonzero(is_seen[list(schema.numeric)]),
    )
