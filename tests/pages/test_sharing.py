"""Links for people outside, comments, the bin, tokens, and what admins look after."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from storage import Storage
from tests.pages.conftest import OpenPage, press
from tests.pages.made_up import tiny_config, tiny_dataset
from tests.pages.made_up_results import add_experiment, figures, make_config, texts
from tests.pages.test_who import labels
from tests.storage.people import sign_in


@pytest.fixture
def ann(storage: Storage) -> Storage:
    """The storage as Ann sees it, who is a member."""
    sign_in(storage, "Root", "admin")
    return sign_in(storage, "Ann")


@pytest.fixture
def experiment(storage: Storage, ann: Storage) -> str:
    """The id of a private experiment of Ann's with results."""
    made = add_experiment(ann_as_runner(storage, ann))
    ann.set_experiment_visibility(made, "private")
    return made


def ann_as_runner(storage: Storage, ann: Storage) -> Storage:
    """Return the storage of the program, which launches in the name of Ann."""
    create = ann.create_experiment

    class Both:
        def __getattr__(self, name: str) -> object:
            return getattr(storage, name)

        def create_experiment(self, config: object, **given: object) -> object:
            record = create(config, n_trials=given["n_trials"])
            storage.claim_experiment("test", 3600)
            return record

    return Both()  # type: ignore[return-value]


def opened(open_as: OpenPage, address: str, who: str = "") -> AppTest:
    return open_as(who, "shared.py", **dict(parse_qsl(urlsplit(address).query)))


def make_link(open_as: OpenPage, experiment: str, *, view: str = "Running time", **_: str) -> str:
    """Let Ann make a link on the page, and return its address."""
    app = press(open_as("Ann", "results.py", experiment=experiment, view=view), "Share")
    press(app, "Make a link")
    [address] = [code.value for code in app.code if "token=" in code.value]
    return str(address)


def test_a_link_shows_a_stranger_one_view_and_nothing_else(
    storage: Storage, ann: Storage, open_as: OpenPage, experiment: str
) -> None:
    ann.write_notes(experiment, "Between us")
    ann.add_comment(experiment, "For the team")
    other = add_experiment(storage, make_config("Something else"))
    address = make_link(open_as, experiment)
    app = opened(open_as, address)
    assert app.title[0].value == "Made up"
    assert figures(app) == figures(open_as("Ann", "results.py", experiment=experiment, view="Running time"))
    said = texts(app)
    for secret in ("Between us", "For the team", "Ann", "Something else"):
        assert secret not in said
    assert set(labels(app)) <= {"Numbers", "Download as CSV"}
    assert not app.get("page_link")
    [link] = ann.list_links(experiment)
    assert (link.opened, link.needs_sign_in) == (1, False)

    token = dict(parse_qsl(urlsplit(address).query))["token"]
    beside = open_as("", "shared.py", token=token, experiment=other, view="Trials")
    assert beside.title[0].value == "Made up"
    assert figures(beside) == figures(app)
    for page in ("results.py", "home.py", "datasets.py", "account.py", "admin.py"):
        assert labels(open_as("", page, experiment=experiment, token=token)) == ["Sign in"]
    [link] = ann.list_links(experiment)
    assert link.opened == 2


def test_a_comparison_is_shared_too(storage: Storage, ann: Storage, open_as: OpenPage, experiment: str) -> None:
    second = add_experiment(ann_as_runner(storage, ann), make_config("Second"))
    both = f"{experiment},{second}"
    app = press(open_as("Ann", "results.py", experiments=both), "Share")
    press(app, "Make a link")
    [address] = [code.value for code in app.code if "token=" in code.value]
    shown = opened(open_as, address)
    assert shown.title[0].value == open_as("Ann", "results.py", experiments=both).title[0].value
    assert "Export" not in labels(shown)
    assert ["*Significance* tests that" in texts(page) for page in (app, shown)] == [True, False]  # it is not there
    assert not shown.get("page_link")


def test_a_link_that_opens_no_more_says_so_in_a_sentence(
    storage: Storage, ann: Storage, open_as: OpenPage, experiment: str
) -> None:
    for needs_sign_in in (False, True):
        ann.create_link([experiment], "results", f"experiment={experiment}", needs_sign_in=needs_sign_in)
    made, token = ann.create_link([experiment], "results", f"experiment={experiment}")
    assert opened(open_as, f"?token={token}").title[0].value == "Made up"
    press(press(open_as("Ann", "results.py", experiment=experiment), "Share"), "Revoke")
    assert [link.revoked is None for link in ann.list_links(experiment)].count(False) == 1
    ann.revoke_link(made.id)
    for wrong in (token, "wrong", ""):
        app = opened(open_as, f"?token={wrong}")
        assert [error.value.replace("\\", "") for error in app.error] == ["The link is unknown, expired or revoked."]
        assert labels(app) == ["Sign in"]
    _, inside = ann.create_link([experiment], "results", f"experiment={experiment}", needs_sign_in=True)
    assert "people who have signed in" in opened(open_as, f"?token={inside}").error[0].value
    sign_in(storage, "Bob", "reader")
    assert opened(open_as, f"?token={inside}", "Bob").title[0].value == "Made up"
    ann.delete_experiment(experiment)
    assert len(opened(open_as, f"?token={inside}", "Bob").error) == 1


