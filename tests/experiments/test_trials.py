"""The plan: which trials, with which examples, under which keys."""

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest

from ensembles.data import Dataset, load_dataset
from ensembles.errors import InvalidConfig
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.trials import count_trials, learner_seed, plan_trials, split_of
from tests.experiments.conftest import make_dataset

Configure = Callable[..., ExperimentConfig]

GOLDEN = ("85237025d236fd86ba128663e789d3ee", 1211597493)
GOLDEN_ROWS = [22, 16, 25, 2, 30, 8, 3, 50]

HOLDOUT = {"kind": "holdout", "repeats": 3, "train_size": 20}
GIVEN = {"kind": "given_split", "test_sha256": "ab" * 32, "orders": 2}


def real_config(**changes: object) -> ExperimentConfig:
    document = {
        "name": "x",
        "datasets": ["iris"],
        "learners": [{"method": "online_bagging", "base": "naive_bayes", "n_estimators": 10}],
        "protocol": {"kind": "cross_validation", "repeats": 2, "folds": 3, "orders": 2},
    }
    return ExperimentConfig.from_dict({**document, **changes})


def test_batch_learners_have_one_order_and_online_ones_all(configure: Configure, dataset: Dataset) -> None:
    plans = plan_trials(configure("nearest_mean", "drifting_mean"), [dataset])
    orders = defaultdict(set)
    for plan in plans:
        orders[plan.learner].add(plan.order)
    assert orders == {0: {0}, 1: {0, 1}}
    assert len(plans) == 2 * 3 * (1 + 2)


@pytest.mark.parametrize("protocol", [None, HOLDOUT, GIVEN])
def test_trials_are_counted_without_data(configure: Configure, protocol: dict[str, object] | None) -> None:
    n_datasets = 1 if protocol is GIVEN else 2
    config = configure(n_datasets=n_datasets, **({"protocol": protocol} if protocol else {}))
    datasets = [make_dataset(seed=seed) for seed in range(n_datasets)]
    assert count_trials(config) == len(plan_trials(config, datasets))


def test_every_trial_is_planned_once_with_a_key_of_its_own(configure: Configure) -> None:
    plans = plan_trials(configure(n_datasets=2), [make_dataset(seed=0), make_dataset(seed=1)])
    places = {(plan.dataset, plan.learner, plan.repeat, plan.fold, plan.order) for plan in plans}
    assert len({plan.key for plan in plans}) == len(places) == len(plans)
    assert all(len(plan.key) == 32 and set(plan.key) <= set("0123456789abcdef") for plan in plans)


