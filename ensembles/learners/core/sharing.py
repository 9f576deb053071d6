"""How threads share the members of an ensemble: each works on some of them, or asks them, with room of its own.

The arrays of members are of three kinds: *own* have a row for each member, *room* is scratch that kernels write to on their
way, and the others are only read while members learn, or have places that belong to one member each. Members of a kind say
so by the property `sharing` of their NamedTuple; those that have none are for one thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ALONE", "Bounds", "Sharing", "asked_apart", "sharing_of"]

#: The number of the first of some members, and of the one after the last.
Bounds = tuple[int, int]


class Sharing:
    """Says which arrays of a kind of members are what; names in one text, with spaces between.

    `tables`: own, or one for all members that learn one after another, which then is room.
    """

    trains_apart = (
        True  # whether a thread may train one of the members anew, beside others: with `apart` and `take_over`
    )

    def __init__(self, *, own: str, room: str = "", tables: str = "") -> None:
        self.own, self.room, self.tables = own.split(), room.split(), tables.split()

    def most_examples(self, members: Any) -> int:
        """Return how many examples parts may learn before they are put together: any number, unless overruled."""
        return 2**62

    def apart(self, members: Any) -> Any:
        """Return the same members, of which one is to be trained anew, with room of their own."""
        return self.room_apart(members)

    def room_apart(self, members: Any) -> Any:
        """Return the same members, with room of their own."""
        room = [*self.room, *(name for name in self.tables if self._is_room(members, name))]
        return members._replace(**{name: _copied(getattr(members, name)) for name in room})

    def take_over(self, members: Any, m: int, trained: Any) -> Any:
        """Return the members with what member m of `trained`, members that were set apart, has learned."""
        return members

    def parts(self, members: Any, bounds: Sequence[Bounds], n_examples: int) -> list[Any]:
        """Return the same members several times, for threads that each show some so many examples; then `put_together`."""
        return [self.room_apart(members) for _ in bounds]

    def put_together(self, members: Any, parts: Sequence[Any]) -> None:
        """Let the members know what happened to their parts beside their own arrays."""

    def some(self, part: Any, first: int, stop: int) -> Any:
        """Return the members from `first` to before `stop` of a part."""
        names = [*self.own, *(name for name in self.tables if not self._is_room(part, name))]
        return part._replace(**{name: _rows(getattr(part, name), first, stop) for name in names})

    def keep(self, members: Any, some: Any, first: int, stop: int) -> None:
        """Write back what `some` had to copy."""
        for name in [*self.own, *self.tables]:
            whole, rows = getattr(members, name), getattr(some, name)
            if not self._is_room(members, name) and not np.shares_memory(whole, rows):
                whole[first:stop] = rows

    def _is_room(self, members: Any, name: str) -> bool:
        return name in self.tables and len(getattr(members, name)) < len(getattr(members, self.own[0]))


class _Alone(Sharing):
    """Members that one thread has for itself."""

    trains_apart = False

    def most_examples(self, members: Any) -> int:
        return 0

    def apart(self, members: Any) -> Any:
        return members

    def take_over(self, members: Any, m: int, trained: Any) -> Any:
        return trained


ALONE = _Alone(own="")  #: of members that one thread has for itself


def sharing_of(members: Any) -> Sharing:
    """Return how threads share members of this kind: `ALONE` if they do not."""
    sharing: Sharing | None = getattr(members, "sharing", None)
    return ALONE if sharing is None else sharing


def asked_apart(members: Any) -> Any:
    """Return the same members, to be asked in this thread while others may ask them too."""
    sharing = sharing_of(members)
    return sharing.room_apart(members) if sharing.room else members


def _copied(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.copy(order="K")


def _rows(array: npt.NDArray[Any], first: int, stop: int) -> npt.NDArray[Any]:
    """Return some rows as kernels are compiled for them: where rows lie across each other, a copy."""
    rows = array[first:stop]
    return rows if array.flags.c_contiguous else np.asfortranarray(rows)
