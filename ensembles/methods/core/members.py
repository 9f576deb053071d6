"""The members of a trained ensemble, each as a base model that predicts by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.keeping import copy_of

__all__ = ["Estimators", "WithMembers"]

_SHARED = ("_schema", "_nominal", "_unit", "n_features_in_", "feature_names_in_")


class Estimators(Sequence[BaseModel]):
    """The members of an ensemble that vote, in their order; each is made when it is asked for, and copies nothing.

    They show the members as they are, and learn nothing themselves: `partial_fit` of one is refused, and `fit` makes a model
    of its own of it.
    """

    def __init__(self, ensemble: Any, classes: Any) -> None:
        self._ensemble, self._classes, self._made = ensemble, classes, dict[int, BaseModel]()
        self._length = int(ensemble.n_members_)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> BaseModel: ...
    @overload
    def __getitem__(self, place: slice) -> list[BaseModel]: ...
    def __getitem__(self, place: int | slice) -> BaseModel | list[BaseModel]:
        if isinstance(place, slice):
            return [self[m] for m in range(self._length)[place]]
        m = range(self._length)[place]
        if m not in self._made:
            self._made[m] = self._member(m)
        return self._made[m]

    def __repr__(self) -> str:
        return f"<{self._length} members of {type(self._ensemble).__name__}>"

    def _member(self, m: int) -> BaseModel:
        ensemble = self._ensemble
        base_model = ensemble.base_model()
        member: BaseModel = copy_of(base_model)
        shared = {name: getattr(ensemble, name) for name in _SHARED if hasattr(ensemble, name)}
        own = {
            "_members": ensemble._members,
            "_member": ensemble._place_of(m),
            "classes_": self._classes,
            "n_members_": 1,
        }
        for name, value in {**shared, **own, "_base_model": base_model, "_kept": base_model}.items():
            setattr(member, name, value)
        return member


class WithMembers:
    """What ensembles have whose members are base models."""

    @property
    def estimators_(self) -> Estimators:
        """The members that vote, each a base model that predicts by itself, with the classes of the ensemble."""
        learner: Any = self
        learner._check_learned()
        if "_members" not in vars(self) or not self._shows_members:
            raise AttributeError(f"{type(self).__name__} has no members that are base models by themselves")
        return Estimators(self, self._classes_of_members)

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Mean over the members that vote, by their votes, of the shares that trees tell, shape (n_attributes,)."""
        learner: Any = self
        members = learner.estimators_
        told = [each.feature_importances_ for each in members]
        votes = np.maximum(learner.member_weights_, 0.0)
        mean = np.average(told, axis=0, weights=votes if votes.any() else None)
        total = mean.sum()
        return mean / total if total > 0 else mean

    def _place_of(self, m: int) -> int:
        """Return the place of member m of those that vote among all that are laid out."""
        return m

    @property
    def _classes_of_members(self) -> npt.NDArray[Any]:
        learner: Any = self
        known: npt.NDArray[Any] = learner.classes_
        return known

    @property
    def _shows_members(self) -> bool:
        """Whether it is known which classes members tell apart: who lays them out otherwise says so beside it."""
        order = type(self).__mro__
        laid_out, known = (
            next(order.index(kind) for kind in order if name in vars(kind))
            for name in ("_lay_out", "_classes_of_members")
        )
        return known <= laid_out
