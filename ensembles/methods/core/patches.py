"""Members that each look at a random subspace of their own, and new ones with new subspaces in their places."""

from __future__ import annotations

import math
from itertools import count

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema
from ensembles.draws import stream
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.feature_subset import MemberView
from ensembles.learners.core.subspace_model import SubspaceModel

__all__ = ["Patches", "subspace_size"]

_PURPOSE = "random_patches"


def subspace_size(rule: str, share: float, n_attributes: int) -> int:
    """Return how many of the attributes a member looks at, as in MOA: all, where the rule gives none or too many."""
    if rule == "share":
        size = _rounded(n_attributes * share)
        size += size < 2
    elif rule == "sqrt":
        size = _rounded(math.sqrt(n_attributes)) + 1
    else:
        size = n_attributes - _rounded(math.sqrt(n_attributes) + 1)
    return size if 0 < size < n_attributes else n_attributes


def _rounded(number: float) -> int:
    return math.floor(number + 0.5)


class Patches(SubspaceModel):
    """Lays out members of `estimator`, each for a subspace; `rule` and `share` say how large, as `subspace_size`.

    With the rule "all" members look at everything, with "any" the number of attributes is drawn as well. Subspaces are drawn
    by (seed, member, how many it had before). The first ones differ from those of the members before, as long as there are
    others, unless their sizes are drawn.
    """

    key = "patches"

    def __init__(self, estimator: BaseModel, rule: str, share: float, seed: int = 0) -> None:
        super().__init__(estimator, share, seed)
        self.rule = rule

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> list[MemberView]:  # noqa: ARG002
        n_attributes = len(schema.attributes)
        rounds = 1 if self.rule == "any" else math.comb(n_attributes, self._size(n_attributes))
        taken = set[tuple[int, ...]]()
        parts = []
        for m in range(n_members):
            if m % rounds == 0:
                taken.clear()
            seen = next(
                seen for attempt in count() if tuple(seen := self._drawn(n_attributes, m, 0, attempt)) not in taken
            )
            taken.add(tuple(seen))
            parts.append(self._part(schema, seen, n_classes, m, 0))
        return parts

    def new_member(self, schema: Schema, n_classes: int, m: int, before: int) -> MemberView:
        """Return a member that has learned nothing, with a new subspace, for a place that had so many before."""
        return self._part(schema, self._drawn(len(schema.attributes), m, before, 0), n_classes, m, before)

    def _size(self, n_attributes: int) -> int:
        return n_attributes if self.rule == "all" else subspace_size(self.rule, self.share, n_attributes)

    def _drawn(self, n_attributes: int, m: int, before: int, attempt: int) -> npt.NDArray[np.int64]:
        rng = stream(self.seed, _PURPOSE, m, before, attempt)
        size = 1 + int(rng.integers(n_attributes)) if self.rule == "any" else self._size(n_attributes)
        return np.sort(rng.permutation(n_attributes)[:size])

    def _part(self, schema: Schema, seen: npt.NDArray[np.int64], n_classes: int, m: int, before: int) -> MemberView:
        seed = int(stream(self.seed, _PURPOSE, m, before).integers(2**31))
        return self.init_view(schema, seen, seed, n_classes, batch=False)
