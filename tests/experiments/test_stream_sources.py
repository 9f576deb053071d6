"""Trials on sources: the same as on the data set in memory, told while they run, and gone on with from snapshots."""

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest

from ensembles.data import load_dataset, read_dataset
from ensembles.data.catalogue import open_source
from ensembles.data.files import describe_file, text_blocks
from ensembles.errors import InvalidConfig, InvalidData
from ensembles.evaluation import right_or_wrong, stream_pass, stream_record
from ensembles.evaluation.snapshot import read_snapshot
from ensembles.experiments import stream_trial
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.run_trial import Cancelled, run_trial
from ensembles.experiments.trials import check_plan, plan_trials
from tests.data.test_read_ahead import readers
from tests.experiments.sources import InBatches

COUNTED = ["accuracy", "error", "balanced_accuracy", "macro_f1", "kappa", "matthews_correlation", "kappa_temporal"]
OF_MODEL = ["tree_nodes", "tree_depth", "model_bytes"]
SUMMED = ["mse", "brier_score", "log_loss", "calibration_error"]
BAGGING = {"method": "online_bagging", "base": "naive_bayes", "n_estimators": 3}
PRIMED = {"method": "primed_online_boosting", "base": "naive_bayes", "n_estimators": 3}
TREE = {"method": "single", "base": "hoeffding_tree"}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Short streams are looked at some times too."""
    monkeypatch.setattr(stream_pass, "_block_size", lambda *_: 256)


@cache
def dataset():
    return load_dataset("moa_led", rows=1500, seed=4)


def config(*learners, measures=("accuracy",), curves=("prequential_error",), **protocol):
    return ExperimentConfig.from_dict(
        {
            "name": "x",
            "datasets": ["moa_led"],
            "learners": list(learners) or [BAGGING],
            "protocol": {"kind": "prequential", "shuffle": False, **protocol},
            "measures": list(measures),
            "curves": list(curves),
        }
    )


def run(source, experiment, watch=None, **options):
    plan = plan_trials(experiment, [source])[0]
    result = run_trial(plan, source, experiment, watch=watch, **options)
    assert result.error is None
    return replace(result, fit_seconds=0.0, fit_cpu_seconds=0.0, predict_seconds=0.0, predict_cpu_seconds=0.0)


@pytest.mark.parametrize("settings", [{}, {"label_delay": 30, "label_share": 0.7}, {"examples": 700}])
@pytest.mark.parametrize("learner", [BAGGING, TREE], ids=["bagging", "tree"])
def test_a_source_leaves_what_the_data_set_leaves(monkeypatch, learner, settings):
    monkeypatch.setattr(stream_record, "_PIECE", 500)
    experiment = config(learner, measures=COUNTED + OF_MODEL + SUMMED, **settings)
    kept, summed = (run(source, experiment) for source in (dataset(), InBatches(dataset())))
    for key in [*COUNTED, *OF_MODEL, "final_accuracy"]:
        assert summed.measures[key] == pytest.approx(kept.measures[key], rel=0, abs=0, nan_ok=True), key
    for key in SUMMED:
        assert summed.measures[key] == pytest.approx(kept.measures[key], rel=1e-12), key
    assert summed.curves == {key: curve for key, curve in kept.curves.items() if key != "calibration"}
    assert (summed.confusion, summed.n_train, summed.n_test) == (kept.confusion, kept.n_train, kept.n_test)


@pytest.mark.parametrize("in_batches", [True, False])
def test_the_course_of_a_stream_is_measured_and_goes_on_from_snapshots(in_batches):
    settings = {"rows": 6000, "drift": "abrupt", "drift_at": 0.5}
    document = config(BAGGING, measures=["recovery", "ram_hours", "throughput"]).to_dict()
    experiment = ExperimentConfig.from_dict({**document, "datasets": [{"key": "moa_sea", **settings}]})
    source = open_source("moa_sea", **settings) if in_batches else load_dataset("moa_sea", **settings)
    whole, cut = run(source, experiment), Watch(looks=14)
    assert 300 <= whole.measures["recovery"] <= 3000
    assert whole.measures["throughput"] > 0 < whole.measures["ram_hours"]
    assert whole.curves["model_size"].x[-1] == 6000
    with pytest.raises(Cancelled):
        run(source, experiment, cut, should_stop=cut.should_stop)
    again = run(source, experiment, Watch(snapshot=cut.snapshot))
    assert again.measures["recovery"] == whole.measures["recovery"]
    assert again.curves == whole.curves


@pytest.mark.parametrize("settings", [{}, {"encode": {"nominal": "one_hot"}}])
def test_of_a_long_stream_it_is_kept_how_many_were_right_on_stretches(monkeypatch, settings):
    monkeypatch.setattr(right_or_wrong, "MOST_KEPT", 1000)
    experiment = config({**BAGGING, **settings}, curves=[])
    kept, summed = (run(source, experiment) for source in (dataset(), InBatches(dataset())))
    assert summed.curves == kept.curves
    assert [*kept.curves] == ["right_on_stretches"]
    assert sum(kept.curves["right_on_stretches"].y) == round(kept.measures["accuracy"] * kept.n_test)


def test_attributes_are_encoded_by_the_head_of_a_source():
    experiment = config({**BAGGING, "base": "naive_bayes", "encode": {"numeric": "equal_width"}})
    numbers = load_dataset("moa_sea", rows=1500)
    kept, summed = (run(source, experiment) for source in (numbers, InBatches(numbers)))
    assert summed == kept
    assert kept.n_test == 1350


def test_examples_of_a_source_without_end_are_as_many_as_asked_for():
    result = run(InBatches(dataset(), endless=True), config(examples=4000))
    assert (result.n_train, np.sum(result.confusion)) == (4000, 4000)
    assert result.curves["prequential_error"].x[-1] == 4000


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"shuffle": True}, "protocol.shuffle: must be false, as LED (MOA) is read in batches"),
        ({"measures": ["auc"]}, "measures: auc must be left out"),
        ({"curves": ["predictions"]}, "curves: predictions must be left out"),
        ({}, "protocol.examples: must be at least 1, as LED (MOA) has no end, got 0"),
    ],
)
def test_what_needs_all_examples_is_refused_before_a_source_is_read(changed, sentence):
    source = InBatches(dataset(), endless=not changed)
    source.batches = None
    with pytest.raises(InvalidConfig) as error:
        check_plan(config(**changed), [source])
    assert sentence in str(error.value)


def test_other_protocols_and_primed_learners_do_not_go_with_a_source():
    source = InBatches(dataset())
    other = ExperimentConfig.from_dict({"name": "x", "datasets": ["moa_led"], "learners": [BAGGING]})
    with pytest.raises(InvalidConfig, match="on which only prequential runs, got cross_validation"):
        check_plan(other, [source])
    with pytest.raises(InvalidConfig, match="Primed online boosting needs the head of the whole stream"):
        check_plan(config({**BAGGING, "method": "primed_online_boosting"}), [source])


def test_a_source_that_ends_early_fails_with_a_sentence():
    source = InBatches(dataset(), promised=2000)
    experiment = config()
    result = run_trial(plan_trials(experiment, [source])[0], source, experiment)
    assert result.error == "Online bagging on LED (MOA): the stream ended after 1,500 of 2,000 examples"


@pytest.mark.parametrize("delay", [0, 300])
def test_what_a_source_raises_fails_the_trial_and_leaves_no_thread(delay):
    class Damaged(InBatches):
        def batches(self, start=0):
            yield from islice(super().batches(start), 5)
            raise InvalidData("led.csv: line 700 has 3 columns")

    source, experiment = Damaged(dataset()), config(label_delay=delay)
    result = run_trial(plan_trials(experiment, [source])[0], source, experiment)
    assert result.error == "Online bagging on LED (MOA): led.csv: line 700 has 3 columns"
    assert not readers()


def test_who_stops_a_trial_stops_its_reading():
    cut = Watch(looks=3)
    with pytest.raises(Cancelled):
        run(InBatches(dataset(), endless=True), config(examples=10**9), cut, should_stop=cut.should_stop)
    assert not readers()


def test_later_settings_are_in_a_document_only_where_they_say_something():
    assert set(config().to_dict()["protocol"]) == {"kind", "orders", "shuffle", "final_fraction"}
    late = config(label_delay=5, examples=10, label_share=0.5)
    assert ExperimentConfig.from_yaml(late.to_yaml()) == late
    assert late.protocol.sentence.endswith("at most 10 examples, labels 5 examples late, 50 % of the labels")
    assert plan_trials(late, [dataset()])[0].key != plan_trials(config(), [dataset()])[0].key


class Watch:
    """Wants a snapshot after some looks, and ends the run with it."""

    def __init__(self, looks=10**9, snapshot=None, most_bytes=0.0):
        self.looks, self.snapshot, self.most_bytes = looks, snapshot, most_bytes
        self.news, self.shares = [], []

    def begin(self):
        return self.snapshot

    def tell(self, news, share):
        self.news.append(news)
        self.shares.append(share)

    def wants_snapshot(self):
        self.looks -= 1
        return self.looks == 0

    def most_model_bytes(self):
        return self.most_bytes

    def keep(self, snapshot):
        self.snapshot = snapshot

    def should_stop(self):
        return self.looks <= 0


@pytest.mark.parametrize(("learner", "in_batches"), [(BAGGING, True), (BAGGING, False), (PRIMED, False)])
@pytest.mark.parametrize("settings", [{}, {"label_delay": 300, "label_share": 0.5}])
def test_a_run_goes_on_from_its_snapshot_to_the_same_digits(learner, in_batches, settings):
    source = InBatches(dataset()) if in_batches else dataset()
    experiment = config(learner, measures=["accuracy", "kappa", "brier_score", "calibration_error"], **settings)
    whole, cut = run(source, experiment), Watch(looks=3)
    with pytest.raises(Cancelled):
        run(source, experiment, cut, should_stop=cut.should_stop)
    assert cut.news[-1].seen == read_snapshot(cut.snapshot)["position"]
    again = Watch(snapshot=cut.snapshot)
    assert run(source, experiment, again) == whole
    assert again.news[-1].seen == 1500
    assert again.news[-1].error == whole.curves["prequential_error"].y[-1]
    assert again.news[-1].fading_error == whole.curves["prequential_error_fading"].y[-1]
    assert again.news[-1].window_error == whole.curves["prequential_error_window"].y[-1]
    assert again.news[-1].model_bytes > 0


def test_snapshots_of_other_trials_and_sources_are_refused(monkeypatch):
    experiment, cut = config(), Watch(looks=2)
    with pytest.raises(Cancelled):
        run(dataset(), experiment, cut, should_stop=cut.should_stop)
    other = config(TREE)
    plan = plan_trials(other, [dataset()])[0]
    assert "which is of another trial" in run_trial(plan, dataset(), other, watch=Watch(snapshot=cut.snapshot)).error
    assert "which cannot be read" in run_trial(plan, dataset(), other, watch=Watch(snapshot=b"\x80\x04.")).error
    monkeypatch.setattr("ensembles.evaluation.snapshot.source_digest", lambda: "0" * 16)
    assert "start it anew" in run_trial(plan, dataset(), other, watch=Watch(snapshot=cut.snapshot)).error


def test_news_come_about_once_a_second(monkeypatch):
    clock = iter(range(10**6))
    monkeypatch.setattr(stream_trial, "_LEAST_PAUSE", 0)
    monkeypatch.setattr(stream_trial.time, "perf_counter", lambda: next(clock) * 0.25)
    watch = Watch()
    run(dataset(), config(examples=1500), watch)
    assert 3 <= len(watch.news) <= 8  # of eight looks
    assert [news.seen for news in watch.news] == sorted(news.seen for news in watch.news)
    assert watch.shares == [news.seen / 1500 for news in watch.news]


def test_who_looks_at_a_stream_changes_no_digit(monkeypatch):
    source, experiment = InBatches(dataset()), config(measures=["accuracy", *SUMMED])
    alone = run(source, experiment)
    monkeypatch.setattr(stream_trial, "_SECOND", 0.0)
    monkeypatch.setattr(stream_trial, "_LEAST_PAUSE", 0)
    watch = Watch()
    assert run(source, experiment, watch) == alone
    assert len(watch.news) > 3
    assert watch.news[-1].error == alone.curves["prequential_error"].y[-1]


def test_a_first_look_that_takes_long_does_not_keep_those_after_it_waiting(monkeypatch):
    clock, news = [0.0], stream_trial._Run._news

    def look(trial):
        clock[0] += 0.0 if watch.news else 10.0
        return news(trial)

    class Slow(Watch):
        def wants_snapshot(self):
            clock[0] += 1.0  # a block takes a second
            return False

    watch = Slow()
    monkeypatch.setattr(stream_trial._Run, "_news", look)
    monkeypatch.setattr(stream_trial.time, "perf_counter", lambda: clock[0])
    run(dataset(), config(), watch)
    assert [one.seen for one in watch.news][:5] == [1, 257, 513, 769, 1025]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_in_batches_leaves_what_the_file_in_memory_leaves(monkeypatch, tmp_path, kind):
    monkeypatch.setattr(text_blocks, "BLOCK_BYTES", 5000)
    whole = dataset().to_frame()
    path = str(tmp_path / f"stream.{kind}")
    _ = whole.to_csv(path, index=False) if kind == "csv" else whole.astype(str).to_parquet(path, index=False)
    data, source = read_dataset(path), describe_file(path).source
    data.sha256 = source.sha256  # by which learners draw
    experiment = config(BAGGING, measures=COUNTED, examples=1400)
    kept, summed = (run(one, experiment) for one in (data, source))
    assert summed.curves == kept.curves
    assert summed.measures == pytest.approx(kept.measures, rel=0, abs=0, nan_ok=True)
    assert summed.confusion == kept.confusion
