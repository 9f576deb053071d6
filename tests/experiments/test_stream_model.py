"""Models that trials on streams end with, or have come to: those that learned the same examples, without learning again."""

import numpy as np
import pytest

from ensembles.errors import InvalidData
from ensembles.experiments import stream_model
from ensembles.experiments.model import model_from_bytes
from ensembles.experiments.model_facts import learned_up_to
from ensembles.experiments.run_trial import Cancelled, run_trial
from ensembles.experiments.stream_model import model_of_snapshot
from ensembles.experiments.trials import plan_trials
from ensembles.experiments.whole import train_whole, whole_plan
from tests.experiments.sources import InBatches
from tests.experiments.test_stream_sources import BAGGING, TREE, Watch, config, dataset
from tests.experiments.test_stream_sources import _small_blocks as _small_blocks  # a fixture

ENCODED = {**BAGGING, "encode": {"nominal": "one_hot"}}
PRIMED = {"method": "primed_online_boosting", "base": "naive_bayes", "n_estimators": 3, "prime_fraction": 0.2}
PATCHES = {"method": "streaming_random_patches", "base": "hoeffding_tree", "n_estimators": 3}


def ended(source, experiment, order=0, most_bytes=1e9, **watch):
    plan = plan_trials(experiment, [source])[order]
    result = run_trial(plan, source, experiment, watch=Watch(most_bytes=most_bytes, **watch))
    assert result.error is None
    return result.model


def cut(source, experiment, looks=3):
    """Return the snapshot of a trial that is cut off, and the key of the trial."""
    watch, plan = Watch(looks=looks), plan_trials(experiment, [source])[0]
    with pytest.raises(Cancelled):
        run_trial(plan, source, experiment, watch=watch, should_stop=watch.should_stop)
    return plan.key, watch.snapshot


def same(one, other):
    frame = dataset().X
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.predict(frame).tolist() == other.predict(frame).tolist()
    return (one.predict_proba(frame) == other.predict_proba(frame)).all()


@pytest.mark.parametrize("in_batches", [True, False])
@pytest.mark.parametrize("learner", [BAGGING, TREE, ENCODED, PATCHES], ids=["bagging", "tree", "encoded", "patches"])
def test_a_trial_ends_with_the_model_of_all_its_examples(learner, in_batches):
    source, experiment = InBatches(dataset()) if in_batches else dataset(), config(learner)
    kept = ended(source, experiment)
    model, whole = model_from_bytes(kept.content), train_whole(experiment, whole_plan(0, 0), source)
    assert same(model, whole)
    stream = {"of": 1500, "head": 0, "delay": 0, "share": 1.0}
    assert kept.facts == model.facts == whole.facts | {"stream": stream}
    for one in (model, whole):
        one.partial_fit(dataset().X[:20], dataset().y[:20])
    assert same(model, whole)


def test_it_learns_a_class_that_it_has_not_known():
    model = model_from_bytes(ended(dataset(), config(BAGGING)).content)
    known, frame = model.classes_.tolist(), dataset().X[:200]
    model.partial_fit(frame, ["a new one"] * 200)
    assert model.classes_.tolist() == [*known, "a new one"]
    assert "a new one" in model.predict(frame)


def test_it_has_learned_the_labels_that_came_and_no_others():
    late = ended(dataset(), config(BAGGING, label_delay=500))
    assert same(
        model_from_bytes(late.content), train_whole(config(BAGGING, examples=1000), whole_plan(0, 0), dataset())
    )
    assert late.facts["stream"] == {"of": 1500, "head": 0, "delay": 500, "share": 1.0}
    primed = ended(dataset(), config(PRIMED, label_delay=1400))
    assert learned_up_to(primed.facts) == primed.facts["stream"]["head"] == 300
    sooner = ended(dataset(), config(PRIMED, label_delay=500))
    assert learned_up_to(sooner.facts) == 1000
    few = model_from_bytes(ended(dataset(), config(BAGGING, label_share=0.5)).content)
    assert not same_numbers(few, model_from_bytes(ended(dataset(), config(BAGGING)).content))


def same_numbers(one, other):
    frame = dataset().X
    return np.array_equal(one.predict_proba(frame), other.predict_proba(frame))


@pytest.mark.parametrize("in_batches", [True, False])
@pytest.mark.parametrize("learner", [BAGGING, ENCODED], ids=["bagging", "encoded"])
def test_a_snapshot_becomes_the_model_of_the_examples_so_far(learner, in_batches):
    source = InBatches(dataset()) if in_batches else dataset()
    model = model_of_snapshot(config(learner), source, *cut(source, config(learner)))
    seen = model.facts["examples"]
    assert 500 < seen < 1500
    if learner is BAGGING:  # the head to which an encoder is fitted goes by the length of the stream
        assert same(model, train_whole(config(learner, examples=seen), whole_plan(0, 0), source))
    with pytest.raises(InvalidData, match="which is of another trial"):
        model_of_snapshot(config(learner), source, "0" * 32, cut(source, config(learner))[1])


def test_a_trial_that_went_on_from_a_snapshot_ends_with_the_same_model():
    experiment = config(PATCHES)
    whole = ended(dataset(), experiment)
    again = ended(dataset(), experiment, snapshot=cut(dataset(), experiment)[1])
    assert same(model_from_bytes(again.content), model_from_bytes(whole.content))
    assert again.facts == whole.facts


def test_what_has_learned_nothing_is_no_model():
    experiment = config(BAGGING, label_delay=1400)
    with pytest.raises(InvalidData, match="it had learned nothing when its snapshot was taken"):
        model_of_snapshot(experiment, dataset(), *cut(dataset(), experiment))
    assert ended(dataset(), config(BAGGING, label_delay=2000)) is None


def test_none_is_kept_that_nobody_wants_or_that_is_too_large(monkeypatch):
    experiment = config(BAGGING, shuffle=True, orders=2)
    assert ended(dataset(), experiment) is not None
    assert ended(dataset(), experiment, order=1) is None
    assert ended(dataset(), experiment, most_bytes=0.0) is None
    assert ended(dataset(), experiment, most_bytes=1000.0) is None
    plan = plan_trials(experiment, [dataset()])[0]
    assert run_trial(plan, dataset(), experiment).model is None

    def refuse(*_):
        raise InvalidData("it cannot be written")

    monkeypatch.setattr(stream_model.Model, "to_bytes", refuse)
    assert ended(dataset(), experiment) is None
