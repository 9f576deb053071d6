"""A model that has learned, to be taken home: it takes tables as people hold them and says classes by their names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.data.dataset import frame_of
from ensembles.data.encoding import merge_schemas
from ensembles.data.raw_columns import labels_of_raw, table_of_raw
from ensembles.data.table import Attribute, Schema, Table
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.evaluation.object_file import read_objects, write_objects

__all__ = ["Model", "load_model", "model_from_bytes"]

_NEAR = 1e-6  # probabilities may differ by as little between processors


class Model:
    """A trained learner with the attributes and classes that it knows.

    Parameters
    ----------
    learner : estimator
        Trained on tables of `schema`, or of what the encoder makes of them, and on the names of classes.
    schema : Schema
    facts : dict
        What it was trained on, and how, as plain values.
    examples : Table
        Some examples, of which the model tells the same wherever it is loaded.
    encoder : AttributeEncoder, optional
        Fitted.
    names : sequence of str, optional
        Of the classes, where the learner was trained on their positions, as in trials.

    Attributes
    ----------
    classes_ : ndarray of str
    """

    _names: npt.NDArray[Any] | None = None

    def __init__(
        self,
        learner: Any,
        schema: Schema,
        facts: dict[str, Any],
        examples: Table,
        encoder: Any = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.learner, self.encoder, self.facts = learner, encoder, facts
        self._schema = schema
        if names is not None:
            self._names = np.array(names, dtype=object)
        self._kept = (examples.schema, examples.codes, examples.numbers)

    def __repr__(self) -> str:
        return f"<Model: {self.learner!r} of {self.facts.get('dataset', 'data')}>"

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Names of the classes, as columns of `predict_proba`."""
        return self._named(self.learner.classes_)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes that it looks at."""
        return self._schema.attributes

    @property
    def example(self) -> pd.DataFrame:
        """A few examples as a table: what `predict` takes. Their values come from the data, their rows do not."""
        return frame_of(self._examples)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the names of the classes, shape (n_examples,).

        Parameters
        ----------
        X : DataFrame, Arrow table, or mapping of columns
            Columns are found by name, others do not count. Nominal values that were never seen are unknown; cells may be
            missing.

        Raises
        ------
        InvalidData
            An attribute is not there, or a numeric one holds what is no number.
        """
        return self._named(self.learner.predict(self._encoded(X)))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class, shape (n_examples, n_classes), columns as `classes_`."""
        if not hasattr(self.learner, "predict_proba"):
            raise InvalidParameter(f"{_name(self.learner)}: it gives no probabilities")
        probabilities: npt.NDArray[np.float64] = self.learner.predict_proba(self._encoded(X))
        return probabilities

    def partial_fit(self, X: Any, y: Any) -> Model:
        """Go on learning from more examples, if the learner learns online; return the model.

        Parameters
        ----------
        y : array of shape (n_examples,)
            Names of the classes, or what files say for them: numbers and truth values.

        Raises
        ------
        InvalidParameter
            The learner learns in batch only.
        InvalidData
            As `predict`, or an example has no class.
        """
        if not hasattr(self.learner, "partial_fit"):
            raise InvalidParameter(f"{_name(self.learner)}: it does not learn example by example, so train it anew")
        table = table_of_raw(X, self._schema, widen=self.encoder is None)
        schema = merge_schemas(self._schema, table.schema)
        names, classes = self._known(labels_of_raw(y, self.classes_.tolist()))
        self.learner.partial_fit(table if self.encoder is None else self.encoder.transform(table), classes)
        self._schema, self._names = schema, names
        return self

    def to_bytes(self) -> bytes:
        """Return the model as a file; raise `InvalidData` where it could not be read without running code."""
        told = {"predicted": self.predict(self._examples)}
        if hasattr(self.learner, "predict_proba"):
            told["probabilities"] = self.predict_proba(self._examples)
        return write_objects(
            {"model": self, "told": told}, f"{_name(self.learner)}: its model cannot be kept in a file"
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, for `load_model`."""
        if not isinstance(path, str | PathLike):
            raise InvalidParameter(f"save: path must be that of a file, got {path!r}")
        content = self.to_bytes()
        try:
            Path(path).write_bytes(content)
        except OSError as error:
            raise InvalidParameter(f"save: {path} cannot be written ({error.strerror})") from error

    @property
    def _examples(self) -> Table:
        return Table(*self._kept)

    def _named(self, classes: npt.ArrayLike) -> npt.NDArray[Any]:
        known = np.asarray(classes)
        return known if self._names is None else self._names[known]

    def _known(self, labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any] | None, npt.NDArray[Any]]:
        """Return the names of all classes, with those of `labels`, and the labels as the learner knows them."""
        if self._names is None:
            return None, labels
        positions = {name: position for position, name in enumerate(self._names)}
        for label in labels:
            positions.setdefault(label, len(positions))
        return np.array([*positions], dtype=object), np.array([positions[label] for label in labels], dtype=np.int64)

    def _encoded(self, X: Any) -> Table:
        table = table_of_raw(X, self._schema)
        encoded: Table = table if self.encoder is None else self.encoder.transform(table)
        return encoded


def load_model(path: str | PathLike[str], packages: Collection[str] = ()) -> Model:
    """Return a model that was taken home; nothing in the file is run.

    Parameters
    ----------
    path : path of a file `model.skops`
    packages : collection of str
        Whose objects may be in it besides those of this package and what its learners are made of: packages that learners
        of your own come from.

    Raises
    ------
    InvalidData
        It is no such file, holds objects of other packages, or tells other classes here than where it was written.
    """
    if not isinstance(path, str | PathLike):
        raise InvalidData(f"load_model: path must be that of a file, got {path!r}")
    if isinstance(packages, str):
        raise InvalidData(f"load_model: packages must be a list of names, got {packages!r}")
    try:
        return model_from_bytes(Path(path).read_bytes(), packages)
    except OSError as error:
        raise InvalidData(f"{path}: cannot be read ({error.strerror})") from error
    except InvalidData as error:
        raise InvalidData(f"{path}: {error}") from error


def model_from_bytes(content: bytes, packages: Collection[str] = ()) -> Model:
    """Return the model of `Model.to_bytes`; as `load_model`."""
    read = read_objects(content, packages)
    if not isinstance(read, dict) or not isinstance(read.get("model"), Model) or not isinstance(read.get("told"), dict):
        raise InvalidData("it must hold a model as it is exported here, and holds something else")
    model: Model = read["model"]
    told = read["told"]
    try:
        same = (model.predict(model._examples) == told["predicted"]).all()
        if same and "probabilities" in told:
            same = np.allclose(model.predict_proba(model._examples), told["probabilities"], rtol=0.0, atol=_NEAR)
    except Exception as error:
        raise InvalidData(f"its model cannot be asked here: {error}; {_written_with(model)}") from error
    if not same:
        raise InvalidData(f"its model tells other classes here than where it was written; {_written_with(model)}")
    return model


def _written_with(model: Model) -> str:
    versions = model.facts.get("versions", {})
    return f"it was written with {', '.join(f'{name} {version}' for name, version in versions.items())}"


def _name(learner: Any) -> str:
    return str(getattr(learner, "key", type(learner).__name__))
