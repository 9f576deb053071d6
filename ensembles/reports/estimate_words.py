"""What people read of an estimate: how long, on how many workers, and where it comes from."""

from ensembles.experiments.estimate import Estimate
from ensembles.reports.formatting import and_list, pluralize, seconds_range

__all__ = ["estimate_words"]


def estimate_words(estimate: Estimate, workers: int) -> str:
    """Return "about 10 to 40 s on 2 workers, from 40 trials measured here and probes"."""
    told = [pluralize(estimate.past_trials, "trial") + " measured here"] if estimate.past_trials else []
    told += ["probes"] if estimate.probed else []
    source = f"from {and_list(told)}" if told else ""
    if not estimate.measured:
        source = " ".join(filter(None, ("a guess", source))) + ": not everything was measured yet"
    words = f"{seconds_range(estimate.low, estimate.high)} on {pluralize(workers, 'worker')}"
    return f"{words}, {source}" if source else words
