"""The arrays of members that ask one question."""

from typing import NamedTuple

import numpy as np

from ensembles.learners.core.sharing import Sharing

__all__ = ["IncrementalMembers", "Members", "OneLevelMembers"]


class OneLevelMembers(NamedTuple):
    """Members m, attributes a, classes c; tables t as in `value_tables`."""

    cells: np.ndarray
    slots: np.ndarray
    absent: np.ndarray
    totals: np.ndarray  # (m, c)
    numeric: np.ndarray
    place: np.ndarray
    first: np.ndarray
    order: np.ndarray
    counts: np.ndarray
    values: np.ndarray
    chosen: np.ndarray  # (m,) attribute asked for, LEAF or NOT_CHOSEN
    edges: np.ndarray  # (m, e) of the intervals, ascending; or, in place 0, the nominal value that is asked for
    n_edges: np.ndarray  # (m,)
    branches: np.ndarray  # (m, b, c) class weights; branch 0 is for missing values
    stale: np.ndarray  # (m,) 1 if the question may no longer be the best
    rules: np.ndarray  # (N_RULES,) how to choose
    sides: np.ndarray  # (N_SIDES, c) room for two sides and more
    tests: np.ndarray  # (a, N_TEST_FIELDS) room to compare attributes
    below: np.ndarray  # room to cut attributes: `discretise.allocate_cuts`
    ascending: np.ndarray
    is_cut: np.ndarray
    stack: np.ndarray

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return Sharing(
            own="totals chosen edges n_edges branches stale",
            tables="cells slots absent",
            room="sides tests below ascending is_cut stack",
        )


class IncrementalMembers(NamedTuple):
    """As `OneLevelMembers`, for the test of greatest information gain or least Gini index."""

    cells: np.ndarray
    slots: np.ndarray
    absent: np.ndarray
    totals: np.ndarray  # (m, c)
    numeric: np.ndarray
    place: np.ndarray
    first: np.ndarray
    order: np.ndarray
    counts: np.ndarray
    values: np.ndarray
    chosen: np.ndarray  # (m,) attribute asked for, LEAF or NOT_CHOSEN
    edges: np.ndarray  # (m, e) of the intervals, ascending; or, in place 0, the nominal value that is asked for
    n_edges: np.ndarray  # (m,)
    branches: np.ndarray  # (m, b, c) class weights; branch 0 is for missing values
    stale: np.ndarray  # (m,) 1 if the question may no longer be the best
    rules: np.ndarray  # (N_RULES,) how to choose
    sides: np.ndarray  # (N_SIDES, c) room for two sides and more
    bound: np.ndarray  # (t, a) impurity that the attribute's best test left when last looked at
    rival: np.ndarray  # (m,) impurity that the second best test on the chosen attribute left, when last looked at

    @property
    def long_steps(self) -> bool:
        """What an operation does for one example is long beside a call, see `bound`."""
        return True

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return Sharing(
            own="totals chosen edges n_edges branches stale rival", tables="cells slots absent bound", room="sides"
        )


Members = OneLevelMembers | IncrementalMembers
