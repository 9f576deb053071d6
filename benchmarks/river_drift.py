"""Where River's detectors of change raise alarms on fixed streams of outcomes: what a test of ours is held to.

    python -m benchmarks.river_drift > tests/methods/river_alarms.json

River empties ADWIN's window after an alarm, which the test does to ours. Its KSWIN draws outcomes from the window; here it
is handed outcomes with as many mistakes among them as ours draws from the number of each outcome, and all else is River's.
"""

import json

import numpy as np
from river import drift

from ensembles.methods.core.kswin import OLDER, RECENT, drawn_mistakes, new_recent_outcomes

STREAMS = (  # seed, outcomes of each rate, rates of mistakes
    (0, 400, (0.1, 0.4, 0.05)),
    (1, 150, (0.5, 0.2, 0.9, 0.1)),
    (2, 1500, (0.0, 0.03, 0.3)),
    (3, 700, (0.25, 0.25, 0.6, 0.15, 0.8)),
    (4, 3000, (0.3,)),
)
DETECTORS = {
    "adwin": lambda: drift.ADWIN(delta=0.002),
    "ddm": drift.binary.DDM,
    "page_hinkley": drift.PageHinkley,
    "kswin": drift.KSWIN,
}
TABLE = new_recent_outcomes(1, 0.005).table


class Sampling:
    """In the place of the generator of River's KSWIN: tells positions of which as many are mistakes as ours draws."""

    def __init__(self, detector, uniform):
        self.detector, self.uniform = detector, uniform

    def sample(self, positions, size):
        """Return positions in the window, first those of mistakes."""
        older = [*self.detector.window][:OLDER]
        mistakes = [place for place in positions if older[place]]
        others = [place for place in positions if not older[place]]
        k = drawn_mistakes(TABLE, len(mistakes), self.uniform)
        assert size == RECENT
        return mistakes[:k] + others[: size - k]


def alarms_of(make, outcomes, uniforms):
    """Return the positions of the outcomes at which a detector of River's raises an alarm."""
    detector, told = make(), []
    for i, (outcome, uniform) in enumerate(zip(outcomes, uniforms, strict=True)):
        if isinstance(detector, drift.KSWIN):
            detector._rng = Sampling(detector, uniform)
        detector.update(int(outcome))
        if detector.drift_detected:
            told.append(i)
    return told


def main() -> None:
    """Print the streams and the alarms of each detector on them."""
    measured = []
    for seed, length, rates in STREAMS:
        n = length * len(rates)
        outcomes = np.random.default_rng(seed).random(n) < np.repeat(rates, length)
        uniforms = np.random.default_rng([seed, 1]).random(n)
        alarms = {key: alarms_of(make, outcomes, uniforms) for key, make in DETECTORS.items()}
        measured.append({"seed": seed, "length": length, "rates": rates, "alarms": alarms})
    print(json.dumps(measured, indent=1))


if __name__ == "__main__":
    main()
