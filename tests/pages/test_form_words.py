"""The form says what is wrong in its own words."""

import pytest

from ensembles.errors import InvalidConfig
from ensembles.experiments.config import PROTOCOLS, ExperimentConfig
from pages.parts.form_words import in_words_of_the_form
from tests.pages.made_up import tiny_config


@pytest.mark.parametrize(
    ("said", "in_words"),
    [
        (
            "protocol.train_size: must be below 150, got 200",
            "Number of examples for training must be below 150, got 200",
        ),
        (
            "protocol.test_sha256: Tiny: must have the attributes of Iris",
            "Test set Tiny: must have the attributes of Iris",
        ),
        ("experiment: at most 1,000 trials are allowed", "At most 1,000 trials are allowed"),
        ("experiment: protocol: a given test set goes with one", "A given test set goes with one"),
        ("datasets[1]: mine has the same content as datasets[0], Iris", "mine has the same content as Iris"),
        ("random_tree: class_ratio must be 0 here, got 0.3", "Random tree: Class ratio must be 0 here, got 0.3"),
        ("protocol.repeats: must be 1, got 0\nexperiment: no", "Repeats must be 1, got 0. No"),
    ],
)
def test_fields_are_called_as_the_form_calls_them(said: str, in_words: str) -> None:
    assert in_words_of_the_form(said, {"kind": "holdout", "train_size": 200}) == in_words


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_no_key_of_a_protocol_is_shown(kind: str) -> None:
    protocol = PROTOCOLS[kind].model_construct().model_dump()
    bad = {parameter.name: -1 for parameter in PROTOCOLS[kind].parameters}
    with pytest.raises(InvalidConfig) as error:
        ExperimentConfig.from_dict(tiny_config().to_dict() | {"protocol": {"kind": kind, **bad}})
    words = in_words_of_the_form(str(error.value), protocol)
    assert "protocol" not in words
    assert "_" not in words
    for parameter in PROTOCOLS[kind].parameters:
        assert parameter.label in words or parameter.name in ("train_size", "pool")
