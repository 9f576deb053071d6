"""Take a model home: what the summary of results offers, to whom."""

import io
import zipfile
from dataclasses import replace

import pytest

from ensembles.data import load_dataset
from ensembles.experiments.records import TrialPlan
from ensembles.experiments.run_trial import Cancelled, run_trial
from pages.parts.results.take_home import _packed
from runner.models import model_context
from storage import ExperimentRecord, Storage
from tests.experiments.test_stream_sources import Watch
from tests.pages.conftest import OpenPage
from tests.pages.made_up import tiny_config
from tests.pages.made_up_results import add_experiment, make_result, texts
from tests.storage.people import sign_in

HEADING = "Take a model home"


@pytest.fixture
def record(storage: Storage) -> ExperimentRecord:
    """An experiment of three learners on two data sets, of which the last learner is best."""
    return storage.get_experiment(add_experiment(storage))


def offered(app) -> dict[str, str]:
    kinds = (("button", app.button), ("download", app.get("download_button")))
    return {one.key: one.label for _, some in kinds for one in some if str(one.key).startswith("home_")}


def train(storage: Storage, app, fail: str | None = None) -> None:
    """Train, or fail, the model that was wished for, as a runner does, and look again."""
    task = storage.claim_model("me", 60.0)
    assert task is not None
    if fail is None:
        context, plan = model_context(storage, task.experiment.config, task.dataset, task.learner)
        model = context.run(plan, lambda: False).model
        assert model is not None
        storage.save_model(task, "me", model.content, model.facts)
    else:
        storage.fail_model(task, "me", fail)
    app.run()


def test_the_best_learner_stands_first_and_its_model_is_trained_and_taken_home(storage, record, open_results):
    app = open_results(experiment=record.id)
    assert HEADING in [header.value for header in app.header]
    assert app.selectbox(key="home_learner").value == 2
    assert offered(app) == {"home_train": "Train it"}
    app.selectbox(key="home_data").set_value(1).run()
    app.button(key="home_train").click().run()
    assert offered(app) == {"home_coming": "It waits for a worker …", "home_stop": "Stop"}
    assert [(one.dataset, one.learner) for one in storage.list_models(record.id)] == [(1, 2)]
    train(storage, app)
    assert [*offered(app)] == ["home_download"]
    assert offered(app)["home_download"].startswith("Download (")
    with zipfile.ZipFile(
        io.BytesIO(_packed(record, storage.list_models(record.id)[0], "https://lab.example.org/results?experiment=x"))
    ) as package:
        card = package.read("card.md").decode()
    assert "<https://lab.example.org/results?experiment=x>" in card
    assert "| Accuracy | 0.7100 |" in card
    app.selectbox(key="home_data").set_value(0).run()
    assert [*offered(app)] == ["home_train"]


def let_learner_win(storage: Storage, record: ExperimentRecord, learner: int) -> None:
    """Let further trials end by which a learner is the best one on both data sets."""
    for dataset in range(2):
        plan = TrialPlan(f"{1000 + 10 * learner + dataset:032x}", dataset, learner, 0, 0, 1)
        result = replace(make_result(plan.key, plan, record.config), measures={"accuracy": 9.0 + learner})
        storage.save_trials(record.id, [(plan, result)])


def test_the_best_learner_is_the_one_that_is_best_now_until_somebody_chose(storage, open_results):
    record = storage.get_experiment(add_experiment(storage, share=0.99, state="running"))
    app = open_results(experiment=record.id)
    best = app.selectbox(key="home_learner").value
    let_learner_win(storage, record, 0)
    app.run()
    assert (best, app.selectbox(key="home_learner").value) == (2, 0)
    app.selectbox(key="home_learner").set_value(1).run()
    let_learner_win(storage, record, 2)
    app.run()
    assert app.selectbox(key="home_learner").value == 1


def test_a_learner_whose_model_is_made_stays_though_another_one_becomes_the_best(storage, open_results):
    record = storage.get_experiment(add_experiment(storage, share=0.99, state="running"))
    app = open_results(experiment=record.id)
    app.button(key="home_train").click().run()
    let_learner_win(storage, record, 0)
    app.run()
    assert app.selectbox(key="home_learner").value == 2
    assert "home_coming" in offered(app)


