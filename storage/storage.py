"""The storage as others see it: one object, opened once for each process."""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from storage.access import Actor
from storage.database import Database
from storage.datasets.facts import FactsRepository
from storage.datasets.files import FileRepository
from storage.experiments.bin import BinRepository
from storage.experiments.experiments import ExperimentRepository
from storage.experiments.presets import PresetRepository
from storage.keeping.cleaning import CleaningRepository
from storage.keeping.health import HealthRepository
from storage.keeping.statistics import StatisticsRepository
from storage.location import database_url
from storage.migrate import upgrade_schema
from storage.people.audit import AuditRepository
from storage.people.comments import CommentRepository
from storage.people.links import LinkRepository
from storage.people.people import PeopleRepository
from storage.people.tokens import TokenRepository
from storage.repository import allowed
from storage.results.leaderboard import LeaderboardRepository
from storage.results.results import ResultsRepository
from storage.results.timings import TimingRepository
from storage.results.trials import TrialRepository
from storage.running.kept_models import KeptModelRepository
from storage.running.leases import LeaseRepository
from storage.running.runners import RunnerRepository
from storage.running.silence import AwakeClock
from storage.running.streams import StreamRepository
from storage.running.turns import TurnRepository

__all__ = ["Storage", "open_storage"]


class Storage(
    FileRepository,
    FactsRepository,
    ExperimentRepository,
    LeaseRepository,
    RunnerRepository,
    TurnRepository,
    StreamRepository,
    KeptModelRepository,
    TrialRepository,
    ResultsRepository,
    LeaderboardRepository,
    TimingRepository,
    HealthRepository,
    PeopleRepository,
    TokenRepository,
    CleaningRepository,
    StatisticsRepository,
    LinkRepository,
    CommentRepository,
    PresetRepository,
    BinRepository,
    AuditRepository,
):
    """Data sets, experiments, trials and results in one database. Safe to share between threads."""

    @property
    @allowed("program")
    def url(self) -> str:
        """Address of the database, with its password: what another process needs to open the same one."""
        return self._database.url.render_as_string(hide_password=False)

    @property
    @allowed("everybody")
    def actor(self) -> Actor:
        """Who asks."""
        return self._actor

    @allowed("everybody")
    def acting_as(self, actor: Actor) -> "Storage":
        """Return the same storage as somebody sees it; closing either closes both."""
        return Storage(self._database, self._clock, actor, self._watch)

    @allowed("everybody")
    def close(self) -> None:
        """Give back every connection."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_LONGEST_STEP = 2.0  # who comes back with the database has some seconds to be heard before its experiments are taken


def open_storage(url: str | None = None, *, clock: Callable[[], float] | None = None, makes: bool = True) -> Storage:
    """Open a database, made or upgraded to the present schema when needed.

    Parameters
    ----------
    url : str, optional
        `sqlite:////folder/file.sqlite` or `postgresql://user:password@host/name`; else `DATABASE_URL`, else an SQLite
        file in the user's data folder (`ENSEMBLE_LAB_HOME` moves it).
    clock : callable, optional
        Seconds that only go forward; the silence of runners is measured by it. By default time that passes while nobody
        could look, as the database was away or this process stood still, hardly counts.
    makes : bool
        Whether an SQLite file that is not there is made; else it must be there.

    Raises
    ------
    StorageError
        No such address, the database cannot be reached, or a newer version wrote it.
    """
    database = Database(database_url(url, makes=makes))
    try:
        upgrade_schema(database)
    except BaseException:  # pages try again at every click
        database.close()
        raise
    return Storage(database, clock or AwakeClock(longest_step=_LONGEST_STEP).look)
