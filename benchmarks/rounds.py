"""Programs run in turn, round for round."""

import statistics
from collections.abc import Callable

__all__ = ["report"]


def report(what: str, programs: dict[str, Callable[[], float]], rounds: int) -> None:
    """Run the programs in turn, `rounds` times, and print medians and ratios to the first."""
    medians = _medians(programs, rounds)
    for name, median in zip(programs, medians, strict=True):
        print(f"| {what} | {name} | {median * 1e6:.2f} | {median / medians[0]:.1f} |", flush=True)


def _medians(programs: dict[str, Callable[[], float]], rounds: int) -> list[float]:
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, run in programs.items():
            seconds[name].append(run())
    return [statistics.median(found) for found in seconds.values()]
