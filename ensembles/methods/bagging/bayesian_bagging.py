"""Bayesian bagging: each member learns all examples with weights of Rubin's Bayesian bootstrap.

Lee & Clyde, section 2.2.
"""

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice
from ensembles.draws import exponentials
from ensembles.exact import quantise
from ensembles.methods.bagging.bagging import BatchBagging
from ensembles.methods.core.base import VOTE

__all__ = ["BayesianBaggingClassifier"]


class BayesianBaggingClassifier(BatchBagging):
    """Bayesian bagging.

    Notes
    -----
    No example is ever left out. With `scale="gamma"` and a lossless base model, online Bayesian bagging ends with the very
    same members.

    References
    ----------
    Lee & Clyde (2004), section 2.2; Clyde & Lee (2001).
    """

    key = "bayesian_bagging"
    name = "Bayesian bagging"
    position = 130
    summary = "Bagging with smooth weights: every member learns every example, with a weight of its own."
    source = "Lee & Clyde (2004), section 2.2"
    scale: str = choice(
        default="gamma",
        label="Weights",
        help="As drawn, or scaled to sum to the number of examples.",
        choices=("gamma", "dirichlet_n"),
        labels=("Gamma(1, 1)", "N times Dirichlet"),
    )
    vote: str = VOTE

    def _weigh(self, stream: np.random.Generator, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        drawn = exponentials(stream.random(len(weights)))
        if self._given.scale == "dirichlet_n":
            drawn *= len(drawn) / drawn.sum()
        return quantise(drawn * weights)
