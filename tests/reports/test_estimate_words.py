"""What people read of an estimate: never a guess as a fact."""

import pytest

from ensembles.experiments.estimate import Estimate
from ensembles.reports.estimate_words import estimate_words


@pytest.mark.parametrize(
    ("fields", "source"),
    [
        ({"measured": True, "past_trials": 40}, ", from 40 trials measured here"),
        ({"measured": True, "probed": True}, ", from probes"),
        ({"measured": True, "past_trials": 1, "probed": True}, ", from 1 trial measured here and probes"),
        ({"measured": False}, ", a guess: not everything was measured yet"),
        ({"measured": False, "probed": True}, ", a guess from probes: not everything was measured yet"),
        ({"measured": True}, ""),
    ],
)
def test_the_source_of_an_estimate_is_told(fields: dict[str, int], source: str) -> None:
    assert estimate_words(Estimate(9, 10.0, 40.0, **fields), 2) == f"about 10 to 40 s on 2 workers{source}"
