"""Any scikit-learn classifier as base model of a batch method.

A member is a fitted clone. It reads numbers: numeric attributes in standard deviations from the mean of what the member
learns, missing ones at that mean; then an input for "missing" for each numeric attribute that lacks values in training; then
an input for each value of each nominal attribute, "missing" among them where it occurs.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import BaseDecisionTree, DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from ensembles.data.table import MISSING, Schema, Table
from ensembles.declarations import argument
from ensembles.draws import draw_counts, entropy_of, stream
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.checking import FEW_OF_EACH
from ensembles.learners.core.learner import CATEGORICAL
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.tree_size import TreeSize
from ensembles.wording import written

__all__ = ["SklearnClassifier", "SklearnModel", "as_base_model", "why_not_online"]

_LIMIT = 1e6  # deviations from the mean: trees of scikit-learn read single precision
_MOST_COPIES = 10  # times the examples; beyond this a sample stands for the copies


class Fitted(NamedTuple):
    """One member that has learned: no estimator where it saw a single class."""

    estimator: Any
    classes: npt.NDArray[np.int64]
    centre: npt.NDArray[np.float64]  # (numeric attributes,)
    scale: npt.NDArray[np.float64]


class SklearnMembers(NamedTuple):
    """Members that are Python objects, None where one has learned nothing."""

    fitted: list[Fitted | None]
    seed: int
    lacking: npt.NDArray[np.bool_]  # (attributes,) which have missing values in training
    n_numeric: int


class SklearnModel(BaseModel):
    """A base model whose members scikit-learn fits; subclasses say as what (`template`).

    Where the classifier takes no weights, an example of whole weight w is learned in w copies; of other weights, or too many
    copies, a sample is learned, as many examples as there are, drawn in proportion to their weights. Relative weights, see
    `fit`, are one on average first.
    """

    learns_online = False
    in_threads = False  # to silence warnings of a fit is to do so for the whole process
    random_state = None

    def template(self) -> Any:
        """Return the classifier of which every member is a clone."""
        raise NotImplementedError

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> SklearnMembers:
        lacking = np.zeros(len(schema.attributes), dtype=np.bool_)
        return SklearnMembers([None] * n_members, entropy_of(self.random_state), lacking, len(schema.numeric))

    def ensure_capacity(self, members: SklearnMembers, table: Table) -> SklearnMembers:
        lacking = members.lacking.copy()
        lacking[list(table.schema.nominal)] |= (table.codes == MISSING).any(axis=0)
        lacking[list(table.schema.numeric)] |= np.isnan(table.numbers).any(axis=0)
        return members._replace(lacking=lacking)

    def rows(self, members: SklearnMembers, table: Table, *, learning: bool) -> Rows:
        """Return the examples with all inputs as their numbers, not yet scaled."""
        return Rows(table.codes, _inputs(table, members.lacking), np.empty((len(table), 0), dtype=np.int32))

    def fit_member(
        self,
        members: SklearnMembers,
        m: int,
        rows: Rows,
        labels: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> SklearnMembers:
        shown = self._shown(weights, stream(members.seed, "sklearn_samples", m))
        X, y, weights = rows.numbers[shown], labels[shown], weights[shown]
        if not self.weighted:
            weights = np.ones(len(y))
        centre, scale = _moments(X[:, : members.n_numeric], weights)
        classes, estimator = np.unique(y), None
        if len(classes) > 1:
            estimator = _prepared(self.template(), len(y), stream(members.seed, "sklearn_seeds", m))
            given = {"sample_weight": weights} if self.weighted else {}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # the same from each of a hundred members
                warnings.filterwarnings("ignore", FEW_OF_EACH, UserWarning)
                estimator.fit(_scaled(X, centre, scale), y, **given)
        members.fitted[m] = Fitted(estimator, classes, centre, scale)
        return members

    def _shown(self, weights: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return which examples a member learns, with repetitions where its classifier takes no weights."""
        shown = np.flatnonzero(weights)
        if self.weighted:
            return shown
        copies = weights
        if (weights != np.floor(weights)).any() or weights.sum() > _MOST_COPIES * len(weights):
            copies = draw_counts(weights, len(shown), rng)
        return np.repeat(np.arange(len(weights)), copies.astype(np.int64))

    def classes_of(self, members: SklearnMembers, m: int, rows: Rows, n_classes: int) -> npt.NDArray[np.int64]:
        member = members.fitted[m]
        if member is None:
            return np.full(len(rows.codes), -1)
        if member.estimator is None or not len(rows.codes):  # scikit-learn refuses to predict no example
            return np.full(len(rows.codes), member.classes[0])
        predicted: npt.NDArray[Any] = member.estimator.predict(_scaled(rows.numbers, member.centre, member.scale))
        return predicted.astype(np.int64)

    def probabilities_of(self, members: SklearnMembers, m: int, rows: Rows, n_classes: int) -> npt.NDArray[np.float64]:
        """Return the classifier's probabilities, or 1 for the class it predicts where it has none."""
        member = members.fitted[m]
        if member is None or not len(rows.codes):
            return np.full((len(rows.codes), n_classes), 1.0 / n_classes)
        probabilities = np.zeros((len(rows.codes), n_classes))
        if hasattr(member.estimator, "predict_proba"):
            X = _scaled(rows.numbers, member.centre, member.scale)
            probabilities[:, member.classes] = np.maximum(member.estimator.predict_proba(X), 0.0)
            shares: npt.NDArray[np.float64] = probabilities / probabilities.sum(axis=1, keepdims=True)
            return shares
        probabilities[np.arange(len(probabilities)), self.classes_of(members, m, rows, n_classes)] = 1.0
        return probabilities

    def votes_of(
        self,
        members: SklearnMembers,
        weights: npt.NDArray[np.float64],
        rows: Rows,
        n_classes: int,
        *,
        soft: bool = False,
    ) -> npt.NDArray[np.float64]:
        votes, row = np.zeros((len(rows.codes), n_classes)), np.arange(len(rows.codes))
        for m, weight in enumerate(weights):
            if soft:
                votes += weight * self.probabilities_of(members, m, rows, n_classes)
            elif members.fitted[m] is not None:
                votes[row, self.classes_of(members, m, rows, n_classes)] += weight
        return votes

    def _importances_of(self, members: SklearnMembers, m: int, schema: Schema) -> npt.NDArray[np.float64] | None:
        """Return the classifier's own importances, those of the inputs of an attribute added up."""
        if not hasattr(type(self.template()), "feature_importances_"):
            return None
        member, shares = members.fitted[m], np.zeros(len(schema.attributes))
        if member is not None and member.estimator is not None:
            np.add.at(shares, _attributes_of_inputs(schema, members.lacking), member.estimator.feature_importances_)
        return shares

    def size_of(self, members: SklearnMembers, m: int) -> TreeSize | None:
        if not isinstance(self.template(), BaseDecisionTree):
            return None
        member = members.fitted[m]
        if member is None or member.estimator is None:  # it has learned nothing, or saw a single class
            n_nodes = 0 if member is None else 1
            return TreeSize(n_nodes, n_nodes, 0)
        tree = member.estimator
        return TreeSize(int(tree.tree_.node_count), int(tree.get_n_leaves()), int(tree.get_depth()))


