"""Presets: fit for small and large data; what is kept of an experiment is offered again."""

import pytest

from ensembles.errors import InvalidConfig
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.learner_choice import LearnerChoice
from ensembles.experiments.presets import BUILT_IN, comes_along, kept_config, saved_preset
from ensembles.experiments.trials import count_trials
from ensembles.papers import get_table


@pytest.mark.parametrize("preset", BUILT_IN, ids=lambda preset: preset.name)
def test_every_preset_is_an_experiment_with_no_more_trials_on_large_data(preset):
    small, large = preset.config(100), preset.config(1_000_000)
    assert count_trials(large) <= count_trials(small)
    assert len(set(small.labels())) == len(small.learners)


def test_one_tenth_of_folds_ten_times_is_for_publication_and_a_stream_for_learners_that_learn_online():
    quick, publication, stream, oza, *_ = (preset.config(500) for preset in BUILT_IN)
    assert publication.protocol.sentence.startswith("10 × 10-fold")
    assert {learner.n_members for learner in quick.learners} == {1, 10}
    assert stream.protocol.kind == "prequential"
    assert oza.protocol.sentence == "10 × 5-fold cross-validation (not stratified), 5 orders"


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("As in Oza 2001", ("3.4", "4.2")),
        ("As in Oza 2001, trees", ("3.3", "4.1")),
        ("As in Oza 2001, networks", ("3.6", "3.7", "4.4", "4.5")),
    ],
)
def test_those_of_the_thesis_are_its_tables_as_they_are_run_again(name, tables):
    preset = next(preset for preset in BUILT_IN if preset.name == name).config(500)
    again = [
        one.config(1.0, "car")
        for number in tables
        for one in get_table(f"oza2001/{number}").experiments()
        if one.dataset.key == "car"
    ]
    assert {config.protocol.split_settings()["stratified"] for config in (preset, *again)} == {False}
    learners = {learner.canonical for config in again for learner in config.learners}
    assert [one.label for one in preset.learners if one.canonical not in learners] == []


def test_those_of_the_thesis_have_its_settings_whatever_the_defaults_are():
    quick, *_, oza, trees, networks = (preset.config(500) for preset in BUILT_IN)
    boosted, by_trees, by_networks = (
        next(one for one in config.learners if one.method == "adaboost") for config in (oza, trees, networks)
    )
    assert boosted.settings["algorithm"] == by_trees.settings["algorithm"] == by_networks.settings["algorithm"] == "m1"
    assert by_trees.base_settings == {"criterion": "ks"}
    assert (by_networks.base_settings["loss"], by_networks.base_settings["epochs"]) == ("squared", 10)
    assert all("algorithm" not in one.settings for one in quick.learners)
    for config in (oza, trees, networks):  # the form shows all of it
        shown = LearnerChoice.of(config.learners)
        assert shown is not None
        assert sorted(one.canonical for one in shown.learners()) == sorted(one.canonical for one in config.learners)


def a_config(**changes):
    learners = [{"method": "bagging", "base": "naive_bayes", "n_estimators": [5, 7]}]
    return ExperimentConfig.from_dict(
        {"name": "Mine", "datasets": ["wine"], "learners": learners, "seed": 9, **changes}
    )


def test_what_is_kept_is_offered_again_without_data_sets_and_seed():
    config = a_config(protocol={"kind": "holdout", "repeats": 3}, measures=["mse"], curves=["margins"])
    kept = kept_config("  My <b>own</b> ", config)
    preset = saved_preset(kept)
    again = preset.config(10)
    assert preset.name == again.name == kept.name == "My <b>own</b>"
    assert preset.summary == "Saved here: 2 learners, 3 × hold-out, 80 % for training, 1 order."
    assert (again.learners, again.protocol) == (config.learners, config.protocol)
    assert (again.measures, again.curves, again.seed) == (config.measures, config.curves, 1)
    assert again.to_dict() == kept.to_dict()


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("quick LOOK", {}, "comes along with the program"),
        (" ", {}, "name: must have 1 to 200 characters"),
        ("x", {"protocol": {"kind": "given_split", "test_sha256": "0" * 64}}, "goes with its data set"),
    ],
)
def test_what_cannot_be_a_preset_is_refused(name, changes, said):
    with pytest.raises(InvalidConfig, match=said):
        kept_config(name, a_config(**changes))


def test_names_of_those_that_come_along_are_theirs_in_capitals_or_not():
    assert comes_along("QUICK look")
    assert not comes_along("Quick looks")
