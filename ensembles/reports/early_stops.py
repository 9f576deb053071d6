"""Learners that ended before all their members were trained: in a sentence each, where their results are read."""

from __future__ import annotations

from collections import Counter

from ensembles.experiments.results import Results
from ensembles.reports import formatting

__all__ = ["early_stops"]

_REASONS = {
    "not below one half": "the next member was no better than chance",
    "that of guessing": "the next member was no better than guessing among all classes",
    "made no mistake": "a member made no mistake on its training examples",
}
"""What learners say of one trial, with its numbers; and what is said of many."""


def early_stops(results: Results) -> list[str]:
    """Return a sentence for each learner that stopped early: after how many members, how often, and why most times.

    "AdaBoost stopped after 3 to 20 of 100 members (median 7), in 12 of 25 trials: the next member was no better than
    chance."
    """
    stopped = results.finished[results.finished["stopped"].notna()]
    return [_sentence(results, int(learner)) for learner in sorted(stopped["learner"].unique())]


def _sentence(results: Results, learner: int) -> str:
    trials = results.finished[results.finished["learner"] == learner]
    early = trials[trials["stopped"].notna()]
    used = early["members_used"].astype(int)
    after = formatting.count_range(int(used.min()), int(used.max()))
    middle = f" (median {round(used.median()):,})" if used.min() < used.max() else ""
    members = formatting.pluralize(results.config.learners[learner].n_members, "member")
    often = f"in {len(early):,} of {formatting.pluralize(len(trials), 'trial')}"
    where = "in every trial" if len(early) == len(trials) else often
    [(reason, _)] = Counter(map(_in_short, early["stopped"])).most_common(1)
    return f"{results.learners[learner]} stopped after {after} of {members}{middle}, {where}: {reason}."


def _in_short(reason: str) -> str:
    return next((said for words, said in _REASONS.items() if words in reason), reason)
