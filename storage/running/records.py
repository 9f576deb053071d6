"""What runners hear, and what is told of them."""

from dataclasses import dataclass
from datetime import datetime

from storage.records import Standing

__all__ = ["Holding", "RunnerRecord"]


@dataclass(frozen=True)
class Holding:
    """What a runner hears of an experiment that it holds."""

    standing: Standing
    priority: int = 0


@dataclass(frozen=True)
class RunnerRecord:
    """A runner that claims experiments.

    Attributes
    ----------
    name : str
        As no other has ever been called.
    host, version : str
        Where it runs, and the version of the program.
    pid : int
        The number of its process there.
    workers, busy : int
        How many trials it can run at a time, and how many it runs.
    experiments : int
        How many experiments it holds.
    started, seen : datetime
        When it began and when it was heard last, in UTC: every second while it runs trials, else twice a minute.
    """

    name: str
    host: str
    version: str
    pid: int
    workers: int
    busy: int
    experiments: int
    started: datetime
    seen: datetime