def test_what_failed_says_why_and_is_tried_again(storage, record, open_results):
    app = open_results(experiment=record.id)
    app.button(key="home_train").click().run()
    train(storage, app, fail="it *gave* up")
    assert [error.value for error in app.error] == [r"It could not be trained\: it \*gave\* up"]
    assert offered(app) == {"home_train": "Try again"}
    app.button(key="home_train").click().run()
    assert "home_coming" in offered(app)
    app.button(key="home_stop").click().run()
    assert offered(app) == {"home_train": "Train it"}
    assert storage.list_models(record.id) == []


def test_it_is_of_the_summary_and_for_those_who_signed_in(storage: Storage, open_as: OpenPage):
    ann = sign_in(storage, "Ann")
    made = add_experiment(storage.acting_as(storage.actor))
    storage.set_experiment_visibility(made, "link")
    sign_in(storage, "Rita", "reader")
    for who, there in (("", False), ("Rita", True)):
        app = open_as(who, "results.py", experiment=made)
        assert (HEADING in [header.value for header in app.header]) == there
        assert bool(offered(app)) == there
    assert HEADING not in texts(open_as("Rita", "results.py", experiment=made, view="Trials"))
    assert ann.list_models(made) == []


def test_a_link_shows_none(storage: Storage, open_as: OpenPage):
    record = add_experiment(storage)
    storage.request_model(record, 0, 0)
    _, token = storage.create_link([record], "results", f"experiment={record}")
    app = open_as("", "shared.py", token=token)
    assert "Means" in [header.value for header in app.header]
    assert offered(app) == {}
    assert HEADING not in [header.value for header in app.header]


STREAM = {"kind": "prequential", "shuffle": False}
PLAN = TrialPlan("a" * 32, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(("delay", "learned"), [(0, 150), (20, 130)])
def test_what_a_stream_has_left_is_offered_first(storage, open_results, delay, learned):
    config = tiny_config(protocol=STREAM | {"label_delay": delay})
    record = storage.create_experiment(config, n_trials=1, runner="me")
    result = run_trial(PLAN, load_dataset("iris"), record.config, watch=Watch(most_bytes=1e9))
    storage.save_trials(record.id, [(PLAN, result)])
    app = open_results(experiment=record.id)
    assert app.segmented_control(key="home_kind").value == "As its stream left it"
    assert offered(app)["home_download"].startswith("Download (")
    assert f"It has learned the stream up to example {learned}. Stored " in texts(app)
    with zipfile.ZipFile(io.BytesIO(_packed(record, storage.list_models(record.id)[0], None))) as package:
        assert f"it has learned the stream up to example {learned}." in package.read("card.md").decode()
    app.segmented_control(key="home_kind").set_value("Trained on all examples").run()
    assert offered(app) == {"home_train": "Train it"}


def test_of_a_stream_that_runs_a_snapshot_becomes_a_model(storage, open_results):
    record = storage.create_experiment(tiny_config(protocol=STREAM), n_trials=1, runner="me", lease_seconds=1000.0)
    assert HEADING not in texts(open_results(experiment=record.id))
    watch = Watch(looks=1)
    with pytest.raises(Cancelled):
        run_trial(PLAN, load_dataset("iris"), record.config, watch=watch, should_stop=watch.should_stop)
    storage.save_snapshot(record.id, PLAN, watch.snapshot, 1)
    app = open_results(experiment=record.id)
    assert offered(app) == {"home_train": "Make it of its snapshot"}
    app.button(key="home_train").click().run()
    assert offered(app)["home_coming"] == "It waits for a worker …"
    storage.fail_model(storage.claim_model("me", 60.0), "me", "it gave up")
    app.run()
    assert [error.value for error in app.error] == [r"It could not be made\: it gave up"]
    app.button(key="home_train").click().run()
    storage.save_model(storage.claim_model("me", 60.0), "me", b"so far", {"examples": 1})
    app.run()
    assert [*offered(app)] == ["home_download"]
    storage.save_snapshot(record.id, PLAN, watch.snapshot, 2)
    app.run()
    assert offered(app)["home_train"] == "Make it anew, of the newest snapshot"
    app.button(key="home_train").click().run()
    assert "home_coming" in offered(app)
