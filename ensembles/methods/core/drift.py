"""What detectors of change do, whichever they are: they watch members' mistakes, and say when these become more or fewer.

The detectors of an ensemble live together in one NamedTuple of arrays, as its members do; its type decides which runs.
`rates()` of that tuple are the error rates of all members. A detector that has told a change begins anew with the next
outcome, but for ADWIN, which keeps what came after the change.
"""

from ensembles.jit import operation

__all__ = ["FALLEN", "RISEN", "STEADY", "forget_outcomes", "watch", "watched_rate"]

STEADY, FALLEN, RISEN = 0, 1, 2


@operation
def watch(detectors, m, mistake, uniform):
    """Take in an outcome of member m, 1 a mistake and 0 none; return whether its mistakes are `RISEN`, `FALLEN` or `STEADY`.

    `uniform`: a number of [0, 1) drawn for this outcome, which detectors that sample need.
    """


@operation
def watched_rate(detectors, m):
    """Return the share of mistakes of member m as its detector knows it, 0 if there was no outcome."""


@operation
def forget_outcomes(detectors, m):
    """Forget all outcomes of member m."""
