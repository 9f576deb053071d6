"""What who looks at a page may do with what stands on it; what they may not do is not shown, and refused by the storage."""

from collections.abc import Iterable
from typing import NamedTuple

from pages.parts.store import store
from storage import Actor, DatasetRecord, ExperimentRecord
from storage.access import may_change

__all__ = ["Rights", "rights_to", "rights_to_all", "rights_to_dataset"]


class Rights(NamedTuple):
    """What somebody may do with an experiment or a data set.

    Attributes
    ----------
    may_change : bool
        Whether they may rename, mark, cancel, show to others and delete it.
    may_share : bool
        Whether they may make links to it for people outside: where people sign in.
    may_launch : bool
        Whether they may launch another one like it.
    """

    may_change: bool
    may_share: bool
    may_launch: bool


def rights_to(record: ExperimentRecord) -> Rights:
    """Return what may be done with an experiment."""
    return _rights(store().actor, record)


def rights_to_all(records: Iterable[ExperimentRecord]) -> Rights:
    """Return what may be done with each of several experiments."""
    actor = store().actor
    each = [_rights(actor, record) for record in records]
    return Rights(*(all(values) for values in zip(*each, strict=True)))


def rights_to_dataset(record: DatasetRecord) -> Rights:
    """Return what may be done with a stored data set; it is never shared by itself."""
    actor = store().actor
    return Rights(may_change(actor, record.user_id, "upload"), False, actor.may("launch"))


def _rights(actor: Actor, record: ExperimentRecord) -> Rights:
    return Rights(
        may_change(actor, record.user_id),
        actor.kind == "user" and may_change(actor, record.user_id, "share"),
        actor.may("launch"),
    )
