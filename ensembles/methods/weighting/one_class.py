"""Members that are trained on the first examples and then stay as they are predict no class that these did not show."""

import warnings

import numpy as np
import numpy.typing as npt

from ensembles.errors import OneClass
from ensembles.wording import written

__all__ = ["warn_of_one_class"]


def warn_of_one_class(key: str, labels: npt.NDArray[np.int64], classes: npt.NDArray[np.object_], n: int) -> None:
    """Warn if all labels of the first of n examples are the same, and there are more classes."""
    if len(classes) > 1 and (labels == labels[0]).all():
        warnings.warn(
            f"{key}: members are trained on the first {len(labels)} of {n} examples, all of the class "
            f"{written(classes[labels[0]])}, and predict no other; shuffle the examples, or raise pretrain_fraction",
            OneClass,
            stacklevel=5,
        )
