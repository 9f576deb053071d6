"""Combining by principal components: models that say nearly the same share their weight.

Merz & Pazzani (1999), Merz (1999).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from ensembles.declarations import choice, integer
from ensembles.methods.combining.models import Combination
from ensembles.methods.combining.out_of_fold import CombinedModels, Floats, ToldExamples, tell, tell_out_of_fold
from ensembles.methods.combining.pcr import Pcr
from ensembles.methods.combining.scann import Scann
from ensembles.methods.core.grid import folds_of
from ensembles.methods.core.ready import Task

__all__ = ["PrincipalComponentsCombiningClassifier"]

_COMBINERS: dict[str, type[Pcr | Scann]] = {"pcr": Pcr, "scann": Scann}


class PrincipalComponentsCombiningClassifier(Combination):
    """Combining by principal components: PCR* of Merz & Pazzani, and SCANN of Merz for classes.

    Every model tells of examples that it did not learn, fold by fold; of this the combiner learns. Then every model is
    trained on all examples. Folds are stratified and shuffled; there are fewer if a class has fewer examples than `folds`,
    and if no class has two, the combiner learns of what the models say of what they learned, with one component.

    `variant="pcr"`: for each class, the principal components of the models' probabilities of that class are made from
    their covariance, and whether an example is of the class is regressed on those of most variance. Models that say nearly
    the same share one component, and with it their weight. What all components together would give is least squares.

    `variant="scann"`: the classes that models predict, and the true class as if it were one more model, are written as an
    indicator matrix, whose correspondence analysis (a singular value decomposition of the standardised residuals) gives
    each class of each model, and each true class, a place. An example lies in the middle of the classes predicted for it,
    and is of the true class that is nearest.

    With `tune="grid"`, the variant is chosen by cross-validation.

    Attributes
    ----------
    n_components_ : array of int
        How many components are used: of each class, shape (n_classes,); with SCANN, shape (1,).
    model_weights_ : array of shape (n_classes, n_members_)
        What each model counts for each class; with PCR* only. They may be negative, and need not sum to one.

    Notes
    -----
    Of the papers only abstracts and others' accounts were at hand, so that what follows was decided here.

    How many components: as many as give the least squared error (PCR*), or the fewest errors (SCANN), when the combiner
    learns of all folds but one and is asked of that one; the fewest of equal ones. The models are not trained for it again.

    PCR* combines estimates of a number. A class is such a number here, 1 or 0, so that there is a regression for each class;
    columns are centred, weighted by the examples' weights, and not scaled. Values below 0 are 0, and the values of all
    classes are divided by their sum. A component with less than 1e-10 of all variance is rounding and is left out. To give
    each regression the probabilities of all classes was tried on seven data sets: as good on six, worse on Glass (0.650
    instead of 0.682).

    SCANN: a model that predicts the same class always is left out. Examples to predict have no true class, so that they are
    the mean of the models' points alone (standard coordinates), and are compared with the principal coordinates of the
    true classes; of classes that are equally near it is the more frequent. SCANN gives no probabilities; ours are shares
    by exp(-d²/2), d being the distance.

    References
    ----------
    Merz & Pazzani (1999), A principal components approach to combining regression estimates. Merz (1999), Using
    correspondence analysis to combine classifiers. Oza (2001), section 5.2, wants an online version.
    """

    key = "principal_components_combining"
    name = "Principal components combining"
    position = 376
    summary = "Combines models by the principal components of what they say, so that those alike share their weight."
    source = "Merz & Pazzani (1999); Merz (1999)"
    grid = {"variant": ("pcr", "scann")}

    variant: str = choice(
        default="pcr",
        label="Variant",
        help="Combine the models' class probabilities by regression, or their predicted classes by nearness.",
        choices=("pcr", "scann"),
        labels=("PCR*, by regression", "SCANN, by the nearest class"),
    )
    folds: int = integer(
        default=5, label="Folds", help="In which models tell of examples that they did not learn.", low=2, high=100
    )
    n_components: int = integer(
        default=0,
        label="Components",
        help="How many are used; 0: as many as cross-validation chooses.",
        low=0,
        high=10_000,
    )

    def _fitted(self, task: Task) -> CombinedModels:
        settings, n_classes = task.settings, int(task.labels.max()) + 1
        hard, combiner = settings["variant"] == "scann", _COMBINERS[str(settings["variant"])]
        folds = folds_of(task.labels, int(settings["folds"]), task.seed)
        n_fits = len(self._learners(str(settings["models"]))) * (len(folds) + 1)
        models = [one for _, one in self._combined(task, n_fits=n_fits)]
        told = tell_out_of_fold(models, task.inputs, task.labels, task.weights, folds, hard=hard)
        trained = [clone(model).fit(task.inputs, task.labels, sample_weight=task.weights) for model in models]
        if not folds:
            told = tell(trained, task.inputs, n_classes, hard=hard)
        weights = np.ones(len(told)) if task.weights is None else task.weights
        learned = combiner.learned(ToldExamples(told, task.labels, weights), folds, int(settings["n_components"]))
        return CombinedModels(trained, learned, n_classes, hard=hard)

    @property
    def n_components_(self) -> npt.NDArray[np.int64]:
        """How many components are used: of each class (PCR*), or in an array of one (SCANN)."""
        n_components: npt.NDArray[np.int64] = self._combiner("n_components_").n_components
        return n_components

    @property
    def model_weights_(self) -> Floats:
        """What each model counts for each class, shape (n_classes, n_members_); with PCR* only."""
        combiner = self._combiner("model_weights_")
        if not isinstance(combiner, Pcr):
            raise AttributeError(f"{self.key}: model_weights_ are those of PCR*, SCANN has none")
        return combiner.weights

    def _combiner(self, asked: str) -> Any:
        self._check_learned()
        if not isinstance(self.estimator_, CombinedModels):
            raise AttributeError(f"{self.key} has no {asked}: all examples were of one class, and nothing is combined")
        return self.estimator_.combiner_
