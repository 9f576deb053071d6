"""Random output codes: each member tells one half of the classes from the other.

Bifet, Holmes & Pfahringer (2010), section 3.2; Dietterich & Bakiri (1995).
"""

import numpy as np
import numpy.typing as npt

from ensembles.draws import stream

__all__ = ["NO_CODES", "drawn_codes", "widened_codes"]

NO_CODES = np.empty((0, 0), dtype=np.int64)  #: where members tell the classes themselves
_PURPOSE = "output_codes"


def drawn_codes(seed: int, n_members: int, n_classes: int) -> npt.NDArray[np.int64]:
    """Return the side, 0 or 1, of each class for each member, shape (members, classes): as many of one side as of the other.

    With an odd number of classes one side, drawn as well, has one more.
    """
    codes = np.empty((n_members, n_classes), dtype=np.int64)
    for m in range(n_members):
        rng = stream(seed, _PURPOSE, m)
        ones = (n_classes + rng.integers(2)) // 2
        codes[m] = rng.permutation(n_classes) < ones
    return codes


def widened_codes(
    codes: npt.NDArray[np.int64], seed: int, positions: npt.NDArray[np.int64], n_classes: int
) -> npt.NDArray[np.int64]:
    """Return the codes with sides for new classes, of two the smaller or else a drawn one; class c moves to positions[c]."""
    wider = np.full((len(codes), n_classes), -1, dtype=np.int64)
    wider[:, positions] = codes
    for m, row in enumerate(wider):
        for c in np.flatnonzero(row < 0).tolist():
            zeros, ones = int((row == 0).sum()), int((row == 1).sum())
            row[c] = int(zeros > ones) if zeros != ones else stream(seed, _PURPOSE, m, zeros + ones).integers(2)
    return wider
