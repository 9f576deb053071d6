"""Who may what: every public method of the storage, for everybody who may ask, for what is seen by one, by the team, by all.

Eight letters a row, for nobody, a link, a reader, a member, the owner, another member who holds the same data, an admin and
the program: `+` does it, or sees it in a list; `?` does not find it, or does not see it there; `-` is forbidden.
"""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from ensembles.errors import NotFound
from ensembles.experiments.records import TrialPlan
from storage import NOBODY, PROGRAM, ModelTask, Storage, Wanted, open_storage
from storage.repository import RULES
from tests.fresh import write_empty_tables
from tests.storage.conftest import make_config, make_dataset, make_file
from tests.storage.people import sign_in
from tests.storage.postgresql import empty
from tests.storage.targets import ACTORS, VISIBILITIES, Call, Desk, Make, Row, Target

IRIS = make_config().datasets[0].content
PLAN = TrialPlan("a" * 32, 0, 0, 0, 0, 0)

EVERYBODY = Row("++++++++")
PROGRAM_ONLY = Row("-------+")
ADMINS = Row("------++")
SIGNED_IN = Row("--++++++")
MEMBERS = Row("---+++++")
VIEW = Row("?+??+?++", "?+++++++", "++++++++")
READ = Row("--??+?++", "--++++++")
CHANGE = Row("---?+?++", "----+-++")
OWN = Row("---?+?++")
LISTED = READ
OWN_LISTED = Row("--??+?++")
MARKED = Row("---+++++", "----+-++")  # of several, those that are not there are left out
DATA = Row("????++++", "??++++++", "+?++++++")
CHANGE_DATA = Row("---?++++", "----++++")

CASES: dict[str, list[tuple[Row, Make, Call]]] = {}


def case(row: Row, method: str, make: Make, call: Call) -> None:
    CASES.setdefault(method, []).append((row, make, call))


def of_experiment(row: Row, **calls: Call) -> None:
    for method, call in calls.items():
        case(row, method, Target.experiment, call)


def plain(row: Row, **calls: Call) -> None:
    for method, call in calls.items():
        case(row, method, _nothing, call)


def grows(make: Make, row: Row | None = None, **counts: Callable[[Storage], int]) -> None:
    """Say of methods that count or list whether they tell of one more thing when one was made."""
    for method, counted in counts.items():

        def call(storage: Storage, target: Target, counted: Callable[[Storage], int] = counted) -> None:
            before = counted(storage)
            make(target)
            seen(counted(storage) > before)

        case(row or LISTED, method, _itself, call)


def _itself(target: Target) -> Target:
    return target


def _nothing(_target: Target) -> None:
    return None


def _reader(target: Target) -> int | None:
    return target.people["reader"].actor.user_id


def seen(found: Any) -> None:
    """Raise `NotFound` for an answer without what was asked for."""
    if not found:
        raise NotFound


def task(experiment_id: str) -> Any:
    return ModelTask(SimpleNamespace(id=experiment_id), 0, 0)  # type: ignore[arg-type]


def no_wait() -> Event:
    event = Event()
    event.set()
    return event


