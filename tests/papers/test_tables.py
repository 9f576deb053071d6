"""Every cell has its experiment, with the learner, the data and the protocol of its paper, or a reason."""

from functools import cache

import pytest

from ensembles.data import catalogue
from ensembles.errors import NotFound
from ensembles.experiments.trials import count_trials
from ensembles.papers import Experiment, get_table, list_tables
from ensembles.papers.datasets import ORIGINS
from ensembles.papers.published import published_numbers
from ensembles.papers.tables import Group, Place, scaled

EXPERIMENTS = {one.key: one for table in list_tables() for one in table.experiments()}


@cache
def config_of(experiment: Experiment, scale: float = 1.0):
    test = "0" * 64 if experiment.protocol["kind"] == "given_split" else None
    return experiment.config(scale, {"sha256": "1" * 64}, test)


@pytest.mark.parametrize("table", list_tables(), ids=lambda table: table.key)
def test_every_cell_has_a_learner_of_its_kind_or_a_reason(table) -> None:
    for number in table.numbers:
        place = table.place(number)
        if not isinstance(place, Place):
            assert number.dataset in {"calendar_day", "calendar_duration", "credit_american"}
            assert len(place) > 20
            continue
        assert place.experiment.dataset.key == number.dataset
        for position in place.learners:
            learner = config_of(place.experiment).learners[position]
            base = "neural_network" if number.base.startswith("network") else number.base
            assert learner.base == base
            assert learner.method == number.method or number.method == "single"
            assert learner.n_members == (1 if number.method == "single" else 100)


def test_experiments_are_valid_and_shared_between_tables() -> None:
    names = {config_of(experiment).name for experiment in EXPERIMENTS.values()}
    assert len(names) == len(EXPERIMENTS)
    keys = {table: {one.key for one in get_table(table).experiments()} for table in ("oza2001/3.4", "oza2001/4.8")}
    assert keys["oza2001/3.4"] < keys["oza2001/4.8"]
    assert len(keys["oza2001/4.8"]) == 28
    assert not get_table("oza2001/3.12").experiments()


def test_networks_are_trained_as_the_column_says() -> None:
    online, boosting = EXPERIMENTS["oza2001/3.7/car"], EXPERIMENTS["oza2001/4.6/car"]
    assert [one.base_settings.get("updates_per_example") for one in config_of(online).learners] == [10, 10]
    *_, one_pass = config_of(boosting).learners
    assert (one_pass.method, one_pass.base_settings["epochs"]) == ("adaboost", 1)
    batch = config_of(EXPERIMENTS["oza2001/3.6/ten epochs/car"])
    assert count_trials(batch) == 100  # the thesis has 50 results of a batch learner, not 250
    learners = [one for each in (batch, config_of(online), config_of(boosting)) for one in each.learners]
    assert {tuple(one.base_settings[key] for key in ("hidden", "learning_rate", "momentum")) for one in learners} == {
        (10, 0.35, 0.0)
    }


@pytest.mark.parametrize(
    ("dataset", "hidden"), [("nursery", 30), ("synthetic_2", 45), ("connect_4", 75), ("promoters", 75)]
)
def test_networks_are_as_large_as_the_times_of_the_thesis_say(dataset: str, hidden: int) -> None:
    for group in ("3.6", "3.6/ten epochs", "3.7", "4.4", "4.5", "4.6"):
        learners = config_of(EXPERIMENTS[f"oza2001/{group}/{dataset}"]).learners
        assert {one.base_settings["hidden"] for one in learners} == {hidden}


def test_networks_take_the_numbers_of_one_data_set_as_they_are() -> None:
    for group in ("3.6", "3.6/ten epochs", "3.7", "4.4", "4.5", "4.6"):
        found = [config_of(EXPERIMENTS[f"oza2001/{group}/{name}"]) for name in ("car", "breast_cancer_wisconsin")]
        scaled, raw = ({one.base_settings.get("normalise") for one in config.learners} for config in found)
        assert (scaled, raw) == ({None}, {"none"})
        assert {one.base_settings["hidden"] for config in found for one in config.learners} == {10}


