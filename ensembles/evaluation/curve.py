"""What is drawn against examples or members."""

from dataclasses import dataclass

__all__ = ["Curve"]


@dataclass(frozen=True)
class Curve:
    """A series of numbers: `x` is ascending (training examples, or members), `y` as long as `x`; NaN where unknown."""

    x: tuple[float, ...]
    y: tuple[float, ...]
