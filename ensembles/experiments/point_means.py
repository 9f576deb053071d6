"""Curves whose points are averaged by themselves, over all trials at once: pairs of members, and hard examples.

Of pairs the mean point is what is told. Of hard examples that is the mean weight of each row of the data, over the trials
that list it, unless all weights of a trial are alike: it found none hard.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.experiments.groups import one_number

__all__ = ["HARD_EXAMPLES", "NONE_HARD", "PAIRS", "POINTS", "single_points", "weights_differ"]

PAIRS, HARD_EXAMPLES = "diversity", "hard_examples"

POINTS = (PAIRS, HARD_EXAMPLES)
"""Names of these curves."""

NONE_HARD = -1.0
"""The row of the weights of trials that found no example hard."""

_TRIAL = ("dataset", "learner", "repeat", "fold", "order")
_ALIKE = 1e-9  # weights of 1 come from logarithms


def single_points(points: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the points of curves called `name`, each as a curve of its own of one repeat, as means of curves read them.

    Parameters
    ----------
    points : DataFrame
        Columns `dataset`, `learner`, `repeat`, `fold`, `order`, `x` and `y`, one row a point.
    """
    alone = points.assign(repeat=0, fold=0, order=np.arange(len(points)))
    return alone if name == PAIRS else alone.assign(x=alone["x"].where(weights_differ(points), NONE_HARD))


def weights_differ(points: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Return of each point of hard examples whether not all weights of its trial are those of average examples."""
    trial, found = pd.factorize(one_number([points[name].to_numpy(dtype=np.int64) for name in _TRIAL]))
    differ = np.abs(points["y"].to_numpy(dtype=np.float64) - 1.0) > _ALIKE
    return (np.bincount(trial, differ, len(found)) > 0)[trial]