def test_only_who_may_share_is_asked_how(storage: Storage, ann: Storage, open_as: OpenPage, experiment: str) -> None:
    ann.set_experiment_visibility(experiment, "team")
    sign_in(storage, "Bob")
    assert "Share" not in labels(
        open_as("Bob", "results.py", experiment=experiment)
    )  # the button that copies is no widget
    app = press(open_as("Ann", "results.py", experiment=experiment), "Share")
    app.button_group(key="results_visibility").set_value("private")
    app.run()
    assert ann.get_experiment(experiment).visibility == "private"


def test_people_comment_in_plain_text(storage: Storage, ann: Storage, open_as: OpenPage, experiment: str) -> None:
    hostile = "<b>Look</b> at [this](https://example.org) :red[now]"
    ann.set_experiment_visibility(experiment, "team")
    app = open_as("Ann", "results.py", experiment=experiment)
    app.text_area(key="results_comment_text").set_value(hostile)
    press(app, "Comment")
    sign_in(storage, "Bob", "reader")
    seen = open_as("Bob", "results.py", experiment=experiment)
    assert hostile in [one.value for one in seen.text]
    assert not {"Comment", "Delete"}.intersection(labels(seen))
    press(open_as("Ann", "results.py", experiment=experiment), "Delete")
    assert ann.list_comments(experiment) == []


def test_what_was_deleted_comes_back_from_the_bin(
    storage: Storage, ann: Storage, open_as: OpenPage, experiment: str
) -> None:
    sha256 = ann.save_dataset(tiny_dataset()).sha256
    ann.delete_experiment(experiment)
    ann.delete_dataset(sha256)
    sign_in(storage, "Bob")
    for page, query in (("experiments.py", {}), ("datasets.py", {"shelf": "Yours"})):
        assert not [label for label in labels(open_as("Bob", page, **query)) if label.startswith("Bin")]
        app = open_as("Ann", page, **query)
        assert "Bin (1)" in labels(app)
        press(app, "Restore")
        assert "Bin (1)" not in labels(open_as("Ann", page, **query))
    assert ann.get_experiment(experiment).name == "Made up"
    assert ann.get_dataset_record(sha256).name == "Tiny"


@pytest.mark.parametrize(
    ("page", "query"),
    [("experiments.py", {}), ("experiments.py", {"search": "Alpha"}), ("datasets.py", {"shelf": "Yours"})],
)
def test_what_stands_beside_the_button_is_restored(
    ann: Storage, open_as: OpenPage, page: str, query: dict[str, str]
) -> None:
    if page == "experiments.py":
        keys = [ann.create_experiment(make_config(name)).id for name in ("Alpha", "Beta")]
        delete = ann.delete_experiment
    else:
        keys = [ann.save_dataset(tiny_dataset(name, shift)).sha256 for name, shift in (("Alpha", 0), ("Beta", 1))]
        delete = ann.delete_dataset
    delete(keys[0])
    app = open_as("Ann", page, **query)
    delete(keys[1])
    press(app, "Restore")
    found = ann.list_bin()
    assert [one.name for one in (*found.experiments, *found.datasets)] == ["Beta"]


def test_what_there_is_no_room_for_stays_in_the_bin_and_a_sentence_says_so(
    storage: Storage, ann: Storage, open_as: OpenPage, experiment: str
) -> None:
    record = ann.save_dataset(tiny_dataset())
    config = tiny_config(datasets=[{"sha256": record.sha256}])
    ann.delete_experiment(ann.create_experiment(config).id)
    ann.delete_dataset(record.sha256)
    storage.set_limits(ann.actor.user_id or 0, {"stored_bytes": record.packed_bytes - 1})
    for page, query in (("experiments.py", {}), ("datasets.py", {"shelf": "Yours"})):
        app = press(open_as("Ann", page, **query), "Restore")
        assert "all of yours together may take" in app.error[0].value
    assert [one.id for one in ann.list_experiments()] == [experiment]
    assert (len(ann.list_bin().experiments), len(ann.list_bin().datasets)) == (1, 1)