def test_learners_alternate_within_a_split_and_an_order(configure: Configure, dataset: Dataset) -> None:
    plans = plan_trials(configure("nearest_mean", "drifting_mean"), [dataset])
    assert [(plan.fold, plan.order, plan.learner) for plan in plans[:6]] == [
        (0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("n", [60, 61, 64])
def test_test_folds_of_a_repeat_partition_the_data(configure: Configure, n: int) -> None:
    dataset, config = make_dataset(n), configure("nearest_mean")
    for repeat in range(2):
        plans = [plan for plan in plan_trials(config, [dataset]) if plan.repeat == repeat]
        tests = [split_of(config, dataset, plan)[1] for plan in plans]
        sizes = [len(test) for test in tests]
        assert sorted(np.concatenate(tests)) == list(range(n))
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("protocol", [None, HOLDOUT])
def test_training_and_test_share_no_example_and_leave_none_out(
    configure: Configure, dataset: Dataset, protocol: dict[str, object] | None
) -> None:
    config = configure(**({"protocol": protocol} if protocol else {}))
    for plan in plan_trials(config, [dataset]):
        train, test = split_of(config, dataset, plan)
        assert sorted([*train, *test]) == list(range(len(dataset)))
        assert protocol is None or len(train) == 20


def test_a_given_split_trains_on_everything(configure: Configure, dataset: Dataset) -> None:
    config = configure("drifting_mean", protocol=GIVEN)
    orders = [split_of(config, dataset, plan) for plan in plan_trials(config, [dataset])]
    assert len(orders) == 2
    assert all(sorted(train) == list(range(len(dataset))) and len(test) == 0 for train, test in orders)
    assert not np.array_equal(orders[0][0], orders[1][0])


def test_all_learners_see_the_same_splits_and_orders(configure: Configure, dataset: Dataset) -> None:
    config = configure("nearest_mean", "drifting_mean", "hopeless")
    seen = defaultdict(list)
    for plan in plan_trials(config, [dataset]):
        seen[plan.repeat, plan.fold, plan.order].append(split_of(config, dataset, plan))
    for (first_train, first_test), *others in seen.values():
        for train, test in others:
            assert np.array_equal(train, first_train)
            assert np.array_equal(test, first_test)


def test_splits_do_not_depend_on_who_else_takes_part(configure: Configure, dataset: Dataset) -> None:
    one, two = configure("drifting_mean"), configure("nearest_mean", "drifting_mean", name="Other")
    plans = {plan.key: plan for plan in plan_trials(one, [dataset])}
    for plan in plan_trials(two, [dataset]):
        if plan.learner == 1:
            twin = plans[plan.key]
            assert np.array_equal(split_of(one, dataset, twin)[0], split_of(two, dataset, plan)[0])
            assert learner_seed(one, dataset, twin) == learner_seed(two, dataset, plan)


def test_repeats_folds_orders_and_seeds_give_other_permutations(configure: Configure, dataset: Dataset) -> None:
    trains = [
        tuple(split_of(config, dataset, plan)[0])
        for config in (configure("drifting_mean"), configure("drifting_mean", seed=2))
        for plan in plan_trials(config, [dataset])
    ]
    assert len(set(trains)) == len(trains) == 24


@pytest.mark.parametrize("protocol", [{"kind": "cross_validation", "repeats": 3, "folds": 2}, HOLDOUT])
def test_every_repeat_splits_afresh(configure: Configure, dataset: Dataset, protocol: dict[str, object]) -> None:
    config = configure("nearest_mean", protocol=protocol)
    plans = [plan for plan in plan_trials(config, [dataset]) if plan.fold == 0]
    assert len({tuple(split_of(config, dataset, plan)[1]) for plan in plans}) == 3


def test_splits_follow_the_content_and_not_the_name(configure: Configure) -> None:
    config = configure("nearest_mean")
    same, renamed, other = make_dataset(), make_dataset(name="Renamed"), make_dataset(seed=1)
    plan = plan_trials(config, [same])[0]
    assert np.array_equal(split_of(config, same, plan)[0], split_of(config, renamed, plan)[0])
    assert not np.array_equal(split_of(config, same, plan)[0], split_of(config, other, plan)[0])


def test_learners_have_seeds_of_their_own(configure: Configure, dataset: Dataset) -> None:
    config = configure("nearest_mean", "drifting_mean")
    plans = plan_trials(config, [dataset])
    seeds = {learner_seed(config, dataset, plan) for plan in plans}
    assert len(seeds) == len(plans)
    assert all(0 <= seed < 2**31 for seed in seeds)


def keys(config: ExperimentConfig, dataset: Dataset) -> set[str]:
    return {plan.key for plan in plan_trials(config, [dataset])}


def test_more_repeats_orders_or_learners_keep_the_keys_there_are(dataset: Dataset) -> None:
    more = real_config(
        learners=[{"method": "single", "base": "naive_bayes"}, *real_config().to_dict()["learners"]],
        protocol={"kind": "cross_validation", "repeats": 3, "folds": 3, "orders": 4},
        name="other",
    )
    assert keys(real_config(), dataset) < keys(more, dataset)


@pytest.mark.parametrize(
    ("protocol", "more"),
    [
        ({"kind": "prequential", "orders": 2}, {"orders": 3}),
        ({"kind": "bias_variance", "repeats": 2}, {"repeats": 3}),
    ],
)
def test_more_orders_or_repeats_of_any_protocol_keep_the_keys(
    dataset: Dataset, protocol: dict[str, object], more: dict[str, object]
) -> None:
    assert keys(real_config(protocol=protocol), dataset) < keys(real_config(protocol={**protocol, **more}), dataset)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2},
        {"measures": ["mse"]},
        {"curves": ["learning_curve"]},
        {"learners": [{"method": "online_bagging", "base": "naive_bayes", "n_estimators": 11}]},
        {"learners": [{"method": "online_bagging", "base": "decision_stump", "n_estimators": 10}]},
        {"protocol": {"kind": "cross_validation", "repeats": 2, "folds": 4, "orders": 2}},
        {"protocol": {"kind": "cross_validation", "repeats": 2, "folds": 3, "orders": 2, "stratified": False}},
        {"protocol": HOLDOUT},
        {"protocol": {**HOLDOUT, "train_size": 21}},
        {"protocol": GIVEN},
        {"protocol": {"kind": "prequential"}},
        {"protocol": {"kind": "prequential", "shuffle": False}},
        {"protocol": {"kind": "bias_variance", "pool": 30}},
    ],
    ids=str,
)
def test_what_changes_the_numbers_changes_the_keys(dataset: Dataset, change: dict[str, object]) -> None:
    assert not keys(real_config(), dataset) & keys(real_config(**change), dataset)


def test_keys_and_seeds_stay_what_they_were_in_earlier_versions() -> None:
    config, dataset = real_config(), make_dataset()
    dataset.__dict__["sha256"] = "0f" * 32
    plan = plan_trials(config, [dataset])[5]
    assert (plan.key, learner_seed(config, dataset, plan)) == GOLDEN
    assert split_of(config, dataset, plan)[0][:8].tolist() == GOLDEN_ROWS


