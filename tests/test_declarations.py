"""Parameters that are declared once: constructor, signature, manual page and what scikit-learn asks for follow."""

import inspect
import math
import pickle
import pydoc

import numpy as np
import pytest
from sklearn.base import clone

import ensembles
from ensembles import (
    BaggingClassifier,
    LeveragingBaggingClassifier,
    NaiveBayesClassifier,
    OnlineBaggingClassifier,
    PrimedOnlineBoostingClassifier,
)
from ensembles.declarations import HasParameters, argument, choice, flag, integer, real
from ensembles.errors import InvalidParameter
from ensembles.parameters import Argument, Real
from ensembles.registry import base_models, methods
from tests.examples import random_examples

LEARNERS = [entry.cls for entry in [*methods().values(), *base_models().values()]]


class Forest(HasParameters):
    """A forest.

    Notes
    -----
    None.
    """

    n_trees: int = integer(default=10, label="Trees", help="How many.", low=1)
    seed: int | None = argument(default=None, what="int or None", help="What is drawn.", kw_only=True)
    height: float = real(default=2.5, label="Height", help="In metres.", details="In metres, not in feet.", low=0.0)


class Wood(Forest):
    """A wood."""

    kind: str = choice(
        default="fir", label="Kind", help="Of trees.", choices=("fir", "oak"), labels=("needles", "leaves")
    )
    n_trees: int = 20
    wild: bool = flag(default=False, label="Wild", help="Nobody cuts it.")


class GentleBagging(OnlineBaggingClassifier):
    """As people write it in a file of their own: another default, and one parameter more."""

    rate: float = 0.5
    patience: int = integer(default=3, label="Patience", help="How long.", low=1, high=9)


class OldBagging(BaggingClassifier):
    """As people wrote it before: with a constructor of its own."""

    def __init__(self, estimator=None, n_estimators=7):
        super().__init__(estimator, n_estimators)


def test_the_signature_is_what_was_declared_bases_first_and_seeds_last():
    assert str(inspect.signature(Forest)) == "(n_trees=10, height=2.5, seed=None)"
    assert str(inspect.signature(Wood)) == "(n_trees=20, height=2.5, kind='fir', wild=False, seed=None)"
    assert [parameter.name for parameter in Wood.parameters] == ["n_trees", "height", "kind", "wild"]


def test_parameters_are_taken_by_position_and_by_name():
    wood = Wood(3, 1.5, wild=True, seed=4)
    assert vars(wood) == {"n_trees": 3, "height": 1.5, "kind": "fir", "wild": True, "seed": 4}
    assert Wood(3, 1.5, "oak", True, 4).seed == 4


@pytest.mark.parametrize(
    ("given", "named", "sentence"),
    [
        ((1, 2.0, 3, 4), {}, "^Forest takes 3 parameters at most, got 4$"),
        ((1,), {"n_trees": 2}, "^Forest: n_trees was given twice$"),
        ((), {"trees": 2}, "^Forest: no parameter is called trees; there are n_trees, height, seed$"),
    ],
)
def test_what_the_constructor_does_not_take_gets_a_sentence(given, named, sentence):
    with pytest.raises(TypeError, match=sentence):
        Forest(*given, **named)


@pytest.mark.parametrize("height", [math.inf, math.nan, -1.0])
def test_what_is_said_to_be_allowed_is_allowed(height):
    parameter = Forest.parameters[-1]
    with pytest.raises(InvalidParameter, match=rf"^forest: height must be a number in \[0, inf\), got {height}$"):
        parameter.check("forest", height)
    assert parameter.describe()["allowed"] == "a number in [0, inf)"
    assert Real("anything").allowed() == "a number in (-inf, inf)"
    assert Real("share", low=0.0, high=1.0, open_low=True).allowed() == "a number in (0, 1]"


def test_a_default_that_is_not_allowed_is_refused_when_the_class_is_made():
    with pytest.raises(InvalidParameter, match=r"^Desert: default of n_trees: n_trees must be an integer in \[1, "):
        type("Desert", (Forest,), {"n_trees": 0})