def test_a_token_is_shown_once_and_revoked(storage: Storage, ann: Storage, open_as: OpenPage) -> None:
    app = open_as("Ann", "account.py")
    assert "Ann" in app.markdown[0].value
    app.text_input(key="account_name").set_value("my notebook")
    press(app, "Make a token")
    [token] = [code.value for code in app.code]
    actor, scopes = storage.open_token(token)
    assert (actor.user_id, scopes) == (ann.actor.user_id, {"read"})
    app = open_as("Ann", "account.py")
    assert not app.code
    press(app, "Revoke")
    assert ann.list_tokens()[0].revoked is not None


def test_admins_look_after_people(storage: Storage, ann: Storage, open_as: OpenPage) -> None:
    number = ann.actor.user_id
    assert "role" in open_as("Ann", "admin.py").info[0].value
    app = open_as("Root", "admin.py", about="People")
    app.selectbox(key=f"admin_role_{number}_member").set_value("reader").run()
    assert not app.exception
    app.button(key=f"admin_limits_{number}").click().run()
    app.number_input(key="admin_limit_rows").set_value(500)
    press(app, "Save")
    press(app, "Lock")
    [user] = [one for one in storage.list_users() if one.id == number]
    assert (user.role, user.locked, user.limits) == ("reader", True, {"rows": 500})


def test_who_was_locked_meanwhile_stays_locked(storage: Storage, ann: Storage, open_as: OpenPage) -> None:
    number = ann.actor.user_id or 0
    app = open_as("Root", "admin.py", about="People")
    shown = [button for button in app.button if button.label == "Lock"]
    storage.set_locked(number, True)
    next(button for button in shown if str(number) in button.key).click().run()
    assert not app.exception
    assert [one.locked for one in storage.list_users() if one.id == number] == [True]
    press(app, "Unlock")
    assert not any(one.locked for one in storage.list_users())


def test_admins_read_the_log_and_what_goes_on(ann: Storage, open_as: OpenPage, experiment: str) -> None:
    app = open_as("Root", "admin.py", about="Log")
    assert experiment in app.dataframe[0].value["Which"].tolist()
    app.selectbox(key="admin_kind").set_value("user").run()
    assert set(app.dataframe[0].value["What"]) == {"person"}
    app.selectbox(key="admin_who").set_value(f"Ann ({ann.actor.user_id})").run()
    assert set(app.dataframe[0].value["Who"]) == {"Ann"}
    app.date_input(key="admin_since").set_value((datetime.now(UTC) + timedelta(days=2)).date()).run()
    assert not app.dataframe
    overview = open_as("Root", "admin.py")
    assert {metric.label for metric in overview.metric} >= {"Runners", "Database", "Data sets"}


def test_where_nobody_signs_in_everybody_is_admin_and_people_are_not_spoken_of(open_page: OpenPage) -> None:
    app = open_page("admin.py")
    assert "People" not in app.button_group[0].options
    app = open_page("admin.py", about="Tokens")
    assert "Make a token" in labels(app)


def test_an_experiment_is_paused_goes_on_and_goes_first(ann: Storage, open_as: OpenPage) -> None:
    record = ann.create_experiment(make_config("Waiting"))

    def choose(action: str, who: str = "Ann") -> AppTest:
        app = open_as(who, "results.py", experiment=record.id)
        app.menu_button(key="results_more").click(action).run()
        assert not app.exception
        return app

    choose("pause")
    assert ann.get_experiment(record.id).paused
    app = open_as("Ann", "results.py", experiment=record.id)
    assert "It is paused" in app.info[0].value
    choose("unpause")
    assert not ann.get_experiment(record.id).paused
    app = choose("priority")
    assert "Twice" not in app.button_group(key="experiments_priority").options
    app.button_group(key="experiments_priority").set_value(-1)
    press(app, "Save")
    assert ann.get_experiment(record.id).priority == -1
    app = choose("priority", "Root")
    app.button_group(key="experiments_priority").set_value(2)
    press(app, "Save")
    assert ann.get_experiment(record.id).priority == 2


def test_a_link_for_people_outside_shows_every_learner_that_is_chosen(open_as: OpenPage, experiment: str) -> None:
    names = make_config().labels()
    chosen = {"experiment": experiment, "view": "Running time", "learners": [names[0], names[2]]}
    app = press(press(open_as("Ann", "results.py", **chosen), "Share"), "Make a link")
    [address] = [code.value for code in app.code if "token=" in code.value]
    query = parse_qs(urlsplit(address).query)
    for known in (query, {"token": query["token"]}):
        seen = open_as("", "shared.py", **known)
        assert seen.multiselect(key="learners").value == [0, 2]
        assert figures(seen) == figures(app)
