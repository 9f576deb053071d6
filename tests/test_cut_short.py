"""Learning that is cut short, by an interrupt or an error, leaves no half of a model."""

from contextlib import suppress

import pytest
from sklearn.exceptions import NotFittedError

from ensembles.registry import base_models, methods
from tests.examples import random_table
from tests.pairs import first_base
from tests.test_laws import learner
from tests.test_state import ASKED, BASES, TOLD


@pytest.mark.parametrize("method", [key for key in methods() if key != "single"])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, RuntimeError])
def test_a_fit_that_was_cut_short_leaves_nothing(method, kind):
    X, y, _ = random_table(27, n_classes=2)
    for fitted in (False, True):
        model = learner(method, first_base(method))
        if fitted:
            model.fit(X, y)
        model.on_progress = raising(kind)
        with pytest.raises(kind):
            model.fit(X, y)
        assert_learned_nothing(model, X, y)
        model.on_progress = None
        assert (model.fit(X, y).predict(X) == learner(method, first_base(method)).fit(X, y).predict(X)).all()


@pytest.mark.parametrize("method", [m for m, entry in methods().items() if entry.online and m != "single"])
def test_a_partial_fit_that_was_cut_short_leaves_nothing_and_says_so(method):
    X, y, _ = random_table(28, n_classes=2, n=60)
    model = learner(method, first_base(method)).fit(X, y)
    model.on_progress = raising(KeyboardInterrupt)
    with suppress(KeyboardInterrupt):  # voting on fixed members learns nothing, and reports nothing
        model.partial_fit(X, y)
        assert method == "voting"
        return
    assert_learned_nothing(model, X, y)
    model.on_progress = None
    assert (
        model.partial_fit(X, y).predict(X) == learner(method, first_base(method)).partial_fit(X, y).predict(X)
    ).all()


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("method", ["single", None])
def test_one_model_cut_short_leaves_nothing(method, base, monkeypatch):
    X, y, _ = random_table(29)
    cls = base_models()[base].cls
    model = learner("single", base) if method else cls()
    for name in ("fit", "partial_fit"):
        if hasattr(model, name):
            model.fit(X, y)
            with monkeypatch.context() as patch:
                patch.setattr(cls, "fit_member" if name == "fit" else "_learn_examples", raising(KeyboardInterrupt))
                with pytest.raises(KeyboardInterrupt) as raised:
                    getattr(model, name)(X, y)
            assert_learned_nothing(model, X, y)
            if name == "partial_fit":
                assert any("has forgotten what it had learned" in note for note in raised.value.__notes__)
    model.fit(X, y).predict(X)


def raising(kind):
    def stop(*_, **__):
        raise kind("stop")

    return stop


def assert_learned_nothing(model, X, y):
    for name in ASKED:
        if hasattr(type(model), name) and (name in ("predict", "predict_proba") or hasattr(model, name)):
            with pytest.raises(NotFittedError, match="has learned nothing yet: call fit first"):
                list(getattr(model, name)(*(X, y)[: 2 if name == "errors_on" else 1]))
    for name in TOLD:
        assert not hasattr(model, name)
