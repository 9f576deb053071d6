"""Whatever a document says, it is an experiment or one sentence for each problem, and storage keeps all of it or nothing."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ensembles.errors import EnsembleLabError, InvalidConfig
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.resolve import check_installed
from ensembles.experiments.trials import count_trials
from storage import Storage, open_storage
from tests.fresh import write_empty_tables
from tests.fuzzing import TRIED, assert_small, rows_of, tries

LEARNERS: list[dict[str, Any]] = [
    {"method": "single", "base": "naive_bayes"},
    {"method": "online_boosting", "base": {"key": "hoeffding_tree", "grace_period": 50}, "n_estimators": 7},
    {"method": "primed_online_boosting", "base": {"key": "neural_network", "updates_per_example": 10}, "prime_cap": 9},
    {"method": "random_forest", "n_estimators": 5},
    {"method": "stacking", "models": "naive_bayes+decision_stump"},
]
PROTOCOLS: list[dict[str, Any]] = [
    {"kind": "cross_validation", "repeats": 2, "folds": 5, "orders": 1, "stratified": True},
    {"kind": "holdout", "repeats": 10, "train_size": 0.5},
    {"kind": "prequential", "orders": 2, "shuffle": True, "final_fraction": 0.2},
    {"kind": "given_split", "test_file": "test.csv"},
]
DATASETS: list[Any] = [
    "iris",
    {"key": "waveform40", "rows": 300},
    {"sha256": "0" * 64, "name": "Mine"},
    {"file": "car.csv"},
]
KINDS = [
    "tag:yaml.org,2002:python/object/apply:os.system",
    "!!python/name:os.system",
    "!!binary aGk=",
    "!!set {a, b}",
    "!!timestamp",
]
WORDS = [
    *(
        "&a ",
        "*a",
        "<<: *a",
        "? ",
        ": ",
        "- ",
        "---\n",
        "...\n",
        "%YAML 9.9\n",
        "\t",
        "\x00",
        "\ufeff",
        "\u2028",
        "\ud800",
    )
]
WORDS += [
    *(
        '"\\ud800"',
        '"\\0"',
        ".nan",
        "-.inf",
        "1e999",
        "9" * 50,
        "9" * 5000,
        "0x" + "f" * 99,
        "0o7",
        "1:30:00",
        "~",
        "|",
        ">-\n",
    )
]
WORDS += ["[" * 3000, "{a: " * 300, "[" + "1," * 5000 + "]", *(f"{kind} x" for kind in KINDS)]
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1.5,
    2**70,
    -(2**70),
    1e308,
    float("nan"),
    float("inf"),
    "",
    " ",
    "x" * 500,
    "\x00",
    "\u202e",
    "ſ",
]
VALUES += [
    "../../etc/passwd",
    "file:///etc/passwd",
    "http://169.254.169.254/",
    "=cmd()",
    "1e3",
    "yes",
    [],
    {},
    [[]],
    [{}],
    {"a": {}},
]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Return a good document, some values of which are changed, added or missing."""
    document: dict[str, Any] = {
        "name": "Fuzz",
        "seed": draw(st.integers(0, 9)),
        "datasets": draw(st.lists(st.sampled_from(DATASETS), min_size=1, max_size=2, unique_by=str)),
        "learners": draw(st.lists(st.sampled_from(LEARNERS), min_size=1, max_size=3, unique_by=str)),
        "protocol": draw(st.sampled_from(PROTOCOLS)),
        "measures": ["accuracy", "mse"],
        "curves": ["learning_curve"],
        "format": draw(st.sampled_from([1, 3, 3, 3])),
    }
    document = deepcopy(document)
    for _ in range(draw(st.integers(0, 2))):
        _spoil(draw, document)
    return document


def _spoil(draw: st.DrawFn, document: Any) -> None:
    place = document
    while True:
        names = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not names:
            return
        name = draw(st.sampled_from(names))
        if not isinstance(place[name], dict | list) or draw(st.integers(0, 3)) == 0:
            break
        place = place[name]
    match draw(st.integers(0, 3)):
        case 0:
            del place[name]
        case 1 if isinstance(place, dict):
            place[draw(st.sampled_from(["unknown", "key", "format", "file", "base"]) | st.text(max_size=5))] = place[
                name
            ]
        case 2:
            place[name] = [place[name]]
        case _:
            place[name] = draw(st.sampled_from(VALUES) | st.integers() | st.floats() | st.text(max_size=6))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Return a document as YAML or JSON, in whose text some pieces may stand where they do not belong."""
    document = draw(documents())
    text = draw(st.sampled_from([_as_yaml, _as_blocks, json.dumps]))(document)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        place = draw(st.integers(0, len(text)))
        text = (
            text[:place] + draw(st.sampled_from(WORDS) | st.text(max_size=4)) + text[place + draw(st.integers(0, 6)) :]
        )
    return text


def _as_yaml(document: Any) -> str:
    return str(yaml.safe_dump(document, sort_keys=False))  # lists that stand twice become aliases


def _as_blocks(document: Any) -> str:
    return str(yaml.safe_dump(document, default_flow_style=False, allow_unicode=True, indent=4))


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    write_empty_tables(tmp_path / "test.sqlite")
    with open_storage(f"sqlite:///{tmp_path / 'test.sqlite'}") as opened:
        yield opened


def read(text: str) -> ExperimentConfig | None:
    """Return the experiment of a document, as pages and the JSON interface read it; None where it is refused in words."""
    refused = ""
    try:
        config = ExperimentConfig.from_yaml(text)
        check_installed(config)
        assert ExperimentConfig.from_yaml(config.to_yaml()) == config
    except InvalidConfig as error:
        refused, config = str(error), None
    assert (config is None) == bool(refused)
    assert len(refused) < 20_000
    return config


@pytest.mark.timeout(0)
def test_any_document_is_an_experiment_or_is_refused_in_words(storage: Storage) -> None:
    outcomes = {True: 0, False: 0}

    @tries(150)
    @given(text=texts())
    def check(text: str) -> None:
        TRIED["experiment documents"] += 1
        config = read(text)
        outcomes[config is not None] += 1
        if config is not None:
            assert all(config.labels())
            launch(storage, config)

    check()
    assert min(outcomes.values()) > 0
    assert not any(rows_of(storage).values())
    assert_small()


def launch(storage: Storage, config: ExperimentConfig) -> None:
    """Store an experiment, or be refused; and delete it for good."""
    try:
        record = storage.create_experiment(config, n_trials=count_trials(config))
    except EnsembleLabError:
        return
    assert storage.get_experiment(record.id).config == config
    storage.delete_experiment(record.id)
    storage.purge_experiment(record.id)
