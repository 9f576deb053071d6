"""Settings of trees that split once so many examples have come that a test is surely the best: as `hoeffding_tree` has them.

Trees with other defaults declare `dataclasses.replace(DELTA, default=...)`.
"""

from ensembles.declarations import real

__all__ = ["DELTA", "GRACE_PERIOD", "TAU"]

GRACE_PERIOD = real(
    default=200.0,
    label="Grace period",
    help="Weight between two tries of a leaf to split.",
    low=0.0,
    open_low=True,
)
DELTA = real(
    default=1e-7,
    label="Split confidence",
    help="Accepted chance of a wrong test.",
    low=0.0,
    high=1.0,
    open_low=True,
)
TAU = real(
    default=0.05,
    label="Tie threshold",
    help="Below this bound the best test is taken however close the next.",
    low=0.0,
)