class SklearnClassifier(SklearnModel):
    """Any scikit-learn classifier as base model; methods put one around the classifiers they are given."""

    name = "scikit-learn classifier"
    family = "other"
    summary = "Whatever classifier of scikit-learn one chooses."
    source = "Pedregosa et al. (2011)"

    estimator: Any = argument(
        default=None,
        what="classifier or None",
        help="With `fit` and `predict`; a decision tree if None. A pipeline is a classifier as well.",
    )
    categorical_features: Any = CATEGORICAL
    random_state: Any = argument(
        default=None,
        what="int, RandomState or None",
        help="Seed of every `random_state` that the classifier leaves open, another one for each member. Without it, an "
        "ensemble hands down its own.",
    )

    @property
    def key(self) -> str:  # type: ignore[override]  # a plain attribute of the others
        """What errors call it."""
        return f"sklearn:{type(self.template()).__name__}"

    @property
    def weighted(self) -> bool:  # type: ignore[override]  # a plain attribute of the others
        """Whether the classifier takes weights."""
        return bool(has_fit_parameter(self.template(), "sample_weight"))

    def template(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator


def as_base_model(estimator: Any) -> BaseModel | None:
    """Return a base model as it is, a classifier as base model, and None for anything else."""
    if isinstance(estimator, BaseModel):
        return estimator
    usable = hasattr(estimator, "fit") and hasattr(estimator, "get_params") and not isinstance(estimator, type)
    return SklearnClassifier(estimator) if usable and is_classifier(estimator) else None


def why_not_online(model: BaseModel) -> str:
    """Return what online methods must be given, and what came: a base model that does not learn online here."""
    given = model.template() if isinstance(model, SklearnClassifier) else None
    if hasattr(given, "partial_fit"):
        return (
            f"be a base model of this package that learns online, got {written(given)}, whose partial_fit is not used"
        )
    return f"learn online, example by example, got {model.key}, which sees all examples at once"


def _inputs(table: Table, lacking: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return the inputs of each example, NaN where a number is missing; a value never seen switches nothing on."""
    parts = [table.numbers, np.isnan(table.numbers[:, lacking[list(table.schema.numeric)]])]
    for j, position in enumerate(table.schema.nominal):
        n_values = len(table.schema.attributes[position].categories)
        values = [*range(n_values), MISSING] if lacking[position] else [*range(n_values)]
        parts.append(table.codes[:, j, None] == np.array(values, dtype=np.int32))
    return np.ascontiguousarray(np.concatenate(parts, axis=1, dtype=np.float64))


def _attributes_of_inputs(schema: Schema, lacking: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the attribute of each input, in the order of `_inputs`."""
    owners = [*schema.numeric, *(position for position in schema.numeric if lacking[position])]
    for position in schema.nominal:
        owners.extend([position] * (len(schema.attributes[position].categories) + int(lacking[position])))
    return np.array(owners, dtype=np.int64)


def _moments(
    numbers: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return mean and standard deviation of each column, leaving missing values out; 0 and 1 where there is nothing."""
    there = ~np.isnan(numbers)
    total = np.maximum(weights @ there, np.finfo(float).tiny)
    centre = weights @ np.where(there, numbers, 0.0) / total
    variance = weights @ np.where(there, numbers - centre, 0.0) ** 2 / total
    return centre, np.where(variance > 0.0, np.sqrt(variance), 1.0)


def _scaled(
    X: npt.NDArray[np.float64], centre: npt.NDArray[np.float64], scale: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    scaled, n = X.copy(), len(centre)
    scaled[:, :n] = np.nan_to_num(np.clip((X[:, :n] - centre) / scale, -_LIMIT, _LIMIT))
    return scaled


def _prepared(template: Any, n_examples: int, rng: np.random.Generator) -> Any:
    """Return a clone whose open random states are numbers drawn here, and that asks no more neighbors than there are."""
    settings = template.get_params()
    states = [name for name in sorted(settings) if name.split("__")[-1] == "random_state" and settings[name] is None]
    drawn = {name: int(rng.integers(2**31 - 1)) for name in states}
    if "n_neighbors" in settings:
        drawn["n_neighbors"] = min(settings["n_neighbors"], n_examples)
    return clone(template).set_params(**drawn)
