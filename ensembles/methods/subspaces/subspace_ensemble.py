"""What methods share whose members each see some of the attributes and learn in batch."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice, real
from ensembles.draws import entropy_of
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.subspace_model import SubspaceModel
from ensembles.methods.core.base import Ensemble
from ensembles.parameters import check_parameters

__all__ = ["SOFT_VOTE", "SubspaceEnsemble"]

SOFT_VOTE = choice(
    default="soft",
    label="Votes",
    help="Average the members' class probabilities, or count each member's class.",
    choices=("soft", "hard"),
    labels=("average of probabilities", "one member, one vote"),
    lasting=False,
)


class SubspaceEnsemble(Ensemble):
    """An ensemble of members that each see some of the attributes; subclasses have a parameter `vote`."""

    family = "subspaces"
    weighted = False
    measures_errors = False
    max_features: float = real(
        default=0.5,
        label="Attributes a member sees",
        help="Share of the attributes, drawn at random for each member.",
        low=0.0,
        high=1.0,
        open_low=True,
    )

    @property
    def estimators_features_(self) -> list[npt.NDArray[np.int64]]:
        """Positions of the attributes that each member sees, as of scikit-learn's bagging."""
        self._check_learned()
        return [view.seen.copy() for view in self._members]

    def base_model(self) -> SubspaceModel:
        """Return the base model that lays out members, each with its attributes."""
        return cast("SubspaceModel", super().base_model())

    def _new_base_model(self) -> SubspaceModel:
        base = super()._new_base_model()
        check_parameters(base)
        return SubspaceModel(base, self.max_features)

    def _seeded(self, base_model: BaseModel) -> SubspaceModel:
        return SubspaceModel(base_model.estimator, self._given.max_features, entropy_of(self.random_state))
