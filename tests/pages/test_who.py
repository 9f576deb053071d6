"""Who looks at the pages: strangers sign in, others see what they may, and nobody sees what another may."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from ensembles.errors import InvalidInput, NotFound
from pages.parts import live, who
from pages.parts import store as store_module
from pages.parts.dataset_library import load_by_ref
from pages.parts.results.joined import join
from pages.parts.results.load import load_results
from storage import Storage
from tests.pages.conftest import OpenPage
from tests.pages.made_up import tiny_config, tiny_dataset
from tests.pages.made_up_results import add_experiment, texts
from tests.storage.people import sign_in

PAGES = (
    "home.py",
    "new_experiment.py",
    "experiments.py",
    "results.py",
    "leaderboard.py",
    "datasets.py",
    "learners.py",
    "papers.py",
    "account.py",
    "admin.py",
)
SECRET = "Ann's secret"


def labels(app):
    """Return what stands on what can be pressed, opened or followed."""
    kinds = ("button", "page_link", "download_button", "menu_button")
    folded = [block.proto.popover.label for block in app.get("popover")] + [block.label for block in app.expander]
    return [element.proto.label for kind in kinds for element in app.get(kind)] + folded


def add_private(storage: Storage, owner: Storage, visibility: str = "private") -> str:
    """Store an experiment of somebody with results, and return its id."""
    add_experiment(storage)
    record = owner.create_experiment(tiny_config(SECRET))
    owner.set_experiment_visibility(record.id, visibility)
    storage.request_cancel(record.id)
    return record.id


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("role", ["reader", "member", "admin"])
def test_every_page_shows_a_role_what_it_may_do(storage: Storage, open_as: OpenPage, role: str, page: str) -> None:
    ann, bob = sign_in(storage, "Ann"), sign_in(storage, "Bob", role)
    add_private(storage, ann)
    mine = bob.create_experiment(tiny_config("Bob's own")).id if role != "reader" else None
    app = open_as("Bob", page)
    assert not app.error
    shown = labels(app)
    assert {"Bob", "Sign out"} <= {*shown}
    launches = {"Run a first experiment", "New experiment", "Launch", "Set up your own experiment", "Upload a table"}
    assert bool(launches.intersection(shown)) == (role != "reader" and page in LAUNCHING)
    hidden = role != "admin"
    assert (SECRET in "\n".join([texts(app), *shown]).replace("\\", "")) == (page in LISTS and not hidden)
    queued = page == "admin.py" and role == "admin"
    assert ("Bob's own" in "\n".join(shown).replace("\\", "")) == ((page in LISTS or queued) and mine is not None)


LAUNCHING = ("home.py", "new_experiment.py", "experiments.py")
LISTS = ("home.py", "experiments.py", "results.py")


@pytest.mark.parametrize(
    ("name", "role", "visibility", "sees", "changes"),
    [
        ("", "", "private", False, False),
        ("", "", "team", False, False),
        ("", "", "link", True, False),
        ("Bob", "reader", "private", False, False),
        ("Bob", "reader", "team", True, False),
        ("Bob", "member", "private", False, False),
        ("Bob", "member", "team", True, False),
        ("Bob", "admin", "private", True, True),
        ("Ann", "member", "private", True, True),
        ("Ann", "reader", "private", True, False),
    ],
)
def test_results_are_shown_to_those_who_may_see_them(
    storage: Storage, open_as: OpenPage, name: str, role: str, visibility: str, *, sees: bool, changes: bool
) -> None:
    ann = sign_in(storage, "Ann")
    experiment = add_private(storage, ann, visibility)
    if name:
        sign_in(storage, name, role)
    app = open_as(name, "results.py", experiment=experiment)
    assert (app.title[0].value.replace("\\", "") == SECRET) == sees
    shown = labels(app)
    launches = role in ("member", "admin")
    assert ("More" in shown) == (sees and (changes or launches))
    offered = next(iter(app.get("menu_button")), None)
    assert ("Rename" in str(offered.options if offered else "")) == changes
    assert ("Clone" in shown) == (sees and launches)
    assert ("Export" in shown) == (sees and bool(name))
    assert ("Sign in" in shown) == (not name)


def test_what_one_person_has_seen_is_not_kept_for_another(
    storage: Storage, open_as: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live.shared, "seconds", 1e9)
    live.ask_anew()
    ann = sign_in(storage, "Ann")
    sign_in(storage, "Bob")
    data = ann.save_dataset(tiny_dataset("Ann's data"), visibility="private").sha256
    experiment = add_private(storage, ann)
    others = add_experiment(storage)
    addresses = [
        ("home.py", {}),
        ("experiments.py", {}),
        ("experiments.py", {"search": "secret"}),
        ("results.py", {"experiment": experiment}),
        ("results.py", {"experiments": f"{experiment},{others}"}),
        ("datasets.py", {"shelf": "Yours"}),
        ("datasets.py", {"dataset": data}),
        ("new_experiment.py", {"clone": experiment}),
        ("new_experiment.py", {"dataset": data}),
    ]
    for page, query in addresses:
        seen = {}
        for name in ("Ann", "Bob"):
            app = open_as(name, page, **query)
            tables = [table.value.to_csv() for table in app.dataframe]
            fields = [one.value for one in app.text_input] + [name for one in app.multiselect for name in one.options]
            seen[name] = "\n".join([texts(app), *labels(app), *tables, *fields]).replace("\\", "")
        assert "Ann's" in seen["Ann"], page
        assert "Ann's" not in seen["Bob"], (page, query)


def test_the_same_content_goes_by_the_name_that_one_has_given_it(storage: Storage, open_as: OpenPage) -> None:
    for name in ("Ann", "Bob"):
        content = tiny_dataset(f"{name}'s data")
        sha256 = sign_in(storage, name).save_dataset(content, visibility="private").sha256
    for name in ("Ann", "Bob", "Ann"):
        app = open_as(name, "datasets.py", dataset=sha256)
        assert app.title[0].value.replace("\\", "") == f"{name}'s data"


def test_a_new_role_and_a_lock_are_noticed(
    storage: Storage, open_as: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(who._people, "seconds", 0.0)
    sign_in(storage, "Ann")
    app = open_as("Ann", "home.py")
    assert "Run a first experiment" in labels(app)
    sign_in(storage, "Ann", "reader")
    assert "Run a first experiment" not in labels(app.run())
    admin = sign_in(storage, "Root", "admin")
    admin.set_locked(sign_in(storage, "Ann").actor.user_id, True)
    app.run()
    assert "locked" in app.error[0].value
    assert labels(app) == ["Sign out"]


def test_without_a_sign_in_everybody_is_the_program_and_nothing_is_said_of_people(open_page: OpenPage) -> None:
    app = open_page("home.py")
    assert "Sign out" not in labels(app)
    assert "Run a first experiment" in labels(app)


def test_other_machines_are_warned_of_where_nobody_signs_in(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for address, warned in (("127.0.0.1", False), ("::1", False), ("localhost", False), ("0.0.0.0", True), ("", True)):
        set_option(monkeypatch, "server.address", address)
        assert who.is_open_to_all() is warned
        said = texts_of_sidebar(open_page("home.py"))
        assert ("Nobody has to sign in" in said) == warned


def set_option(monkeypatch: pytest.MonkeyPatch, option: str, value: object) -> None:
    """Let a setting of Streamlit have another value, where it is asked for by its public function."""
    get_option = who.st.get_option
    monkeypatch.setattr(who.st, "get_option", lambda name: value if name == option else get_option(name))


def texts_of_sidebar(app):
    return "\n".join(str(one.value) for one in app.sidebar.caption)


def test_a_file_of_secrets_that_cannot_be_read_lets_nobody_in(
    tmp_path: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "secrets.toml"
    broken.write_text("[auth\n")
    set_option(monkeypatch, "secrets.files", [str(broken)])
    with pytest.raises(InvalidInput, match=r"secrets\.toml must be a TOML file"):
        who.sign_in_mode()
    app = open_page("home.py")
    assert len(app.error) == 1
    assert not labels(app)


def test_an_empty_file_of_secrets_asks_for_no_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "sign_in.toml"
    empty.write_text("# nothing yet\n")
    set_option(monkeypatch, "secrets.files", [str(empty)])
    assert who.sign_in_mode() == "none"


@pytest.mark.parametrize("header", ["", "X-Forwarded-User"])
def test_the_user_of_a_proxy_signs_in_by_the_header_that_was_named(
    storage: Storage, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_USER_HEADER", header)
    app = open_page("home.py")
    assert ("has not said who you are" in texts(app)) == bool(header)
    monkeypatch.setattr(type(who.st.context), "headers", {"X-Forwarded-User": "ann@example.org"})
    app = open_page("home.py")
    assert any("example" in label for label in labels(app)) == bool(header)
    assert [user.subject for user in storage.list_users()] == (["proxy ann@example.org"] if header else [])


def test_who_comes_back_without_having_signed_in_is_told(open_as: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not signed in" not in texts(open_as("", "home.py"))
    monkeypatch.setattr(type(who.st.context), "cookies", {"ensemble_lab_came_back": "1"})
    app = open_as("", "home.py")
    assert "You are not signed in" in app.error[0].value
    assert labels(app) == ["Sign in"]
    assert not open_as("Bob", "home.py").error


def test_an_address_counts_only_when_the_provider_has_verified_it() -> None:
    claims = {"iss": "https://id.example", "sub": "7", "email": "root@example.org"}
    assert who._identity_of(claims) == ("https://id.example 7", "root@example.org", None)
    assert who._identity_of({**claims, "email_verified": True, "name": "R"})[1:] == ("R", "root@example.org")


def test_a_file_that_is_larger_than_one_may_upload_is_refused(storage: Storage, open_as: OpenPage) -> None:
    ann = sign_in(storage, "Ann").actor
    assert ann.user_id is not None
    sign_in(storage, "Root", "admin").set_limits(ann.user_id, {"upload_bytes": 10})
    app = open_as("Ann", "datasets.py", shelf="Upload")
    app.file_uploader[0].set_value(("t.csv", b"a,class\n1,x\n2,y\n", "text/csv")).run()
    assert "upload_bytes" in app.error[0].value.replace("\\", "")


def test_what_one_may_have_is_told_before_it_is_tried(storage: Storage, open_as: OpenPage) -> None:
    number = sign_in(storage, "Ann").actor.user_id or 0
    sign_in(storage, "Root", "admin").set_limits(number, {"upload_bytes": 20_000, "rows": 200, "trials": 100})
    upload = open_as("Ann", "datasets.py", shelf="Upload")
    assert "At most 20,000 bytes and 200 examples." in texts(upload).replace("\\", "")
    form = open_as("Ann", "new_experiment.py", dataset="iris")
    assert "You may have at most 100 trials in an experiment, these would be 550" in texts(form).replace("\\", "")
    assert form.button(key="new_launch").disabled
    said = "At most, bytes of a file: 20,000; examples of a data set: 200; trials of an experiment: 100."
    assert said in texts(open_as("Ann", "account.py")).replace("\\", "")


@contextmanager
def acting(as_whom: Storage) -> Iterator[None]:
    """Let pages act for somebody outside of a session."""
    token = store_module._asking.set(lambda: as_whom.actor)
    yield
    store_module._asking.reset(token)


def test_what_is_in_the_memory_of_the_server_is_asked_for_each_time(storage: Storage) -> None:
    ann, bob = sign_in(storage, "Ann"), sign_in(storage, "Bob")
    record = ann.get_experiment(add_experiment(storage))
    sha256 = ann.save_dataset(tiny_dataset(), visibility="private").sha256
    for reads in (partial(load_results, record), partial(load_results, record, with_curves=True)):
        with acting(ann):
            assert len(reads().trials)
        storage.set_experiment_visibility(record.id, "private")
        with acting(bob), pytest.raises(NotFound):
            reads()
        storage.set_experiment_visibility(record.id, "team")
    with acting(ann):
        assert len(load_by_ref(sha256)) == 12
        joined = join([record], None, with_curves=False)
        write = store_module.later(lambda: load_by_ref(sha256).name)
    assert len(joined.results.trials)
    storage.set_experiment_visibility(record.id, "private")
    with acting(bob):
        with pytest.raises(NotFound):
            join([record], None, with_curves=False)
        with pytest.raises(NotFound):
            load_by_ref(sha256)
        assert write() == "Tiny"  # of Ann's button
