"""Methods with the base models that they can be tried with; None for a method that has none."""

from ensembles.libraries import lack_of
from ensembles.methods.core.base import Ensemble
from ensembles.registry import base_models, methods

__all__ = [
    "ENSEMBLES",
    "INSTALLED",
    "WRAPPED",
    "bases_of",
    "first_base",
    "has_members",
    "learns_online",
    "small",
    "wrapped",
]

INSTALLED = [key for key, entry in methods().items() if lack_of(entry.cls) is None]
"""Methods whose libraries are there."""

ENSEMBLES = [key for key, entry in methods().items() if issubclass(entry.cls, Ensemble)]
"""Methods whose members are base models that can be asked one by one."""

WRAPPED = "sklearn:decision_tree"
"""The model of scikit-learn that stands for the others in methods."""


def wrapped(base):
    """Whether a base model is one of scikit-learn that another stands for, as one class wraps them all."""
    return str(base).startswith("sklearn:") and base != WRAPPED


def bases_of(method):
    """Return the keys of the base models of a method, or None alone."""
    return methods()[method].bases or (None,)


def first_base(method):
    """Return the base model that a method is tried with where one is enough."""
    return bases_of(method)[0]


def learns_online(method, base):
    """Whether a method with a base model learns example by example."""
    return methods()[method].online and (base is None or base_models()[base].online)


def small(method, n_members):
    """Return settings with which a method is trained quickly: few members, or two quick models in two folds."""
    quick = {"n_estimators": n_members, "models": "naive_bayes+decision_stump", "folds": 2}
    return {one.name: quick[one.name] for one in methods()[method].parameters if one.name in quick}


def has_members(method):
    """Whether the number of members of a method can be set."""
    return any(parameter.name == "n_estimators" for parameter in methods()[method].parameters)
