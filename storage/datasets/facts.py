"""What the card of a data set says, kept beside it: nobody reads all of a large one to look at its card."""

from storage.people.reach import readable_dataset
from storage.repository import Repository, allowed

__all__ = ["FactsRepository"]

_MOST = 2**20  # characters: of more attributes than that takes, a card is worked out anew


class FactsRepository(Repository):
    """Keep a text beside a data set, and return it; what stands in it, who draws cards knows."""

    @allowed("view")
    def get_facts(self, sha256: str) -> str | None:
        """Return what `keep_facts` was given last for a data set, or None; raise `NotFound`."""
        with self._database.session() as session:
            return readable_dataset(session, self._actor, sha256).row.facts

    @allowed("view")
    def keep_facts(self, sha256: str, facts: str) -> None:
        """Keep what the card of a data set says, unless it is longer than 1 MiB.

        Raises
        ------
        NotFound
            No such data set.
        StorageError
            Somebody else writes to SQLite just now: for what can be worked out again nobody waits.
        """
        with self._database.session(writes=True, lasts=False, waits=False) as session:
            held = readable_dataset(session, self._actor, sha256)
            if len(facts) <= _MOST:
                held.row.facts = facts