def test_protocols_are_those_of_the_papers() -> None:
    thesis = config_of(EXPERIMENTS["oza2001/3.4/promoters"])
    assert thesis.protocol.model_dump() == {
        "kind": "cross_validation", "repeats": 10, "folds": 5, "orders": 5, "stratified": False
    }  # fmt: skip
    assert count_trials(thesis) == 50 + 50 + 250
    assert config_of(EXPERIMENTS["oza2001/3.4/census_income"]).protocol.kind == "given_split"
    iris = config_of(EXPERIMENTS["leeclyde2004/2/iris"])
    assert (iris.protocol.repeats, iris.protocol.train_size, iris.protocol.stratified) == (1000, 90, False)
    stream = config_of(EXPERIMENTS["jung2017/1/balance_scale"])
    assert (stream.protocol.kind, stream.protocol.orders, stream.protocol.final_fraction) == ("prequential", 20, 0.2)


def test_the_best_of_several_learners_is_looked_for_among_all_of_them() -> None:
    table = get_table("jung2017/1")
    found = {(n.method, n.metric): table.place(n) for n in table.numbers if n.dataset == "car"}
    sizes = {key: len(place.learners) for key, place in found.items() if isinstance(place, Place)}
    assert sizes["single", "final_accuracy"] == 100
    assert sizes["online_mbbm", "final_accuracy"] == 5
    assert sizes["adaboost_olm", "seconds"] == 1


def test_learners_stand_one_after_another() -> None:
    one, two = {"method": "single", "base": "naive_bayes"}, {"method": "single", "base": "decision_stump"}
    group = Group("1", {("a", "x"): [one, two], ("b", "x"): [one], ("a", "y"): [two]}, {})
    assert [group.positions(column) for column in group.learners] == [(0, 1), (2,), (3,)]


@pytest.mark.parametrize(
    ("scale", "repeats", "orders"),
    [(4.0, 40, 5), (1.0, 10, 5), (0.3, 3, 5), (0.25, 2, 5), (0.1, 1, 5), (0.05, 1, 2), (0.001, 1, 1)],
)
def test_a_scale_saves_repeats_first_then_orders(scale: float, repeats: int, orders: int) -> None:
    protocol = {"kind": "cross_validation", "repeats": 10, "folds": 5, "orders": 5}
    assert scaled(protocol, scale) == {**protocol, "repeats": repeats, "orders": orders}
    assert [scaled({"kind": "prequential", "orders": 5}, scale)["orders"] for scale in (0.5, 4.0)] == [2, 20]


def test_a_scale_is_part_of_the_name() -> None:
    experiment = EXPERIMENTS["oza2001/3.4/nursery"]
    assert config_of(experiment).name == "Oza 2001, table 3.4: Nursery"
    assert config_of(experiment, 0.1).name == "Oza 2001, table 3.4: Nursery (scale 0.1)"


@pytest.mark.parametrize("key", [key for key in ORIGINS if key in catalogue()])
def test_the_catalogue_has_the_data_sets_that_the_papers_used(key: str) -> None:
    entry, origin = catalogue()[key], ORIGINS[key]
    assert (entry.rows, entry.attributes, entry.classes) == (origin.rows, origin.attributes, origin.classes)


def test_an_unknown_table_is_answered_with_those_there_are() -> None:
    with pytest.raises(NotFound, match=r"^no table is called 'oza2001/9.9'; there are oza2001/3.3, .*, jung2017/1$"):
        get_table("oza2001/9.9")


def test_what_a_table_is_said_to_show_is_in_its_numbers() -> None:
    shares = {(n.table, n.dataset, n.method, n.base): n.value for n in published_numbers() if n.metric != "seconds"}
    calendar = {place: value for place, value in shares.items() if place[0] == "oza2001/4.13"}
    best = {
        target: max((place for place in calendar if place[1] == target), key=calendar.__getitem__)[2:]
        for target in ("calendar_day", "calendar_duration")
    }
    assert best == {
        "calendar_day": ("primed_online_boosting", "naive_bayes"),
        "calendar_duration": ("primed_online_boosting", "decision_tree"),
    }
    assert get_table("oza2001/4.13").shows.endswith(
        "best for both targets: of naive Bayes for the day, of trees for the duration."
    )
    gains = {
        dataset: value - shares["oza2001/3.5", dataset, "single", "decision_stump"]
        for (table, dataset, method, _), value in shares.items()
        if (table, method) == ("oza2001/3.5", "online_bagging")
    }
    assert {dataset for dataset, gain in gains.items() if abs(gain) > 0.002} == {"promoters", "balance_scale"}
    assert get_table("oza2001/3.5").shows.endswith("but for Promoters and Balance, which it helps.")