def test_the_manual_page_describes_every_parameter_before_the_notes():
    assert inspect.getdoc(Wood) == (
        "A wood.\n\nParameters\n----------\n"
        "n_trees : int in [1, 2147483647], default=20\n    Trees. How many.\n"
        "height : float in [0, inf), default=2.5\n    Height. In metres, not in feet.\n"
        'kind : {"fir", "oak"}, default="fir"\n    Kind. Of trees. "fir": needles; "oak": leaves.\n'
        "wild : bool, default=False\n    Wild. Nobody cuts it.\n"
        "seed : int or None, default=None\n    What is drawn."
    )
    assert inspect.getdoc(Forest).endswith("    What is drawn.\n\nNotes\n-----\nNone.")
    assert "n_trees : int in [1, 2147483647], default=20" in pydoc.render_doc(Wood, renderer=pydoc.plaintext)


@pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)
def test_every_learner_tells_scikit_learn_and_its_readers_what_is_declared(cls):
    names = list(inspect.signature(cls).parameters)
    assert sorted(names) == sorted(cls().get_params(deep=False))
    settings = [parameter.name for parameter in cls.parameters]
    assert settings == [name for name in names if not isinstance(cls._declared[name], Argument)]
    for name in names:
        assert f"\n{name} : " in inspect.getdoc(cls)
    if "estimator" in names:
        assert names[0] == "estimator"
    if "random_state" in names and any(cls is entry.cls for entry in methods().values()):
        assert all(isinstance(cls._declared[name], Argument) for name in names[names.index("random_state") :])


def test_the_order_of_parameters_is_that_of_the_first_release():
    assert list(inspect.signature(PrimedOnlineBoostingClassifier).parameters) == [
        "estimator", "n_estimators", "prime_fraction", "prime_cap", "pad", "draw", "norm", "priming",
        "vote", "random_state", "n_jobs",
    ]  # fmt: skip
    assert list(inspect.signature(ensembles.HoeffdingTreeClassifier).parameters)[-2:] == [
        "random_state",
        "categorical_features",
    ]


def test_clone_set_params_and_pickle_keep_what_was_set():
    model = GentleBagging(NaiveBayesClassifier(), 5, patience=4)
    model.set_params(rate=2.0, estimator__smoothing="none")
    for twin in (clone(model), pickle.loads(pickle.dumps(model))):
        assert {k: v for k, v in twin.get_params().items() if k != "estimator"} == {
            "n_estimators": 5, "rate": 2.0, "vote": "hard", "patience": 4, "random_state": None, "n_jobs": None,
            "estimator__smoothing": "none",
        } | {k: v for k, v in twin.get_params().items() if k.startswith("estimator__")}  # fmt: skip
    with pytest.raises(ValueError, match="Invalid parameter 'speed'"):
        model.set_params(speed=3)


def test_a_subclass_of_ones_own_changes_a_default_and_is_checked():
    assert str(inspect.signature(GentleBagging)) == (
        "(estimator=None, n_estimators=100, rate=0.5, vote='hard', patience=3, random_state=None, n_jobs=None)"
    )
    assert LeveragingBaggingClassifier().rate == 6.0
    assert OnlineBaggingClassifier().rate == 1.0
    X, y, _ = random_examples(0, n=40)
    assert len(GentleBagging(n_estimators=2).fit(X, y).predict(X)) == 40
    with pytest.raises(InvalidParameter, match=r"^online_bagging: patience must be an integer in \[1, 9\], got 10$"):
        GentleBagging(n_estimators=2, patience=10).fit(X, y)


def test_a_constructor_of_ones_own_stays():
    assert OldBagging().get_params() == {"estimator": None, "n_estimators": 7}
    X, y, _ = random_examples(0, n=40)
    twin = clone(OldBagging()).fit(X, y)
    assert twin.n_members_ == 7
    assert np.isin(twin.predict(X), y).all()
