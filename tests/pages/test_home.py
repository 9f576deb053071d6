"""Home: a first experiment in one click, and the newest experiments."""

from ensembles.experiments.first_experiment import first_experiment
from ensembles.experiments.trials import count_trials
from storage import Storage
from tests.pages.conftest import OpenPage, followed
from tests.pages.made_up import tiny_config


def test_the_first_experiment_compares_the_six_methods_on_splits_enough_for_a_verdict() -> None:
    config = first_experiment()
    assert [learner.method for learner in config.learners] == [
        "single",
        "bagging",
        "online_bagging",
        "adaboost",
        "online_boosting",
        "primed_online_boosting",
    ]
    assert count_trials(config) <= 400
    repeats, folds = config.protocol.splits
    assert len(config.datasets) == 1  # over a few data sets no test tells six learners apart
    assert repeats * folds >= 10


def test_one_click_launches_it_and_opens_its_results(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("home.py")
    app.button(key="home_first").click().run()
    [record] = storage.list_experiments()
    assert record.config == first_experiment()
    followed(app)
    assert app.query_params == {"experiment": record.id}
    assert record.name.split(":")[0] in app.title[0].value


def test_launching_again_later_makes_another(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("home.py")
    app.button(key="home_first").click().run()
    app.switch_page("home.py").run()
    app.button(key="home_first").click().run()
    assert storage.count_experiments() == 2


def test_a_second_press_of_an_interrupted_launch_finds_what_the_first_created(
    open_page: OpenPage, storage: Storage
) -> None:
    app = open_page("home.py")
    known = storage.create_experiment(first_experiment())
    app.session_state["home_first_launched"].once(app.session_state["home_first_token"], lambda: known.id)
    app.button(key="home_first").click().run()
    assert storage.count_experiments() == 1
    assert followed(app).query_params == {"experiment": known.id}


def test_the_newest_experiments_are_linked_with_their_state(open_page: OpenPage, storage: Storage) -> None:
    for number in range(7):
        storage.create_experiment(tiny_config(f"Number {number}"))
    app = open_page("home.py")
    names = [link.label for link in app.get("page_link") if "Number" in link.label]
    assert names == [f"**Number {number}**" for number in (6, 5, 4, 3, 2)]
    assert sum("Waiting" in mark.value for mark in app.markdown) == 5


def test_a_name_with_markup_is_shown_letter_by_letter(open_page: OpenPage, storage: Storage) -> None:
    storage.create_experiment(tiny_config("<b>x</b> **y**"))
    labels = [link.label for link in open_page("home.py").get("page_link")]
    assert r"**\<b\>x\<\/b\> \*\*y\*\***" in labels


def test_facts_of_a_finished_experiment_tell_trials_and_duration(storage: Storage) -> None:
    from dataclasses import replace

    from pages.parts.experiment_rows import facts, progress_words

    record = storage.create_experiment(tiny_config())
    over = replace(
        record,
        state="finished",
        seconds=3.4,
        total=10,
        done=10,
        failed=2,
        message="Two failed",
    )
    assert facts(over).startswith(
        "1 data set · 1 learner · 2 × 5-fold cross-validation, 1 order · 10 trials in 3.4 s · 2 failed · Two failed"
    )
    cut_off = replace(over, state="cancelled", done=4, failed=0, message=None)
    assert " · 4 of 10 trials in 3.4 s · launched " in facts(cut_off)
    assert progress_words(record) == "Waiting for the worker"
    running = replace(record, state="running", total=10, done=4, failed=1, seconds_left=12.0)
    assert progress_words(running) == "4 of 10 trials · 1 failed · about 12 s left"
    assert progress_words(replace(running, total=None)) == "Planning the trials · 1 failed · about 12 s left"
