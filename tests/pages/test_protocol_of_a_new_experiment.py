"""The protocol in the form of a new experiment: its sizes, streams, pools and given test sets, and what does not fit."""

from ensembles.experiments.config import (
    BiasVariance,
    GivenSplit,
    Holdout,
    Prequential,
)
from ensembles.experiments.learner_choice import method_rows
from storage import Storage
from tests.pages.conftest import OpenPage, press
from tests.pages.made_up import tiny_dataset
from tests.pages.test_new_experiment import choose, choose_learners, launch, titles


def test_sizes_and_shares_of_a_protocol_stand_in_its_title(open_page: OpenPage) -> None:
    app = choose(open_page("new_experiment.py", dataset="iris"), "Protocol", "holdout")
    choose(app, "Fraction of the examples for training", 0.6)
    assert "10 repeats, 60 % of the examples for training, not stratified, 1 order" in titles(app)
    choose(app, "Training examples", False)
    choose(app, "Number of examples for training", 100)
    assert "10 repeats, 100 examples for training, not stratified, 1 order" in titles(app)
    choose(app, "Protocol", "prequential")
    choose(app, "Final part", 0.5)
    assert "5 orders, final part 0.5, shuffled" in titles(app)
    next(toggle for toggle in app.toggle if toggle.label == "Shuffled").set_value(False).run()
    choose(app, "Label delay", 50_000)
    assert "final part 0.5, not shuffled, label delay 50,000" in titles(app)


def test_hold_out_takes_a_fraction_or_a_number(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "holdout")
    choose(app, "Fraction of the examples for training", 0.6)
    assert launch(app, storage).protocol == Holdout(train_size=0.6)
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "holdout")
    choose(app, "Training examples", False)
    choose(app, "Number of examples for training", 100)
    assert launch(app, storage).protocol == Holdout(train_size=100)


def test_a_size_that_does_not_fit_is_told_by_the_label_of_its_field(open_page: OpenPage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    for protocol, size, label in (
        ("holdout", "Training examples", "Number of examples for training"),
        ("bias_variance", "Pool", "Number of examples in the pool"),
    ):
        choose(app, "Protocol", protocol)
        choose(app, size, False)
        choose(app, label, 150)
        assert app.error[0].value.startswith(f"{label} must be ")
        assert app.button(key="new_launch").disabled


def test_a_stream_is_run_with_what_goes_with_it(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "prequential")
    assert not app.exception
    choose(app, "Orders", 2)
    choose(app, "Final part", 0.5)
    assert "This protocol also records final accuracy." in [caption.value for caption in app.caption]
    config = launch(app, storage)
    assert config.protocol == Prequential(orders=2, final_fraction=0.5)
    assert config.curves == ("prequential_error",)


def test_a_drift_that_shuffling_would_lose_is_told_with_the_way_out(open_page: OpenPage) -> None:
    advice = "SEA concepts has a drift: lost where examples are shuffled."
    app = open_page("new_experiment.py", dataset="sea", settings='{"rows": 2000, "drift": "abrupt"}')
    assert any(advice in element.value.replace("\\", "") for element in app.markdown)
    choose(app, "Protocol", "prequential")
    assert any(advice in element.value.replace("\\", "") for element in app.markdown)
    press(app, "Use prequential, not shuffled")
    assert "final part 0.2, not shuffled" in titles(app)
    assert not any("drift" in element.value for element in app.markdown)


def test_a_batch_learner_on_a_stream_is_refused_by_name(open_page: OpenPage) -> None:
    app = choose_learners(open_page("new_experiment.py", dataset="iris"), method_rows(), "single", "bagging")
    choose(app, "Protocol", "prequential")
    assert app.error[0].value.replace("\\", "") == (
        "Prequential needs learners that learn online, example by example; Bagging sees all examples at once"
    )
    assert app.button(key="new_launch").disabled


def test_bias_and_variance_take_a_pool(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "bias_variance")
    choose(app, "Training sets", 5)
    choose(app, "Pool", False)
    choose(app, "Number of examples in the pool", 100)
    config = launch(app, storage)
    assert config.protocol == BiasVariance(training_sets=5, pool=100)
    assert config.curves == ()


def test_a_given_test_set_is_a_stored_one(open_page: OpenPage, storage: Storage) -> None:
    train, test = storage.save_dataset(tiny_dataset()), storage.save_dataset(tiny_dataset("Test", shift=0.5))
    app = open_page("new_experiment.py", dataset=train.sha256)
    choose(app, "Protocol", "given_split")
    assert app.info[0].value == "Choose a test set."
    choose(app, "Test set", test.sha256)
    assert launch(app, storage).protocol == GivenSplit(test_sha256=test.sha256, test_name="Test")


def test_a_test_set_with_other_attributes_is_refused_before_launch(open_page: OpenPage, storage: Storage) -> None:
    test = storage.save_dataset(tiny_dataset())
    app = open_page("new_experiment.py", dataset="iris")
    choose(app, "Protocol", "given_split")
    choose(app, "Test set", test.sha256)
    assert "must have the attributes of Iris" in app.error[0].value.replace("\\", "")
    assert app.button(key="new_launch").disabled


def test_more_folds_than_examples_are_refused_before_launch(open_page: OpenPage) -> None:
    app = choose(open_page("new_experiment.py", dataset="iris"), "Folds", 151)
    assert app.error[0].value.replace("\\", "").startswith("Folds must be at most the number of examples, 150 in Iris")
    assert app.button(key="new_launch").disabled
