"""How threads share Hoeffding trees: each has some of the free tables of the pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ensembles.learners.core.sharing import Sharing

if TYPE_CHECKING:
    from ensembles.learners.hoeffding.members import HoeffdingMembers

__all__ = ["SHARING"]


class PoolSharing(Sharing):
    """Deals the free tables out; which tree has which table changes nothing, as long as there are enough for all."""

    trains_apart = False  # all trees take tables out of one pool

    def most_examples(self, members: HoeffdingMembers, n_parts: int) -> int:
        """Return for how many examples the tables of each part suffice: one for each of its trees and an example."""
        free = int(members.stock[0]) + len(members.spare) - int(members.stock[1])
        return max(0, free // n_parts - 2) // -(-len(members.totals) // n_parts)

    def parts(self, members: HoeffdingMembers, n_parts: int) -> list[HoeffdingMembers]:
        back, ever, parts = members.spare[: members.stock[0]], int(members.stock[1]), []
        for p in range(n_parts):
            fresh = np.arange(ever + p, len(members.spare), n_parts)  # in turn, so that all that are used lie in front
            mine = np.concatenate([fresh[::-1], back[p::n_parts]])  # the last is taken first
            spare = np.empty(len(mine) + ever, dtype=np.int64)  # what it has, and may be given back
            spare[: len(mine)] = mine
            parts.append(self.room_apart(members)._replace(spare=spare, stock=np.array([len(mine), len(spare)])))
        return parts

    def put_together(self, members: HoeffdingMembers, parts: Sequence[HoeffdingMembers]) -> None:
        free = np.concatenate([part.spare[: part.stock[0]] for part in parts])
        in_use = np.ones(len(members.spare), dtype=np.bool_)
        in_use[free] = False
        ever = int(np.flatnonzero(in_use)[-1]) + 1 if in_use.any() else 0
        back = free[free < ever]
        members.spare[: len(back)] = back
        members.stock[:] = len(back), ever

    def some(self, part: HoeffdingMembers, first: int, stop: int) -> HoeffdingMembers:
        def fewer(kind: Any) -> Any:
            own = [name for name in ("draws", "used", "marks") if name in kind._fields]
            return kind._replace(**{name: getattr(kind, name)[first:stop] for name in own})

        some: HoeffdingMembers = super().some(part, first, stop)
        return some._replace(subspaces=fewer(part.subspaces), revisits=fewer(part.revisits))


SHARING = PoolSharing(
    own="nodes node_statistics weights sizes totals split_parameters", room="work densities"
)  #: of all Hoeffding trees