def test_more_folds_than_examples_are_refused(configure: Configure) -> None:
    config = configure(protocol={"kind": "cross_validation", "folds": 11})
    with pytest.raises(
        InvalidConfig, match=r"^protocol\.folds: must be at most the number of examples, 10 in Tiny, got 11$"
    ):
        plan_trials(config, [make_dataset(10, name="Tiny")])


def test_as_many_folds_as_examples_are_fine(configure: Configure) -> None:
    config = configure("nearest_mean", protocol={"kind": "cross_validation", "folds": 10, "repeats": 1})
    assert len(plan_trials(config, [make_dataset(10)])) == 10


def test_a_training_size_that_leaves_no_test_is_refused(configure: Configure) -> None:
    with pytest.raises(InvalidConfig, match=r"^protocol\.train_size: must be below .*, 20 in Tiny, got 20$"):
        plan_trials(configure(protocol=HOLDOUT), [make_dataset(20, name="Tiny")])


def test_two_data_sets_with_the_same_content_are_refused(configure: Configure) -> None:
    with pytest.raises(InvalidConfig, match=r"^datasets\[1\]: Twin has the same content as datasets\[0\], Blobs$"):
        plan_trials(configure(n_datasets=2), [make_dataset(), make_dataset(name="Twin")])


def test_data_sets_must_be_those_of_the_experiment(configure: Configure, dataset: Dataset) -> None:
    with pytest.raises(InvalidConfig, match=r"^datasets: 2 are listed, but 1 were given$"):
        plan_trials(configure(n_datasets=2), [dataset])


def test_data_sets_in_another_order_than_listed_are_refused() -> None:
    """Results told the numbers of one under the name of the other."""
    config = real_config(datasets=["iris", {"key": "synthetic_1", "rows": 200}])
    datasets = [load_dataset("iris"), load_dataset("synthetic_1", rows=200)]
    assert plan_trials(config, datasets)[0].sha256 == datasets[0].sha256
    with pytest.raises(InvalidConfig, match=r"^datasets\[0\]: must be Iris, as listed, got Synthetic-1$"):
        plan_trials(config, datasets[::-1])


@pytest.mark.parametrize(
    ("listed", "names", "told"),
    [
        (({"file": "a/tiny.csv"}, {"file": "a/tall.csv"}), ("tiny", "tall"), ("a/tiny.csv", "a/tall.csv")),
        (("iris", {"file": "tall.csv.gz"}), ("Iris", "tall"), ("Iris", "tall.csv.gz")),
        (
            ({"key": "synthetic_1", "rows": 120}, {"key": "synthetic_1", "rows": 140}),
            ("Synthetic-1", "Synthetic-1"),
            ("Synthetic-1, rows 120", "Synthetic-1, rows 140"),
        ),
    ],
)
def test_files_and_sizes_in_another_order_are_refused_too(
    listed: tuple[object, ...], names: tuple[str, str], told: tuple[str, str]
) -> None:
    datasets = [make_dataset(120, name=names[0]), make_dataset(140, name=names[1])]
    config = real_config(datasets=list(listed))
    assert plan_trials(config, datasets)[0].sha256 == datasets[0].sha256
    with pytest.raises(InvalidConfig, match=rf"^datasets\[0\]: must be {told[0]}, as listed, got {told[1]}$"):
        plan_trials(config, datasets[::-1])


def test_stored_data_sets_in_another_order_are_refused_too() -> None:
    datasets = [make_dataset(60), make_dataset(40)]
    config = real_config(
        datasets=[{"sha256": datasets[0].sha256, "name": "Tiny"}, {"sha256": datasets[1].sha256, "name": "Tall"}]
    )
    assert plan_trials(config, datasets)[0].sha256 == datasets[0].sha256
    with pytest.raises(InvalidConfig, match=r"^datasets\[0\]: must be Tiny, as listed, got Tall$"):
        plan_trials(config, datasets[::-1])


def test_more_than_a_million_trials_are_refused(configure: Configure, dataset: Dataset) -> None:
    config = configure(protocol={"kind": "cross_validation", "repeats": 100_000, "orders": 10})
    with pytest.raises(InvalidConfig, match=r"at most 1,000,000 trials are allowed, these would be 5,500,000$"):
        plan_trials(config, [dataset])


def test_a_hundred_thousand_trials_are_planned(configure: Configure, dataset: Dataset) -> None:
    config = configure(
        "drifting_mean", protocol={"kind": "cross_validation", "repeats": 2000, "folds": 5, "orders": 10}
    )
    assert len(plan_trials(config, [dataset])) == 100_000
