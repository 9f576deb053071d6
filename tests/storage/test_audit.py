"""Who did what: all of it, in the transaction of the deed."""

from datetime import UTC, datetime, timedelta

import pytest

from ensembles.errors import StorageError
from storage import Storage
from tests.storage.conftest import make_config, make_dataset
from tests.storage.people import sign_in


def test_what_people_do_is_written_down(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    experiment, sha256 = mia.create_experiment(make_config(name="First")).id, mia.save_dataset(make_dataset()).sha256
    mia.rename_experiment(experiment, "Second")
    mia.set_experiment_visibility(experiment, "private")
    mia.request_cancel(experiment)
    mia.reopen_experiment(experiment)
    mia.delete_experiment(experiment)
    mia.restore_experiment(experiment)
    mia.rename_dataset(sha256, "Harvest")
    mia.delete_dataset(sha256)
    mia.purge_dataset(sha256)
    link = mia.create_link([experiment], "results", "")[0]
    mia.revoke_link(link.id)
    token = mia.create_token("CI", ["read"])[0]
    mia.revoke_token(token.id)
    told = [(one.kind, one.action) for one in reversed(storage.list_audit(user_id=mia.actor.user_id))]
    assert told == [
        ("user", "signed in"),
        ("experiment", "launched"),
        ("dataset", "stored"),
        *(("experiment", action) for action in ("renamed", "shown to private", "cancelled", "reopened")),
        *(("experiment", action) for action in ("deleted", "restored")),
        *(("dataset", action) for action in ("renamed", "deleted", "deleted for good")),
        *((kind, action) for kind in ("link", "token") for action in ("made", "revoked")),
    ]


def test_what_admins_say_of_people_is_written_down(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    ada = sign_in(storage, "Ada", "admin")
    number = mia.actor.user_id or 0
    ada.set_role(number, "reader")
    ada.set_locked(number, True)
    ada.set_locked(number, False)
    ada.set_limits(number, {"trials": 5})
    found = [(one.action, one.detail) for one in reversed(ada.list_audit(user_id=ada.actor.user_id))][1:]
    assert found == [("made reader", "Mia"), ("locked", "Mia"), ("unlocked", "Mia"), ("limited", '{"trials": 5}')]
    assert {one.subject for one in ada.list_audit(kind="user", user_id=ada.actor.user_id)} == {
        str(number),
        str(ada.actor.user_id),
    }


def test_what_was_not_done_is_not_written_down(storage: Storage) -> None:
    sha256 = storage.save_dataset(make_dataset()).sha256
    storage.create_experiment(make_config({"sha256": sha256}))
    with pytest.raises(StorageError):
        storage.delete_dataset(sha256)
    assert [one.action for one in storage.list_audit(kind="dataset")] == ["stored"]


def test_the_log_is_searched_by_time_and_subject(storage: Storage) -> None:
    ids = [storage.create_experiment(make_config()).id for _ in range(3)]
    now = datetime.now(UTC)
    assert [one.subject for one in storage.list_audit(2, 1)] == [ids[1], ids[0]]
    assert [one.subject for one in storage.list_audit(subject=ids[1])] == [ids[1]]
    assert len(storage.list_audit(since=now - timedelta(hours=1), until=now + timedelta(hours=1))) == 3
    assert (
        storage.list_audit(since=now + timedelta(hours=1)) == storage.list_audit(until=now - timedelta(hours=1)) == []
    )


def test_signing_in_is_written_down_once_a_day(storage: Storage) -> None:
    for name in ("Ann", "Ann", "Anna", "Ann"):
        storage.sign_in("a", name)
    assert [one.action for one in storage.list_audit(kind="user")] == ["signed in"]
