"""The file by which a model is taken home."""

import io
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ensembles import BaggingClassifier, load_model
from ensembles.data import load_dataset
from ensembles.errors import InvalidData
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.whole import train_whole, whole_plan
from ensembles.registry import register, unregister
from ensembles.reports.model_card import Origin, model_card, model_file_name, model_package
from tests.reports.made_up import make_results, make_trial

ROOT = Path(__file__).parent.parent.parent
CONFIG = ExperimentConfig.from_dict(
    {
        "name": "Cars",
        "seed": 3,
        "datasets": ["car"],
        "learners": [{"method": "bagging", "base": {"key": "naive_bayes", "smoothing": "none"}, "n_estimators": 3}],
        "protocol": {"kind": "cross_validation"},
    }
)
ORIGIN = Origin(
    "Cars", "Bagging of naive Bayes", "10-fold", 3, datetime(2026, 1, 2, 3, 4, tzinfo=UTC), [("Accuracy", 0.9, 0.01, 5)]
)


@pytest.fixture(scope="module")
def model():
    return train_whole(CONFIG, whole_plan(0, 0), load_dataset("car"))


def test_the_example_in_the_file_runs(model, tmp_path):
    with zipfile.ZipFile(io.BytesIO(model_package(model.to_bytes(), model.facts, ORIGIN))) as package:
        assert package.namelist() == ["model.skops", "card.md", "example.py", "model.json"]
        package.extractall(tmp_path)
    assert len((tmp_path / "example.py").read_text().splitlines()) == 3
    ran = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True
    )
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stdout.decode().strip() == str(load_model(tmp_path / "model.skops").predict(model.example))


class OwnBaggingClassifier(BaggingClassifier):
    """Of a package that is not ours."""

    key, name = "own_bagging", "Own bagging"


def test_the_example_trusts_the_package_of_a_learner_of_ones_own(tmp_path, monkeypatch, capsys):
    register(OwnBaggingClassifier)
    try:
        document = CONFIG.to_dict() | {
            "learners": [{"method": "own_bagging", "base": "naive_bayes", "n_estimators": 2}]
        }
        own = train_whole(ExperimentConfig.from_dict(document), whole_plan(0, 0), load_dataset("car"))
        with zipfile.ZipFile(io.BytesIO(model_package(own.to_bytes(), own.facts, ORIGIN))) as package:
            package.extractall(tmp_path)
    finally:
        unregister("own_bagging")
    monkeypatch.chdir(tmp_path)
    example = (tmp_path / "example.py").read_text()
    assert example in (tmp_path / "card.md").read_text()
    exec(example, {})
    assert capsys.readouterr().out.strip() == str(own.predict(own.example))
    with pytest.raises(
        InvalidData, match=r"got tests\.reports\..*; `packages` names those that learners of your own come"
    ):
        load_model("model.skops")


def test_a_card_tells_data_settings_measures_and_versions(model):
    card = model_card(model.facts, ORIGIN)
    assert card.startswith("# Bagging of naive Bayes on Car")
    for row in (
        "| Examples learned | 1,728, their order as in the data |",
        "| safety | nominal | low, med, high |",
        "| Members \\(n\\_estimators\\) | 3 |",
        "| Accuracy | 0.9000 | 0.0100 | 5 |",
        "| Measured by | 10-fold, seed 3 |",
        "| Trained | 2026-01-02 03:04 UTC |",
        f"| Seed \\(random\\_state\\) | {model.facts['random_state']} |",
    ):
        assert row in card
    assert "smoothing\\) |" in card
    assert re.search(r"\| Version of scikit-learn \| [\d.]+ \|", card)
    assert "tells the experiment, whose measures" in card
    linked = replace(ORIGIN, link="https://lab.example.org/results?experiment=x")
    assert "the experiment <https://lab.example.org/results?experiment=x>, whose" in model_card(model.facts, linked)
    assert "script" not in model_card(model.facts, replace(ORIGIN, link="https://a/><script>"))


def test_measures_are_those_of_the_learner_on_the_data_set():
    cells = [(0, 0, 0.5), (1, 0, 0.6), (1, 1, 0.7), (1, 1, 0.9)]
    results = make_results([make_trial(*cell, fold=fold) for fold, cell in enumerate(cells)])
    at = datetime(2026, 1, 2, tzinfo=UTC)
    origin = Origin.of(results, 1, 1, "Made up", at, link="https://lab.example.org/results?experiment=x")
    name, mean, spread, n = origin.measures[0]
    assert (name, n) == ("Accuracy", 2)
    assert (mean, spread) == pytest.approx((0.8, 0.2 / 2**0.5))
    assert Origin.of(results, 0, 1, "Made up", at).measures == []


def test_names_are_text_and_nothing_else(model):
    facts = model.facts | {"dataset": "# [a](http://b) | <img src=x>\n=1+1", "target": "`c`"}
    card = model_card(facts, ORIGIN)
    assert card.splitlines()[0].endswith(r"on \# \[a\]\(http\://b\) \| \<img src=x\> =1+1")
    assert r"\`c\`" in card
    assert model_file_name("../a b", "c/d\n") == "a-b-on-c-d.model.zip"
    assert model_file_name("?", "/") == "on.model.zip"


def test_a_card_of_a_stream_says_how_far_it_has_learned(model):
    facts = model.facts | {"examples": 1_000, "stream": {"of": 1_728, "delay": 20, "share": 0.5}}
    card = model_card(facts, ORIGIN)
    assert "on a stream had come to, of 1,728 examples: it has learned the stream up to example 980." in card
    assert "| Examples learned | 980, their order as in the data, labels 20 examples late, 50 % of the labels |" in card
    ended = model_card(facts | {"examples": 1_728, "stream": {"of": 1_728, "delay": 0, "share": 1.0}}, ORIGIN)
    assert "on a stream ended with: it has learned the stream up to example 1,728." in ended
    assert "| Examples learned | 1,728, their order as in the data |" in ended
