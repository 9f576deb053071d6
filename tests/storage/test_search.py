"""Experiments found again: by a part of their name, by what they compare, by what people mark them with."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ensembles.data import load_dataset
from ensembles.errors import Conflict, InvalidInput, NotFound
from ensembles.experiments.records import TrialPlan, TrialResult
from storage import Sorting, Storage, Wanted, open_storage
from tests.fresh import write_empty_tables
from tests.storage.conftest import listening, make_config, make_dataset
from tests.storage.made_up import LONG, launch
from tests.storage.people import sign_in


def names(storage: Storage, wanted: Wanted) -> list[str]:
    found = [record.name for record in storage.find_experiments(wanted)]
    assert storage.count_found(wanted) == len(found)
    return found


def run(storage: Storage, name: str, accuracies: Sequence[float]) -> str:
    """Store an experiment that is over, with one trial a learner and data set."""
    record = storage.create_experiment(make_config("iris", "wine", name=name), runner="me", lease_seconds=LONG)
    places = [(dataset, learner) for dataset in range(2) for learner in range(2)]
    trials = []
    for number, ((dataset, learner), accuracy) in enumerate(zip(places, accuracies, strict=False)):
        plan = TrialPlan(f"{number:032x}", dataset, learner, 0, 0, 0)
        trials.append((plan, TrialResult(plan.key, measures={"accuracy": accuracy}, n_train=80, n_test=20)))
    storage.save_trials(record.id, trials)
    storage.finish(record.id, "finished", runner="me")
    return record.id


def test_stored_data_are_called_by_their_name_and_not_by_their_hash(storage: Storage) -> None:
    train, test = (storage.save_dataset(make_dataset(name, seed=seed)).sha256 for name, seed in (("A", 1), ("B", 2)))
    nameless = make_config({"sha256": train}, protocol={"kind": "given_split", "test_sha256": test})
    record = storage.create_experiment(nameless)
    assert [reference.label for reference in record.config.datasets] == ["A"]
    assert storage.load_results(record.id).dataset_names == ("A",)
    assert [word.label for word in storage.list_words()["dataset"]] == ["A", "B"]
    for config in (nameless, record.config):
        found = storage.find_experiment(config)
        assert found is not None
        assert found.id == record.id


def test_an_upload_of_what_the_catalogue_has_is_found_as_that(storage: Storage) -> None:
    iris = load_dataset("iris")
    iris.name = "My flowers"
    storage.save_dataset(iris)
    storage.create_experiment(make_config({"sha256": iris.sha256, "name": "My flowers"}, name="Mine"))
    storage.create_experiment(make_config("iris", name="Theirs"))
    assert names(storage, Wanted(words=(("dataset", "iris"),))) == ["Theirs", "Mine"]
    assert names(storage, Wanted(part="flowers")) == ["Mine"]
    [word] = storage.list_words()["dataset"]
    assert (word.word, word.label, word.experiments) == ("iris", "Iris", 2)


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("table 4.1", ["Table 4.1: Car"]),
        ("CAR", ["100% car", "Table 4.1: Car"]),
        ("0%", ["100% car"]),
        ("_", []),
        ("", ["100% car", "Mine", "Table 4.1: Car"]),
        ("surprise", ["Mine"]),
        ("thesis", ["Mine"]),
    ],
)
def test_experiments_are_found_by_a_part_of_name_notes_or_tags(storage: Storage, part: str, found: list[str]) -> None:
    ids = [launch(storage, name).id for name in ("Table 4.1: Car", "Mine", "100% car")]
    storage.write_notes(ids[1], "What a *surprise*")
    storage.tag_experiments(ids[1:2], add=["thesis"])
    assert names(storage, Wanted(part=part)) == found


@pytest.mark.parametrize("part", ["übung", "ÜBUNG 100%", "größe", "äpfel", "ДАННЫЕ", "notiz Ä", "GRÖßE (", "größe (Ω"])
def test_capitals_of_all_alphabets_are_found_without_them(storage: Storage, part: str) -> None:
    data = storage.save_dataset(make_dataset("Данные"))
    record = storage.create_experiment(make_config({"sha256": data.sha256}, name="Übung 100% Größe (ω)"))
    storage.tag_experiments([record.id], add=["Äpfel"])
    storage.write_notes(record.id, "Notiz ä")
    launch(storage, "Ubung 1000 Grosse")
    assert names(storage, Wanted(part=part)) == [record.name]
    assert names(storage, Wanted(part=f"{part}.*")) == names(storage, Wanted(part=f"[{part}]")) == []


def test_experiments_are_found_by_what_they_compare(storage: Storage) -> None:
    sha256 = storage.save_dataset(make_dataset()).sha256
    storage.create_experiment(make_config("iris", name="On iris"))
    storage.create_experiment(make_config({"sha256": sha256, "name": "Fruit"}, "iris", name="On fruit"))
    boosting = [{"method": "adaboost", "base": "decision_stump"}]
    storage.create_experiment(make_config(name="Boosting", learners=boosting, protocol={"kind": "holdout"}))
    for words, found in {
        (("dataset", "iris"),): ["Boosting", "On fruit", "On iris"],
        (("dataset", sha256),): ["On fruit"],
        (("dataset", sha256), ("method", "adaboost")): [],
        (("method", "bagging"), ("dataset", "iris")): ["On fruit", "On iris"],
        (("base", "decision_stump"),): ["Boosting"],
        (("protocol", "holdout"),): ["Boosting"],
        (("method", "iris"),): [],
    }.items():
        assert names(storage, Wanted(words=words)) == found
    for part, found in {"fruit": ["On fruit"], "IRI": ["Boosting", "On fruit", "On iris"], sha256[:3]: []}.items():
        assert names(storage, Wanted(part=part)) == found
    listed = storage.list_words()
    assert [(word.word, word.label, word.experiments) for word in listed["dataset"]] == [
        (sha256, "Fruit", 1),
        ("iris", "Iris", 3),
    ]
    assert [word.label for word in listed["method"]] == ["AdaBoost", "Bagging", "Single model"]


def test_experiments_are_found_by_state_star_and_archive(storage: Storage) -> None:
    ids = {name: launch(storage, name).id for name in ("First", "Second", "Third")}
    storage.request_cancel(ids["Second"])
    storage.mark_experiments([ids["First"], "gone"], starred=True)
    storage.mark_experiments([ids["Third"]], archived=True)
    assert names(storage, Wanted(states=("cancelled",))) == ["Second"]
    assert names(storage, Wanted(starred=True)) == ["First"]
    assert names(storage, Wanted()) == ["Second", "First"]
    assert names(storage, Wanted(archived=True)) == ["Third"]
    assert names(storage, Wanted(archived=None)) == ["Third", "Second", "First"]
    storage.mark_experiments([*ids.values()], archived=False)
    assert storage.get_experiment(ids["First"]).starred, "what is not said stays"
    assert storage.count_found(Wanted()) == 3


@pytest.mark.parametrize(
    ("sort", "found"),
    [
        ("newest", ["waits", "Best", "good", "Middling"]),
        ("oldest", ["Middling", "good", "Best", "waits"]),
        ("name", ["Best", "good", "Middling", "waits"]),
        ("error", ["Best", "good", "Middling", "waits"]),
        ("trials", ["good", "Middling", "Best", "waits"]),
    ],
)
def test_experiments_come_in_the_wished_order(storage: Storage, sort: Sorting, found: list[str]) -> None:
    run(storage, "Middling", [0.5, 0.6, 0.5])
    run(storage, "good", [0.5, 0.8, 0.5, 0.8])
    run(storage, "Best", [0.9])
    launch(storage, "waits")
    assert names(storage, Wanted(sort=sort)) == found
    assert [one.name for one in storage.find_experiments(Wanted(sort=sort), 2, 1)] == found[1:3]


def test_the_end_writes_down_the_lowest_error_and_the_time(storage: Storage) -> None:
    record = storage.get_experiment(run(storage, "Both", [0.9, 0.8, 0.5, 0.8]))
    assert (record.best_learner, record.best_error) == (1, pytest.approx(0.2))
    assert record.seconds is not None
    partly = storage.get_experiment(run(storage, "The first learner only on both", [0.6, 1.0, 0.6]))
    assert (partly.best_learner, partly.best_error) == (0, pytest.approx(0.4))
    none = storage.get_experiment(run(storage, "Nothing ended", []))
    assert (none.best_learner, none.best_error) == (None, None)


def test_tags_are_short_words(storage: Storage) -> None:
    ids = [launch(storage, name).id for name in ("One", "Two")]
    storage.tag_experiments(ids, add=["Thesis", " oza2001/3.4 ", "thesis", ""])
    assert storage.get_experiment(ids[0]).tags == ("oza2001/3.4", "thesis")
    storage.tag_experiments(ids[:1], add=["x"], remove=["thesis", "never there"])
    assert storage.get_experiment(ids[0]).tags == ("oza2001/3.4", "x")
    assert names(storage, Wanted(words=(("tag", "thesis"),))) == ["Two"]
    for wrong, said in {
        "two words": r"^tags: each must be a word of letters, digits and \. \+ / - _, got 'two words'$",
        "<b>": "got '<b>'",
        "x" * 31: "tags: each must have at most 30 characters, got 31",
    }.items():
        with pytest.raises(InvalidInput, match=said):
            storage.tag_experiments(ids, add=[wrong])
    with pytest.raises(InvalidInput, match=r"^One: tags: there may be at most 10, got 11$"):
        storage.tag_experiments(ids, add=[str(number) for number in range(9)])
    assert storage.get_experiment(ids[1]).tags == ("oza2001/3.4", "thesis"), "nothing is changed"


def test_tags_are_found_and_removed_however_they_are_typed(storage: Storage) -> None:
    record = storage.create_experiment(make_config(), tags=["Nightly", "Äpfel"])
    for tag in ("nightly", " Nightly ", "NIGHTLY", "äpfel", "ÄPFEL"):
        assert names(storage, Wanted(tagged=(tag,))) == names(storage, Wanted(words=(("tag", tag),))) == [record.name]
    storage.tag_experiments([record.id], remove=["NIGHTLY", "Äpfel "])
    assert storage.get_experiment(record.id).tags == ()


def test_notes_are_kept_as_they_were_written(storage: Storage) -> None:
    record = launch(storage)
    assert storage.write_notes(record.id, "# Why\n\n* a\x00b\n").notes == "# Why\n\n* a\N{REPLACEMENT CHARACTER}b"
    with pytest.raises(InvalidInput, match=r"^notes: must have at most 20,000 characters, got 20,001$"):
        storage.write_notes(record.id, "x" * 20_001)
    with pytest.raises(NotFound):
        storage.write_notes("nowhere", "x")
    with pytest.raises(Conflict, match="its notes were changed by somebody else, or in another tab, and stay so"):
        storage.write_notes(record.id, "y", known="")


def test_what_an_experiment_was_found_by_goes_with_it(storage: Storage) -> None:
    storage.delete_experiment(run(storage, "Gone", [0.9, 0.8, 0.5, 0.8]))
    assert storage.list_words() == {}


def test_an_experiment_without_a_result_is_not_the_quickest(storage: Storage) -> None:
    run(storage, "Ran", [0.9])
    record = storage.create_experiment(make_config(name="Not planned"), runner="me", lease_seconds=LONG)
    storage.finish(record.id, "failed", runner="me")
    assert names(storage, Wanted(sort="quickest")) == ["Ran", "Not planned"]


FOLDS = (("a/1", "a/2"), ("b/1",))


@pytest.mark.parametrize("sort", ["newest", "oldest", "name", "error", "longest", "trials"])
def test_of_experiments_in_a_fold_the_first_in_the_order_is_listed(storage: Storage, sort: Sorting) -> None:
    tags = {"One": ["a/1"], "two": [], "Three": ["a/2", "b/1"], "four": ["b/1", "x"], "Five": ["b/1"], "six": ["a/1"]}
    for number, (name, own) in enumerate(tags.items()):
        storage.tag_experiments([run(storage, name, [0.5 + number * 7 % 5 / 10] * (1 + number * 5 % 3))], add=own)
    storage.mark_experiments([storage.find_experiments(Wanted(part="six"))[0].id], archived=True)
    expected, seen = [], set()
    for name in names(storage, Wanted(sort=sort)):
        fold = next((fold for fold in FOLDS if set(fold).intersection(tags[name])), name)
        if fold not in seen:
            expected.append(name)
        seen.add(fold)
    assert names(storage, Wanted(sort=sort, folds=FOLDS)) == expected
    assert len(expected) == 3
    assert [one.name for one in storage.find_experiments(Wanted(sort=sort, folds=FOLDS), 1, 1)] == expected[1:2]


def test_a_fold_tells_of_all_experiments_in_it_that_are_wanted(storage: Storage) -> None:
    ids = [run(storage, "Good", [0.9, 0.8]), run(storage, "Bad", [0.6]), launch(storage, "Waits").id]
    storage.tag_experiments(ids, add=["a/1"])
    [one] = storage.find_folded(Wanted(folds=FOLDS))
    assert (one.tags, one.experiments, one.states) == (FOLDS[0], 3, (("finished", 2), ("waiting", 1)))
    assert (one.done, one.total, one.failed, one.best_error) == (3, 8, 0, pytest.approx(0.1))
    assert (one.is_final, one.created) == (False, storage.get_experiment(ids[2]).created)
    [some] = storage.find_folded(Wanted(folds=FOLDS, part="ba"))
    assert (some.experiments, some.is_final, some.best_error) == (1, True, pytest.approx(0.4))
    assert storage.find_folded(Wanted(folds=FOLDS, archived=True)) == []
    assert names(storage, Wanted(tagged=FOLDS[0], sort="name")) == ["Bad", "Good", "Waits"]
    assert names(storage, Wanted(tagged=FOLDS[1])) == []


def test_words_are_read_from_one_index_and_once(tmp_path: Path) -> None:
    """With 10,000 experiments that takes a third of the time; members ask for them at every page of the table."""
    write_empty_tables(tmp_path / "test.sqlite")
    with open_storage(f"sqlite:///{tmp_path / 'test.sqlite'}") as storage:
        member, asked = sign_in(storage, "Max"), list[tuple[str, object]]()
        with listening(lambda *told: asked.append((told[2], told[3]))):
            member.list_words()
            member.count_found(Wanted(part="wine"))
        plans = []
        with storage._database.connection() as connection:
            for statement, values in asked:
                if "experiment_words" in statement:
                    told = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
                    plans.append(" ".join(row[3] for row in told))
    assert len(plans) == 2
    for plan in plans:
        assert "experiment_words USING COVERING INDEX ix_experiment_words_kind" in plan
        assert "CORRELATED" not in plan
