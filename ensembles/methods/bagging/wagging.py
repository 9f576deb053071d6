"""Wagging: each member learns all examples, their weights disturbed by normal noise.

Bauer & Kohavi, section 6.
"""

import numpy as np
import numpy.typing as npt

from ensembles.declarations import flag, real
from ensembles.exact import quantise
from ensembles.methods.bagging.bagging import BatchBagging
from ensembles.methods.core.base import VOTE

__all__ = ["WaggingClassifier"]


class WaggingClassifier(BatchBagging):
    """Wagging (weight aggregation).

    References
    ----------
    Bauer & Kohavi (1999), section 6.
    """

    key = "wagging"
    name = "Wagging"
    position = 150
    summary = "Trains every member on all examples, their weights disturbed at random."
    source = "Bauer & Kohavi (1999), section 6"
    sigma: float = real(
        default=2.0,
        label="Noise",
        help="Standard deviation of the noise added to every weight.",
        details=(
            "Standard deviation of the noise that is added to weight 1, in [0, 100]; what falls below 0 becomes "
            "0: 31% of the weights at 2, 37% at 3."
        ),
        low=0.0,
        high=100.0,
    )
    rescale: bool = flag(
        default=True,
        label="Keep the sum",
        help="Scale a member's weights to the sum they had; noise makes it larger, since weights stop at 0.",
        details=(
            "Make the disturbed weights sum to what the weights sum to; else they sum to more, 1.4 times at sigma 2."
        ),
    )
    vote: str = VOTE

    def _weigh(self, stream: np.random.Generator, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        factors = np.zeros(len(weights))
        while not factors.any():
            factors = np.maximum(0.0, 1.0 + self._given.sigma * stream.standard_normal(len(weights)))
        drawn = factors * weights
        return quantise(drawn * (weights.sum() / drawn.sum()) if self._given.rescale else drawn)
