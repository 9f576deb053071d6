"""What the card of a data set says, against plain formulas and scipy."""

import numpy as np
import pytest
from scipy import stats

from ensembles.data import MISSING, Attribute, Dataset, Table, load_dataset
from ensembles.reports.dataset_summary import associations, missing_patterns, missing_shares, project, sample


def dataset_of(columns, labels=None, categories=("a", "b", "c")):
    """Return a data set of columns by name: floats are numeric, integers nominal."""
    numeric = [np.asarray(column).dtype.kind == "f" for column in columns.values()]
    attributes = [
        Attribute(name, "numeric") if is_numeric else Attribute(name, "nominal", categories)
        for name, is_numeric in zip(columns, numeric, strict=True)
    ]
    table = Table.from_columns(attributes, [np.asarray(column) for column in columns.values()])
    labels = np.arange(len(table)) % 2 if labels is None else labels
    return Dataset("made up", table, labels, ("no", "yes"), "wanted")


def test_correlations_are_those_of_scipy():
    iris = load_dataset("iris")
    for method, peer in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        matrix = associations(iris, method).matrix
        assert matrix.columns.tolist() == [*(attribute.name for attribute in iris.attributes), "class"]
        for i in range(4):
            for j in range(4):
                expected = 1.0 if i == j else peer(iris.table.numbers[:, i], iris.table.numbers[:, j])[0]
                assert matrix.iloc[i, j] == pytest.approx(expected)


def test_a_nominal_attribute_and_the_class_have_cramers_v():
    rng = np.random.default_rng(1)
    codes, labels = rng.integers(0, 3, 300), rng.integers(0, 2, 300)
    codes[labels == 1] = np.maximum(codes[labels == 1], 1)
    matrix = associations(dataset_of({"c": codes}, labels)).matrix
    table = np.array([[((codes == v) & (labels == k)).sum() for k in (0, 1)] for v in range(3)])
    assert matrix.loc["c", "wanted"] == pytest.approx(stats.contingency.association(table, method="cramer"))


def test_a_number_and_the_class_have_the_correlation_ratio():
    iris = load_dataset("iris")
    matrix = associations(iris).matrix
    for j, name in enumerate(matrix.columns[:4]):
        column = iris.table.numbers[:, j]
        groups = [column[iris.labels == k] for k in range(3)]
        between = sum(len(group) * (group.mean() - column.mean()) ** 2 for group in groups)
        assert matrix.loc[name, "class"] ** 2 == pytest.approx(between / ((column - column.mean()) ** 2).sum())


def test_pairs_leave_out_what_is_missing_and_constants_have_no_association():
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan])
    y = np.array([2.0, 4.0, 6.0, 8.0, np.nan, 100.0])
    columns = {"x": x, "y": y, "same": np.full(6, 3.0), "none": np.full(6, np.nan)}
    matrix = associations(dataset_of(columns)).matrix
    assert matrix.loc["x", "y"] == pytest.approx(1.0)
    assert matrix.loc[["same", "none"]].isna().all(axis=None)
    assert matrix.loc["wanted", "wanted"] == 1.0


def test_numbers_near_the_limits_are_correlated_too():
    x = np.array([1e150, -1e150, 5e149, 0.0])
    matrix = associations(dataset_of({"large": x, "small": x * 1e-300})).matrix
    assert matrix.loc["large", "small"] == pytest.approx(1.0)


def test_of_many_attributes_those_that_tell_the_class_are_shown():
    rng = np.random.default_rng(2)
    labels = np.arange(200) % 2
    columns = {f"x{j}": rng.normal(size=200) for j in range(60)}
    columns["x7"] = labels + 0.01 * columns["x7"]
    columns["x55"] = -labels + 0.01 * columns["x55"]
    found = associations(dataset_of(columns, labels))
    assert found.matrix.shape == (41, 41)
    assert {"x7", "x55", "wanted"} <= set(found.matrix.columns)
    assert (found.attributes, found.examples, found.sampled) == (60, 200, 200)


def test_values_beyond_the_fiftieth_count_as_one():
    codes = np.arange(400) % 120
    dataset = dataset_of({"c": codes}, codes % 2, tuple(f"v{k}" for k in range(120)))
    assert 0.5 < associations(dataset).matrix.loc["c", "wanted"] < 1.0


def test_what_is_missing_is_counted_alone_and_together():
    nan = np.nan
    columns = {"x": [1.0, nan, nan, 4.0, nan], "c": [0, MISSING, MISSING, 1, 2], "full": [1.0, 2.0, 3.0, 4.0, 5.0]}
    dataset = dataset_of(columns)
    assert missing_shares(dataset).to_numpy().tolist() == [["x", 3, 0.6], ["c", 2, 0.4]]
    assert missing_patterns(dataset).to_numpy().tolist() == [["x, c", 2, 0.4], ["x", 1, 0.2]]
    assert missing_shares(load_dataset("iris")).empty
    assert missing_patterns(load_dataset("iris")).empty


def test_missing_patterns_of_many_attributes_are_told_apart():
    rng = np.random.default_rng(3)
    holes = np.where(rng.random((50, 20)) < 0.2, np.nan, 1.0)
    dataset = dataset_of({f"x{j}": holes[:, j] for j in range(20)})
    expected = {}
    for row in holes:
        told = ", ".join(f"x{j}" for j in range(20) if np.isnan(row[j]))
        expected[told] = expected.get(told, 0) + 1
    for told, count, _ in missing_patterns(dataset).to_numpy().tolist():
        assert expected[told] == count


def test_a_projection_shows_the_directions_of_most_variance():
    iris = load_dataset("iris")
    found = project(iris)
    standard = (iris.table.numbers - iris.table.numbers.mean(axis=0)) / iris.table.numbers.std(axis=0)
    _, lengths, directions = np.linalg.svd(standard, full_matrices=False)
    assert np.abs(found.points) == pytest.approx(np.abs(standard @ directions[:2].T), abs=1e-9)
    assert found.explained == pytest.approx(tuple(lengths[:2] ** 2 / (lengths**2).sum()))
    assert np.array_equal(found.labels, iris.labels)


@pytest.mark.parametrize(
    "columns",
    [
        {"x": np.arange(9.0)},
        {"same": np.full(9, 2.0)},
        {"none": np.full(9, np.nan)},
        {"c": np.arange(9) % 3},
        {"none": np.full(9, MISSING)},
        {"huge": np.array([1e150, -1e150, 0.0] * 3), "c": np.arange(9) % 2},
    ],
    ids=str,
)
def test_every_data_set_has_a_projection_and_associations(columns):
    dataset = dataset_of(columns)
    found = project(dataset)
    assert np.isfinite(found.points).all()
    assert found.points.shape == (9, 2)
    assert 0 <= sum(found.explained) <= 1 + 1e-9
    assert associations(dataset, "spearman").matrix.shape == (len(columns) + 1,) * 2


def test_attributes_like_names_are_left_out_of_a_projection():
    dataset = dataset_of({"name": np.arange(60), "x": np.arange(60.0)}, None, tuple(f"v{k}" for k in range(60)))
    assert project(dataset).left_out == 1
    assert project(dataset).explained[0] == pytest.approx(1.0)


def test_a_sample_keeps_order_and_every_class():
    labels = np.zeros(5000, dtype=int)
    labels[4321] = 1
    some = sample(dataset_of({"x": np.arange(5000.0)}, labels), 100)
    assert 100 <= len(some) <= 102
    assert set(some.labels) == {0, 1}
    assert (np.diff(some.table.numbers[:, 0]) > 0).all()
    assert sample(some, 200) is some
