"""Classes that numbers were grouped into: each is called by the cuts below and above it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

__all__ = ["cuts_of", "grouped_classes"]


def grouped_classes(cuts: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the classes between cuts, from low to high; a number at a cut belongs below it."""
    return (f"up to {cuts[0]}", *(f"over {low} to {high}" for low, high in pairwise(cuts)), f"over {cuts[-1]}")


def cuts_of(classes: Collection[str]) -> list[str] | None:
    """Return the cuts between classes that numbers were grouped into, given in any order; None of other classes."""
    try:
        cuts = sorted({name.rsplit(" ", 1)[-1] for name in classes}, key=float)
    except ValueError:
        return None
    return cuts if cuts and {*classes} == {*grouped_classes(cuts)} else None
