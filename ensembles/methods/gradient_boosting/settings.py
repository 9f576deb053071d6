"""Settings that several libraries of gradient boosting share, by the names they have there."""

from ensembles.declarations import integer, real

__all__ = ["ITERATIONS", "LEARNING_RATE", "MAX_DEPTH", "MAX_LEAVES", "MIN_IN_LEAF", "PENALTY", "SHARE_OF_ATTRIBUTES"]

ITERATIONS = integer(
    default=100,
    label="Members",
    help="How many rounds; in each a tree is added, or of more than two classes one for each.",
    low=1,
    high=10_000,
)
LEARNING_RATE = real(
    default=0.1, label="Learning rate", help="How far each tree goes.", low=0.0, high=1.0, open_low=True
)
MAX_LEAVES = integer(
    default=31, label="Leaves of a tree", help="How many leaves a tree has at most.", low=2, high=10_000
)
MAX_DEPTH = integer(
    default=6, label="Questions on a path", help="How many questions an example is asked at most.", low=1, high=16
)
MIN_IN_LEAF = integer(
    default=20, label="Examples in a leaf", help="How many examples a leaf has at least.", low=1, high=1_000_000
)
PENALTY = real(default=0.0, label="Penalty", help="How much large values in leaves cost (L2).", low=0.0, high=1e6)
SHARE_OF_ATTRIBUTES = real(
    default=1.0, label="Share of attributes", help="Drawn anew for each tree.", low=0.0, high=1.0, open_low=True
)
