"""The registry finds the learners of the package by itself, takes those of others, and says what they lack."""

import ast
import pathlib
import subprocess
import sys

import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import ensembles
from ensembles import BaggingClassifier, NaiveBayesClassifier, OnlineBaggingClassifier
from ensembles.errors import InvalidParameter, NotFound
from ensembles.experiments.learner_choice import base_rows, method_rows
from ensembles.registry import base_models, find_learner, learner_classes, make_learner, methods, register, unregister

ORDER = {
    "method": "single bagging online_bagging fixed_fraction_bagging bayesian_bagging online_bayesian_bagging wagging "
    "adwin_bagging leveraging_bagging adaboost arc_x4 blocked_boosting online_boosting primed_online_boosting "
    "online_arc_x4 online_mbbm adaboost_olm osboost ogboost weighted_majority winnow bayesian_ensemble sgd_ensemble "
    "sgd_average_ensemble sag_ensemble voting",
    "base": "naive_bayes decision_stump decision_tree one_rule pruned_tree neural_network perceptron hoeffding_tree "
    "sklearn:decision_tree sklearn:extra_tree sklearn:random_forest sklearn:logistic_regression sklearn:linear_svm "
    "sklearn:svm sklearn:k_nearest_neighbors sklearn:gaussian_naive_bayes sklearn:mlp",
}


class Guess(ClassifierMixin, BaseEstimator):
    """A method that is no `Learner`."""

    key, name, family, kind = "guess", "Guess", "guessing", "method"
    summary, source = "Guesses.", "Nobody"

    def __init__(self, estimator=None):
        self.estimator = estimator


@pytest.fixture
def guess():
    register(Guess)
    yield Guess
    unregister("guess")


def variant(**declared):
    """Return a class like `Guess`, but for what is declared; None: not declared."""
    return type("Other", (Guess,), {"key": "other", **declared})


def test_learners_stand_in_the_order_they_always_had():
    for entries, always in ((methods(), ORDER["method"].split()), (base_models(), ORDER["base"].split())):
        assert [key for key in entries if key in always] == always


@pytest.mark.parametrize("kind", ["method", "base"])
def test_no_two_learners_stand_at_the_same_position(kind):
    own = [
        cls for cls in learner_classes() if cls.kind == kind and not cls.key.startswith("sklearn:")
    ]  # these follow a list
    assert len({cls.position for cls in own}) == len(own)


def test_every_learner_is_called_like_its_key():
    for cls in learner_classes():
        words = cls.key.replace(":", "_").split("_")
        assert cls.__name__.lower() == f"{''.join(words)}classifier"


def test_the_package_offers_every_learner_and_names_it_to_editors():
    names = {cls.__name__ for cls in learner_classes()} | {
        "SklearnClassifier",
        "export_graphviz",
        "export_text",
        "load_model",
        "plot_tree",
    }
    assert set(ensembles.__all__) == names
    assert names <= {*dir(ensembles)}
    tree = ast.parse(pathlib.Path(ensembles.__file__).read_text(encoding="utf-8"))
    listed = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        for alias in node.names
    }
    assert listed == {(getattr(ensembles, name).__module__, name) for name in names}
    with pytest.raises(AttributeError, match="'ensembles' has no attribute 'GuessClassifier'"):
        ensembles.GuessClassifier  # noqa: B018


def test_importing_the_package_imports_no_learner():
    script = "import sys, ensembles; print([m for m in sys.modules if m.startswith('ensembles.') or m == 'numba'])"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_learner_of_ones_own_is_known_by_its_key_and_has_a_row_of_its_own(guess):
    assert register(guess) is guess
    assert methods()["guess"].bases == tuple(base_models())
    assert [*methods()][-1] == "guess"
    assert methods()["guess"].describe()["parameters"] == []
    assert isinstance(make_learner("guess", "naive_bayes").estimator, NaiveBayesClassifier)
    assert method_rows()["Guessing"] == ["guess"]
    assert "Guess" not in ensembles.__all__


@pytest.mark.usefixtures("guess")
def test_what_was_unregistered_is_gone():
    register(variant())
    assert find_learner("other").name == "Guess"
    unregister("other")
    for forget in (find_learner, unregister):
        with pytest.raises(NotFound, match=r"no learner is called 'other'; there are single, .*, guess, naive_bayes"):
            forget("other")
    assert "Guessing" in method_rows()


def test_a_base_model_of_ones_own_can_be_used_by_methods_at_once():
    class Bayes(NaiveBayesClassifier):
        key, name, position = "bayes", "Bayes", 5

    register(Bayes)
    try:
        assert [*base_models()][:2] == ["naive_bayes", "bayes"]
        assert "bayes" in methods()["online_boosting"].bases
        assert "bayes" in base_rows()["Lossless"]
    finally:
        unregister("bayes")
    assert "bayes" not in methods()["online_boosting"].bases


@pytest.mark.usefixtures("guess")
def test_a_class_that_is_defined_anew_takes_the_place_of_the_old_one():
    again = type("Guess", (Guess,), {"key": "guess", "name": "Better guess", "__module__": Guess.__module__})
    assert register(again) is again
    assert methods()["guess"].cls is again


@pytest.mark.parametrize(
    ("cls", "sentence"),
    [
        (
            variant(family=None, source=None),
            "^Other: a learner must declare key, name, family, kind, summary, source as text, got no family, source$",
        ),
        (variant(kind="tree"), "^Other: kind must be one of method, base, got 'tree'$"),
        (5, r"^register: a learner must be a class, got 5$"),
        (variant(__init__=object.__init__), r"^Other: a method must take its base model as estimator, got \(\)$"),
        (
            variant(key="bagging"),
            "^Other: key must be its own, got 'bagging', which BaggingClassifier has$",
        ),
        (
            type("MyBagging", (OnlineBaggingClassifier,), {}),
            "^MyBagging: key must be its own, got 'online_bagging', which OnlineBaggingClassifier has$",
        ),
    ],
)
def test_what_a_learner_lacks_is_said_in_a_sentence(cls, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        register(cls)
    assert methods()["bagging"].cls is BaggingClassifier


def offer(folder, name, where):
    """Write down what an installed package offers."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[ensemble_lab.learners]\n{name} = {where}\n")


def test_what_installed_packages_offer_is_there_and_what_cannot_be_used_is_told(tmp_path, monkeypatch, caplog, request):
    (tmp_path / "offering.py").write_text("from tests.test_registry import variant\nMine = variant(key='offered')\n")
    offer(tmp_path, "offered", "offering:Mine")
    offer(tmp_path, "broken", "nowhere:Learner")
    monkeypatch.syspath_prepend(tmp_path)
    request.getfixturevalue("guess")  # looks for learners anew
    assert find_learner("offered").cls.key == "offered"
    try:
        assert [record.getMessage() for record in caplog.records] == [
            "the learner broken (nowhere:Learner) cannot be used: No module named 'nowhere'"
        ]
        assert "offered" in methods()
        assert len(caplog.records) == 1, "it is tried once"
    finally:
        unregister("offered")
