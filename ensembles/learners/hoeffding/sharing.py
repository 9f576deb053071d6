"""How threads share Hoeffding trees: each has some of the free tables of the pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ensembles.learners.core.sharing import Bounds, Sharing

if TYPE_CHECKING:
    from ensembles.learners.hoeffding.members import HoeffdingMembers

__all__ = ["SHARING"]


class PoolSharing(Sharing):
    """Deals the free tables out; which tree has which table changes nothing, as long as there are enough for all."""

    trains_apart = False  # all trees take tables out of one pool

    def most_examples(self, members: HoeffdingMembers) -> int:
        """Return for how many examples the tables suffice: one for each tree and example, if not for all nodes of trees."""
        n_members, free = len(members.sizes), int(members.stock[0]) + len(members.spare) - int(members.stock[1])
        return 2**62 if len(members.spare) >= n_members * members.most_nodes else free // n_members

    def parts(self, members: HoeffdingMembers, bounds: Sequence[Bounds], n_examples: int) -> list[HoeffdingMembers]:
        back, ever, n_parts = members.spare[: members.stock[0]], int(members.stock[1]), len(bounds)
        free = np.concatenate([back[::-1], np.arange(ever, len(members.spare))])  # in front what was used before
        needed = np.minimum(members.most_nodes - _held(members), n_examples).reshape(-1, bounds[-1][1])
        each = np.array([needed[:, first:stop].sum() for first, stop in bounds])
        if each.max() <= len(free) // n_parts:
            dealt = [free[p::n_parts] for p in range(n_parts)]  # in turn, so that all that are used lie in front
        else:
            dealt = np.split(free, len(free) * each.cumsum()[:-1] // each.sum())
        parts = []
        for mine in dealt:
            spare = np.empty(len(mine) + ever, dtype=np.int64)  # what it has, and may be given back
            spare[: len(mine)] = mine[::-1]  # the last is taken first
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


def _held(members: HoeffdingMembers) -> npt.NDArray[np.int64]:
    """Return how many tables each tree has."""
    slots = zip(members.nodes[:, :, 2], members.sizes, strict=True)
    return np.array([np.count_nonzero(some[:size] >= 0) for some, size in slots])


SHARING = PoolSharing(
    own="nodes node_statistics weights sizes totals split_parameters", room="work densities"
)  #: of all Hoeffding trees
