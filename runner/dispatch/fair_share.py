"""Whose turn it is: between users first, then between the experiments of one user; a turn is worker time spent."""

import math
from collections.abc import Collection, Hashable, Mapping, Set
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["FairShare", "weight_of"]

_Key = TypeVar("_Key", bound=Hashable)


def weight_of(priority: int) -> float:
    """Return how much an experiment counts beside those of priority 0, which count 1."""
    return float(2.0**priority)


class FairShare:
    """Start-time fair queueing in two levels, over experiments that share workers.

    Who has spent least for its weight is next. Who comes, or had nothing to send for a while, starts where those are whose
    turn it is: the past is neither made up for nor held against anybody. A user counts as much as the most important of
    their experiments that is here, so that somebody with ten of them gets no more than somebody with one.
    """

    def __init__(self) -> None:
        self._members: dict[str, _Member] = {}
        self._users: _Level[int | None] = _Level()
        self._own: dict[int | None, _Level[str]] = {}
        self._joined = 0

    def join(self, key: str, user: int | None = None, weight: float = 1.0) -> None:
        """Let an experiment take part; of those that are even the latest is first."""
        self._joined += 1
        self._members[key] = _Member(user, weight, -self._joined)
        self._users.spent.setdefault(user, 0.0)
        self._own.setdefault(user, _Level()).spent[key] = 0.0

    def leave(self, key: str) -> None:
        """Let an experiment go; what its user has spent is remembered while others are here."""
        del self._own[self._members.pop(key).user].spent[key]
        if not self._members:
            self._users, self._own = _Level(), {}

    def set_weight(self, key: str, weight: float) -> None:
        """Let an experiment count more or less from now on."""
        self._members[key].weight = weight

    def charge(self, key: str, seconds: float) -> None:
        """Note worker time that an experiment spends; less than nothing where too much was charged before."""
        member = self._members[key]
        self._own[member.user].spent[key] += seconds / member.weight
        self._users.spent[member.user] += seconds / self._weight(member.user, self._members)

    def note_waiting(self, keys: Set[str]) -> None:
        """Note which experiments have something to send now."""
        self._users.note_waiting({self._members[key].user for key in keys})
        for user, level in self._own.items():
            level.note_waiting({key for key in keys if self._members[key].user == user})

    def in_turn(self, keys: Collection[str]) -> list[str]:
        """Return experiments in the order in which they may take a worker."""
        return sorted(keys, key=self._rank)

    def times_left(self, work: Mapping[str, float | None], n_threads: int) -> dict[str, float | None]:
        """Return in how many seconds each experiment will have ended, as they share the threads.

        Parameters
        ----------
        work : mapping of str to float or None
            Worker-seconds that are left of each experiment; None for one of which nobody knows.
        """
        left = {key: math.inf if seconds is None else seconds for key, seconds in work.items()}
        ends: dict[str, float | None] = dict.fromkeys(work)
        now = 0.0
        while left:
            rates = {key: max(n_threads, 1) * share for key, share in self._shares(left).items()}
            pause, first = min((left[key] / rates[key], key) for key in left)
            if math.isinf(pause):
                break
            now += pause
            left = {key: max(left[key] - pause * rates[key], 0.0) for key in left if key != first}
            ends[first] = now
        return ends

    def _rank(self, key: str) -> tuple[float, float, int]:
        member = self._members[key]
        return self._users.spent[member.user], self._own[member.user].spent[key], member.place

    def _shares(self, keys: Collection[str]) -> dict[str, float]:
        """Return the share of each of these experiments, if there were no others."""
        here = {key: self._members[key] for key in keys}
        users = {member.user: self._weight(member.user, here) for member in here.values()}
        own = {user: sum(one.weight for one in here.values() if one.user == user) for user in users}
        whole = sum(users.values())
        return {key: users[one.user] / whole * one.weight / own[one.user] for key, one in here.items()}

    def _weight(self, user: int | None, members: "Mapping[str, _Member]") -> float:
        return max(member.weight for member in members.values() if member.user == user)


@dataclass
class _Member:
    user: int | None
    weight: float
    place: int


class _Level(Generic[_Key]):
    """What each of several has spent for its weight, and where those stand who are being served."""

    def __init__(self) -> None:
        self.spent: dict[_Key, float] = {}
        self._waiting: Set[_Key] = set()
        self._now = 0.0

    def note_waiting(self, waiting: Set[_Key]) -> None:
        """Note who has something to send; who had nothing before does not get what it did not use."""
        if still := self._waiting & waiting & self.spent.keys():
            self._now = min(self.spent[key] for key in still)
        for key in waiting - self._waiting:
            self.spent[key] = max(self.spent[key], self._now)
        self._waiting = set(waiting)
