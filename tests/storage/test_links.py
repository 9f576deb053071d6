"""Links: what they open, for how long, and that nothing else can be reached with one."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from threading import get_ident
from typing import Any

import pytest
from sqlalchemy import text

from ensembles.errors import Forbidden, InvalidInput, NotFound
from storage import Storage, open_storage
from storage.database import Database
from storage.location import database_url
from tests.storage.conftest import listening, make_config
from tests.storage.people import sign_in

REFUSED = r"^the link is unknown, expired or revoked$"


def test_a_link_shows_a_view_of_some_experiments_and_nothing_else(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    first, second, other = (mia.create_experiment(make_config(), visibility="private").id for _ in range(3))
    made, token = mia.create_link([second, first, first], "results", "view=Spread&theme=dark")
    assert len(token) >= 32
    opened, actor = storage.open_link(token, signed_in=False)
    assert (opened.page, opened.view, opened.experiments) == ("results", "view=Spread&theme=dark", (first, second))
    assert (opened.id, opened.user_name, made.opened, opened.opened) == (made.id, "Mia", 0, 1)
    shown = storage.acting_as(actor)
    assert shown.get_experiment(first).user_name is None
    assert shown.load_results(second).trials.empty
    with pytest.raises(NotFound):
        shown.load_results(other)
    for refused in (shown.list_experiments, shown.list_datasets, shown.list_words):
        with pytest.raises(Forbidden, match=r"^one must be signed in to look around here, got who has a link$"):
            refused()


def test_a_link_counts_how_often_it_was_opened(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    experiment = mia.create_experiment(make_config()).id
    _, token = mia.create_link([experiment], "results", "")
    for count in (True, True, False):
        storage.open_link(token, signed_in=False, count=count)
    [link] = mia.list_links(experiment)
    assert link.opened == 2
    assert link.last_opened is not None
    assert [one.who for one in storage.list_audit(kind="link")] == [f"link {link.id}", "Mia"]


def test_the_token_of_a_link_is_not_stored(storage: Storage, url: str) -> None:
    _, token = storage.create_link([storage.create_experiment(make_config()).id], "results", "")
    database = Database(database_url(url))
    with database.session() as session:
        rows = session.execute(text("SELECT * FROM share_links")).all()
    database.close()
    assert len(rows) == 1
    assert token not in str(rows)


def test_a_link_that_is_over_is_refused_in_the_same_words(storage: Storage, url: str) -> None:
    mia = sign_in(storage, "Mia")
    experiment = mia.create_experiment(make_config()).id
    expired = mia.create_link([experiment], "results", "", expires=datetime.now(UTC) + timedelta(hours=1))[1]
    storage.open_link(expired, signed_in=True)
    database = Database(database_url(url))
    with database.connection() as connection:
        connection.execute(text("UPDATE share_links SET expires = '2020-01-01 00:00:00' WHERE expires IS NOT NULL"))
    database.close()
    revoked, token = mia.create_link([experiment], "results", "")
    mia.revoke_link(revoked.id)
    emptied = mia.create_link([experiment], "results", "")[1]
    for refused in (expired, token, "", "unknown", "\udfff"):
        with pytest.raises(Forbidden, match=REFUSED):
            storage.open_link(refused, signed_in=True)
    storage.open_link(emptied, signed_in=False)
    mia.delete_experiment(experiment)
    with pytest.raises(Forbidden, match=REFUSED):
        storage.open_link(emptied, signed_in=False)
    mia.restore_experiment(experiment)
    storage.open_link(emptied, signed_in=False)
    storage.set_locked(mia.actor.user_id or 0, True)
    with pytest.raises(Forbidden, match=REFUSED):
        storage.open_link(emptied, signed_in=False)


def test_what_was_deleted_drops_out_of_a_comparison(storage: Storage) -> None:
    first, second = (storage.create_experiment(make_config()).id for _ in range(2))
    _, token = storage.create_link([first, second], "comparison", "")
    _, before = storage.open_link(token, signed_in=False)
    storage.delete_experiment(first)
    with pytest.raises(NotFound):
        storage.acting_as(before).get_experiment(first)
    assert storage.open_link(token, signed_in=False)[0].experiments == (second,)


def test_a_link_may_be_for_people_who_have_signed_in(storage: Storage) -> None:
    _, token = storage.create_link([storage.create_experiment(make_config()).id], "results", "", needs_sign_in=True)
    with pytest.raises(Forbidden, match="the link opens for people who have signed in, got who has not signed in"):
        storage.open_link(token, signed_in=False)
    assert storage.open_link(token, signed_in=True)[0].opened == 1


def test_a_link_to_what_is_of_others_is_theirs_to_make(storage: Storage) -> None:
    mia, bob, ada = sign_in(storage, "Mia"), sign_in(storage, "Bob"), sign_in(storage, "Ada", "admin")
    own, other = bob.create_experiment(make_config()).id, mia.create_experiment(make_config(name="Hers")).id
    with pytest.raises(Forbidden, match="Hers: only its owner and admins may change it; it belongs to Mia"):
        bob.create_link([own, other], "comparison", "")
    link, _ = ada.create_link([other], "results", "")
    with pytest.raises(NotFound, match=f"there is no link {link.id}"):
        bob.revoke_link(link.id)
    mia.revoke_link(link.id)
    assert [one.revoked is None for one in mia.list_links(other)] == [False]


def test_what_is_no_link_is_refused(storage: Storage) -> None:
    experiment = storage.create_experiment(make_config()).id
    past = datetime.now(UTC) - timedelta(seconds=1)
    for said, given in (
        ("link: must show 1 to 50 experiments, got 0", ([], "results", "")),
        ("link: the page must be a word of 1 to 16 small letters, got '../x'", ([experiment], "../x", "")),
        ("link: the view: must have at most 4,000 characters, got 4,001", ([experiment], "results", "x" * 4001)),
        ("link: its end must be later than now", ([experiment], "results", "", past)),
    ):
        with pytest.raises(InvalidInput, match=said):
            storage.create_link(*given)  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        storage.create_link([experiment, "nowhere"], "results", "")
    assert storage.list_links(experiment) == []


def test_a_link_to_several_is_made_while_something_else_is_done_with_them(storage: Storage, url: str) -> None:
    mia = sign_in(storage, "Mia")
    ids = [mia.create_experiment(make_config()).id for _ in range(2)]
    me, marking = get_ident(), list[Future[None]]()

    def mark(*told: Any) -> None:
        if "FROM experiments" in told[2] and get_ident() == me and not marking:
            marking.append(threads.submit(other.mark_experiments, ids, starred=True))
            wait(marking, 1)

    with open_storage(url) as opened, ThreadPoolExecutor(1) as threads:
        other = opened.acting_as(mia.actor)
        with listening(mark, "after_cursor_execute"):
            made, _ = mia.create_link(ids[::-1], "results", "")
        marking[0].result()
    assert made.experiments == tuple(ids)
    assert all(mia.get_experiment(one).starred for one in ids)


def test_who_writes_for_long_keeps_nobody_waiting_who_opens_a_link(storage: Storage, url: str) -> None:
    experiment = storage.create_experiment(make_config())
    _, token = storage.create_link([experiment.id], "results", "")
    writer = Database(database_url(url))
    with ThreadPoolExecutor(1) as thread, writer.session(writes=True) as session:
        session.execute(text("SELECT 1"))
        opening = thread.submit(storage.open_link, token, signed_in=False)
        assert opening.result(20)[0].experiments == (experiment.id,)
    writer.close()
    assert storage.open_link(token, signed_in=False)[0].opened >= 1  # what can be counted is