plain(
    EVERYBODY,
    actor=lambda s, _: s.actor,
    has_runners=lambda s, _: s.has_runners(),
    acting_as=lambda s, _: s.acting_as(NOBODY),
    close=lambda s, _: s.close,  # called, it would close it for those who come after
)
plain(
    PROGRAM_ONLY,
    url=lambda s, _: s.url,
    check_health=lambda s, _: s.check_health(),
    check_schema=lambda s, _: s.check_schema(),
    sign_in=lambda s, _: s.sign_in("new", "New"),
    delete_old_curves=lambda s, _: s.delete_old_curves(timedelta(days=1)),
    delete_idle_datasets=lambda s, _: s.delete_idle_datasets(timedelta(days=1)),
    heartbeats=lambda s, _: s.heartbeats("me", {}),
    remove_runner=lambda s, _: s.remove_runner("me"),
    give_back_room=lambda s, _: s.give_back_room(),
    claim_experiment=lambda s, _: s.claim_experiment("me", 60.0),
    is_work_waiting=lambda s, _: s.is_work_waiting(60.0),
    wait_for_work=lambda s, _: s.wait_for_work(no_wait(), 0.0),
    claim_model=lambda s, _: s.claim_model("me", 60.0),
    drop_old_models=lambda s, _: s.drop_old_models(),
    take_over_presets=lambda s, _: s.take_over_presets(Path("nowhere")),
)
of_experiment(
    PROGRAM_ONLY,
    take_experiment=lambda s, e: s.take_experiment(e, "me", 60.0),
    heartbeat=lambda s, e: s.heartbeat(e, "me"),
    get_holdings=lambda s, e: s.get_holdings("me", [e]),
    get_standing=lambda s, e: s.get_standing(e, "me"),
    finish=lambda s, e: s.finish(e, "finished", runner="me"),
    release=lambda s, e: s.release(e, "me"),
    save_trials=lambda s, e: s.save_trials(e, []),
    adopt_trials=lambda s, e: s.adopt_trials(e, e, []),
    save_streams=lambda s, e: s.save_streams(e, []),
    save_snapshot=lambda s, e: s.save_snapshot(e, PLAN, b"", 1),
    load_snapshot=lambda s, e: s.load_snapshot(e, PLAN.key),
    set_message=lambda s, e: s.set_message(e, "why", runner="me"),
    renew_model=lambda s, e: s.renew_model(task(e), "me", 60.0),
    release_model=lambda s, e: s.release_model(task(e), "me"),
    save_model=lambda s, e: s.save_model(task(e), "me", b"", {}),
    fail_model=lambda s, e: s.fail_model(task(e), "me", "why"),
)
of_experiment(
    VIEW,
    get_experiment=lambda s, e: s.get_experiment(e),
    load_results=lambda s, e: s.load_results(e),
    list_streams=lambda s, e: s.list_streams(e),
)
of_experiment(
    READ,
    finished_keys=lambda s, e: s.finished_keys(e),
    list_trials=lambda s, e: s.list_trials(e),
    each_trial=lambda s, e: [*s.each_trial(e)],
    list_comments=lambda s, e: s.list_comments(e),
    request_model=lambda s, e: s.request_model(e, 0, 0),
    list_models=lambda s, e: s.list_models(e),
)
case(READ, "load_model", Target.with_model, lambda s, e: s.load_model(e, 0, 0))
of_experiment(
    CHANGE,
    rename_experiment=lambda s, e: s.rename_experiment(e, "Another name"),
    set_experiment_visibility=lambda s, e: s.set_experiment_visibility(e, "team"),
    delete_experiment=lambda s, e: s.delete_experiment(e),
    request_cancel=lambda s, e: s.request_cancel(e),
    reopen_experiment=lambda s, e: s.request_cancel(e) and s.reopen_experiment(e),  # one that is over
    set_priority=lambda s, e: s.set_priority(e, -1),
    pause_experiment=lambda s, e: s.pause_experiment(e),
    resume_experiment=lambda s, e: s.resume_experiment(e),
    request_snapshots=lambda s, e: s.request_snapshots(e),
    withdraw_model=lambda s, e: s.withdraw_model(e, 0, 0),
    write_notes=lambda s, e: s.write_notes(e, "Noted"),
    create_link=lambda s, e: s.create_link([e], "results", ""),
    list_links=lambda s, e: s.list_links(e),
)
of_experiment(
    MARKED,
    mark_experiments=lambda s, e: s.mark_experiments([e], starred=True),
    tag_experiments=lambda s, e: s.tag_experiments([e], ["tagged"]),
)
of_experiment(Row("---?+?+-", "---++++-"), add_comment=lambda s, e: s.add_comment(e, "Well done"))
grows(
    Target.finished,
    count_experiments=lambda s: s.count_experiments(),
    count_found=lambda s: s.count_found(Wanted(part="counted")),
    list_experiments=lambda s: len(s.list_experiments(limit=1000)),
    find_experiments=lambda s: len(s.find_experiments(Wanted(), limit=1000)),
    find_folded=lambda s: sum(one.experiments for one in s.find_folded(Wanted(folds=(("counted",),)))),
    list_words=lambda s: sum(one.experiments for one in s.list_words().get("tag", ())),
    list_scored=lambda s: sum(one.experiments for one in s.list_scored()),
    best_scores=lambda s: len(s.best_scores("cross_validation, 2 folds")),
    score_history=lambda s: len(s.score_history("cross_validation, 2 folds", IRIS)),
)
grows(Target.single_dataset, list_datasets=lambda s: len(s.list_datasets()))
case(LISTED, "find_experiment", Target.numbered, lambda s, made: seen(s.find_experiment(made.config)))
grows(Target.binned, OWN_LISTED, list_bin=lambda s: len(s.list_bin().experiments))
grows(Target.binned_dataset, OWN_LISTED, list_bin=lambda s: len(s.list_bin().datasets))
for table, make in ((DATA, Target.dataset), (Row("????+?++", "??++++++", "+?++++++"), Target.single_dataset)):
    case(table, "get_dataset", make, lambda s, d: s.get_dataset(d))
    case(table, "open_dataset", make, lambda s, d: s.open_dataset(d))
    case(table, "get_sample", make, lambda s, d: s.get_sample(d))
    case(table, "get_dataset_record", make, lambda s, d: s.get_dataset_record(d))
    case(table, "get_facts", make, lambda s, d: s.get_facts(d))
    case(table, "keep_facts", make, lambda s, d: s.keep_facts(d, "{}"))
