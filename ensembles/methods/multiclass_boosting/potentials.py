"""Potentials of boost-by-majority: how likely an example is lost, given its votes so far and the members still to vote.

The members to come are thought to vote for the true class r with probability (1 - gamma) / K + gamma and for each other
class with (1 - gamma) / K. The potential is the chance that in the end some class has as many votes as r, a tie being lost.

`PotentialTable` holds it exactly, for every count of votes that can occur, by the recurrence of the paper. Counts that
differ only in which class has which count share a state, so states are the partitions of t = 0..M votes into at most K
parts, largest first; `after` leads from state to state as votes are cast, so that nothing is searched for. It is small
for few classes (K = 4, M = 100: 215,000 states; K = 5: a million) and beyond reach for many, for which `SampledVotes`
estimates potentials from drawn votes of the members to come, the same for all examples: a learner that predicts stays
as it is, and more votes for r never look worse.

Jung, Goetz & Tewari (2017), section 3.1, equations 2 and 3.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner, kernel, operation

__all__ = [
    "MOST_CELLS",
    "PotentialTable",
    "SampledVotes",
    "VoteState",
    "cast_vote",
    "clear_votes",
    "count_cells",
    "fill_costs",
    "new_vote_state",
    "potential_table",
    "sampled_votes",
]

MOST_CELLS = 6_000_000  #: (state, class) pairs of a table at most: 72 MB


class PotentialTable(NamedTuple):
    """States s, places j in the order of counts, largest first."""

    after: np.ndarray  # (s, j) state after a vote for the class at place j
    losses: np.ndarray  # (s, j) potential if the class at place j is the true one


class SampledVotes(NamedTuple):
    """`counts[m, d]`: votes of the members after m, in draw d: for the true class, then for the others in their order."""

    counts: np.ndarray  # (members, draws, classes)


class VoteState(NamedTuple):
    """The votes cast for one example, and where they stand in a table."""

    votes: np.ndarray  # (classes,)
    place: np.ndarray  # (classes,) of each class when they are ordered by votes
    holder: np.ndarray  # (classes,) class at each place
    state: np.ndarray  # (1,)


def new_vote_state(n_classes: int) -> VoteState:
    """Return room for the votes of one example."""
    return VoteState(*(np.zeros(n, dtype=np.int64) for n in (n_classes, n_classes, n_classes, 1)))


@inner
def clear_votes(vote_state):
    """Begin with an example for which no vote is cast."""
    vote_state.state[0] = 0
    for c in range(vote_state.votes.shape[0]):
        vote_state.votes[c], vote_state.place[c], vote_state.holder[c] = 0, c, c


@operation
def fill_costs(potentials, vote_state, m, costs):
    """Write into costs[r, l] the potential for true class r after member m has voted for l."""


@operation
def cast_vote(potentials, vote_state, label):
    """Count a vote for class `label`."""


@inner
def _first_equal(vote_state, label):
    """Return the first place of a class with as many votes: there a class stands with one vote more."""
    votes, holder = vote_state.votes, vote_state.holder
    j = vote_state.place[label]
    while j > 0 and votes[holder[j - 1]] == votes[label]:
        j -= 1
    return j


@fill_costs.implement(PotentialTable)
def _look_up(potentials, vote_state, m, costs):  # noqa: ARG001
    after, losses, place = potentials.after, potentials.losses, vote_state.place
    state = vote_state.state[0]
    for label in range(place.shape[0]):
        j = _first_equal(vote_state, label)
        s, displaced = after[state, j], vote_state.holder[j]
        for r in range(place.shape[0]):
            at = place[r]
            if r == label:
                at = j
            elif r == displaced:
                at = place[label]
            costs[r, label] = losses[s, at]


@cast_vote.implement(PotentialTable)
def _move_on(potentials, vote_state, label):
    place, holder = vote_state.place, vote_state.holder
    j = _first_equal(vote_state, label)
    vote_state.state[0] = potentials.after[vote_state.state[0], j]
    displaced = holder[j]
    place[displaced], holder[place[label]] = place[label], displaced
    place[label], holder[j] = j, label
    vote_state.votes[label] += 1


@fill_costs.implement(SampledVotes)
def _estimate(potentials, vote_state, m, costs):
    counts, votes = potentials.counts, vote_state.votes
    n_draws, n_classes = counts.shape[1], votes.shape[0]
    for r in range(n_classes):
        for label in range(n_classes):
            costs[r, label] = 0.0
        for d in range(n_draws):
            own, best, j = votes[r] + counts[m, d, 0], -1, 1
            for label in range(n_classes):
                if label != r:
                    best = max(best, votes[label] + counts[m, d, j])
                    j += 1
            costs[r, r] += best > own
            j = 1
            for label in range(n_classes):
                if label != r:
                    costs[r, label] += best >= own or votes[label] + counts[m, d, j] + 1 >= own
                    j += 1
        for label in range(n_classes):
            costs[r, label] /= n_draws


@cast_vote.implement(SampledVotes)
def _count(potentials, vote_state, label):  # noqa: ARG001
    vote_state.votes[label] += 1


def sampled_votes(
    generators: list[np.random.Generator], n_classes: int, gamma: float, n_draws: int
) -> npt.NDArray[np.int32]:
    """Draw the votes of the members after each member, shape (n_members, n_draws, n_classes), by one generator a member."""
    probabilities = np.full(n_classes, (1 - gamma) / n_classes)
    probabilities[0] = 1 - probabilities[1:].sum()
    n_members = len(generators)
    drawn = [
        generator.multinomial(n_members - 1 - m, probabilities, size=n_draws) for m, generator in enumerate(generators)
    ]
    return np.array(drawn, dtype=np.int32)


def count_cells(n_classes: int, n_members: int) -> int:
    """Return how many (state, class) pairs the table of potentials has."""
    ways = [1] + [0] * n_members
    for part in range(1, n_classes + 1):
        for votes in range(part, n_members + 1):
            ways[votes] += ways[votes - part]
    return n_classes * sum(ways)


@lru_cache(maxsize=5)
def potential_table(n_classes: int, n_members: int, gamma: float) -> PotentialTable:
    """Return the exact potentials; they depend on nothing else, so that learners of one process share them."""
    after, first, counts = _states(n_classes, n_members)
    losses = np.empty(counts.shape)
    other = (1 - gamma) / n_classes
    _recur(first, after, counts, other, other + gamma, losses)
    return PotentialTable(after, losses)


@lru_cache(maxsize=2)
def _states(
    n_classes: int, n_members: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int16]]:
    """Return the states after each vote, the first state of each number of votes, and the counts of each state."""
    ways = np.zeros((n_classes + 1, n_members + 1, n_members + 1), dtype=np.int32)
    _count_partitions(ways)
    first = np.concatenate([[0], np.cumsum([ways[n_classes, t, t] for t in range(n_members + 1)])])
    after = np.zeros((first[-1], n_classes), dtype=np.int32)
    counts = np.zeros((first[-1], n_classes), dtype=np.int16)
    _list_states(ways, first, counts, after)
    return after, first, counts


@kernel
def _count_partitions(ways):
    """ways[k, x, t]: partitions of t into at most k parts of at most x each."""
    for k in range(ways.shape[0]):
        for x in range(ways.shape[1]):
            ways[k, x, 0] = 1
            for t in range(1, ways.shape[2]):
                if k > 0 and x > 0:
                    ways[k, x, t] = ways[k, x - 1, t] + (ways[k - 1, x, t - x] if t >= x else 0)


@inner
def _rank(ways, counts, s, votes):
    """Return the number of partitions of `votes` before that of state s, where larger first parts come first."""
    n_classes, rank, most = counts.shape[1], 0, votes
    for j in range(n_classes):
        part = counts[s, j]
        rank += ways[n_classes - j, most, votes] - ways[n_classes - j, part, votes]
        votes -= part
        most = min(part, votes)
    return rank


@kernel
def _list_states(ways, first, counts, after):
    n_members, n_classes = first.shape[0] - 2, counts.shape[1]
    for t in range(n_members + 1):
        for s in range(first[t], first[t + 1]):
            rank, left, most = s - first[t], t, t
            for j in range(n_classes):
                part, k = most, n_classes - j
                while part > 0 and ways[k, most, left] - ways[k, part - 1, left] <= rank:
                    part -= 1
                rank -= ways[k, most, left] - ways[k, part, left]
                counts[s, j] = part
                left -= part
                most = min(part, left)
            if t == n_members:
                continue
            for j in range(n_classes):
                at = j
                while at > 0 and counts[s, at - 1] == counts[s, j]:
                    at -= 1
                counts[s, at] += 1
                after[s, j] = first[t + 1] + _rank(ways, counts, s, t + 1)
                counts[s, at] -= 1


@kernel
def _recur(first, after, counts, other, own, losses):
    """Fill potentials from the last member, after which the votes decide, to the first."""
    last = first.shape[0] - 2
    n_classes = counts.shape[1]
    for s in range(first[last], first[last + 1]):
        for r in range(n_classes):
            alone = r == 0 and (n_classes == 1 or counts[s, 0] > counts[s, 1])
            losses[s, r] = 0.0 if alone else 1.0
    for s in range(first[last] - 1, -1, -1):
        for r in range(n_classes):
            expected = 0.0
            for j in range(n_classes):
                at = j
                while at > 0 and counts[s, at - 1] == counts[s, j]:
                    at -= 1
                to = r
                if r == j:
                    to = at
                elif r == at:
                    to = j
                expected += (own if j == r else other) * losses[after[s, j], to]
            losses[s, r] = expected