for table, make in ((CHANGE_DATA, Target.dataset), (CHANGE, Target.single_dataset)):
    case(table, "rename_dataset", make, lambda s, d: s.rename_dataset(d, "Another name"))
    case(table, "set_dataset_visibility", make, lambda s, d: s.set_dataset_visibility(d, "private"))
    case(table, "delete_dataset", make, lambda s, d: s.delete_dataset(d))
for table, make in (
    (Row("---?++++", "---+++++"), Target.dataset),
    (Row("---?+?++", "---+++++"), Target.single_dataset),
):
    case(table, "create_experiment", make, lambda s, d: s.create_experiment(make_config({"sha256": d})))
plain(
    MEMBERS,
    save_dataset=lambda s, _: s.save_dataset(make_dataset(n=10)),
    register_file=lambda s, _: s.register_file(make_file(n=10)),
    check_upload=lambda s, _: s.check_upload(1),
    save_preset=lambda s, _: s.save_preset("New", make_config()) and s.delete_preset("New"),
)
plain(
    SIGNED_IN,
    get_limits=lambda s, _: s.get_limits(),
    find_past_trials=lambda s, _: s.find_past_trials(make_config()),
    ran_within=lambda s, _: s.ran_within(1.0),
    create_token=lambda s, _: s.create_token("CI", ["read"]),
    list_tokens=lambda s, _: s.list_tokens(),
)
grows(Target.preset, MEMBERS, list_presets=lambda s: len(s.list_presets()))
case(Row("----+-++"), "save_preset", Target.preset, lambda s, name: s.save_preset(name, make_config()))
case(Row("----+-++"), "delete_preset", Target.preset, lambda s, name: s.delete_preset(name))
case(Row("--??+?++"), "revoke_token", Target.token, lambda s, token: s.revoke_token(token[0]))
case(PROGRAM_ONLY, "open_token", Target.token, lambda s, token: s.open_token(token[1]))
case(OWN, "revoke_link", Target.link, lambda s, link: s.revoke_link(link[0]))
case(PROGRAM_ONLY, "open_link", Target.link, lambda s, link: s.open_link(link[1], signed_in=False))
case(CHANGE, "delete_comment", Target.comment, lambda s, comment: s.delete_comment(comment))
for method, make in (
    ("restore_experiment", Target.binned),
    ("purge_experiment", Target.binned),
    ("restore_dataset", Target.binned_dataset),
    ("purge_dataset", Target.binned_dataset),
):
    case(OWN, method, make, lambda s, binned, method=method: getattr(s, method)(binned))
for method in ("restore_dataset", "purge_dataset"):
    case(Row("---??+++"), method, Target.binned_holding, lambda s, d, method=method: getattr(s, method)(d))
plain(
    ADMINS,
    empty_bin=lambda s, _: s.empty_bin(),
    find_unused=lambda s, _: s.find_unused(timedelta(days=1)),
    list_users=lambda s, _: s.list_users(),
    list_runners=lambda s, _: s.list_runners(),
    get_statistics=lambda s, _: s.get_statistics(),
    list_audit=lambda s, _: s.list_audit(),
)
for method, value in (("set_role", "reader"), ("set_locked", False), ("set_limits", {})):
    case(ADMINS, method, _reader, lambda s, user, method=method, value=value: getattr(s, method)(user, value))


def test_every_public_method_says_who_may_call_it() -> None:
    """Declare it with `allowed` in `storage`, and say here what each actor gets of it."""
    public = {name for name in dir(Storage) if not name.startswith("_")}
    assert set(RULES) == public
    assert set(CASES) == public


def people_of(storage: Storage) -> dict[str, Storage]:
    people = {
        "admin": sign_in(storage, "Root", "admin"),
        **{name: sign_in(storage, name.title()) for name in ("member", "owner", "other")},
        "reader": sign_in(storage, "Reader", "reader"),
    }
    return {**people, "nobody": storage.acting_as(NOBODY), "link": storage, "program": storage.acting_as(PROGRAM)}


def assert_rights(storage: Storage, actor: str) -> None:
    people, wrong = people_of(storage), {}
    for visibility in VISIBILITIES:
        desk = Desk(people, actor, visibility)
        for method, cases in CASES.items():
            for number, (row, make, call) in enumerate(cases):
                if not row.team and visibility != "private":
                    continue
                if (found := desk.outcome(method, make, call)) != (wanted := row.expected(actor, visibility)):
                    wrong[method, number, visibility] = f"is {found}, must be {wanted}"
    assert wrong == {}


@pytest.mark.parametrize("actor", ACTORS)
def test_who_may_what(actor: str, tmp_path: Path) -> None:
    write_empty_tables(tmp_path / "test.sqlite")
    with open_storage(f"sqlite:///{tmp_path / 'test.sqlite'}") as storage:
        assert_rights(storage, actor)


@pytest.mark.parametrize("actor", ["member", "other"])
def test_who_may_what_on_a_server(actor: str, database: str) -> None:
    empty(database)
    with open_storage(database) as storage:
        assert_rights(storage, actor)
