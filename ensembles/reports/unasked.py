"""Learners that were not asked about the head of a stream: their results are read beside those of other examples."""

from __future__ import annotations

from ensembles.evaluation.prequential import begin_final
from ensembles.experiments.config import Prequential
from ensembles.experiments.results import Results
from ensembles.reports import formatting

__all__ = ["are_asked_alike", "unasked_heads"]


def unasked_heads(results: Results) -> list[str]:
    """Return a sentence on the learners that were asked about fewer examples of a stream than others, if any were.

    They learn its head first, in batch or by an encoder: means over all predictions are of other examples than those of the
    others.
    """
    names = [name for name, is_fewer in zip(results.learners, _asked_less(results), strict=True) if is_fewer]
    if not names:
        return []
    learns, was = ("learns", "was") if len(names) == 1 else ("learn", "were")
    alike = ", those of the final accuracy are" if are_asked_alike(results, "final_accuracy") else ""
    return [
        f"{formatting.and_list(names)} {learns} the head of the stream first and {was} not asked about it: means over all "
        f"predictions are not of the same examples{alike}."
    ]


def are_asked_alike(results: Results, measure: str) -> bool:
    """Whether all learners were asked about the examples that a measure is of: the final accuracy is of the last only."""
    if not any(_asked_less(results)):
        return True
    protocol = results.config.protocol
    if measure != "final_accuracy" or not isinstance(protocol, Prequential):
        return False
    n = results.over_trials("n_train", "max")
    final = n.map(lambda length: length - begin_final(int(length), protocol.final_fraction), na_action="ignore")
    return not (results.over_trials("n_test", "max") < final).any(axis=None)


def _asked_less(results: Results) -> list[bool]:
    """Return, by learner, whether it was not asked about more of the head of a stream than another one."""
    if not isinstance(results.config.protocol, Prequential) or results.finished.empty:
        return [False] * len(results.learners)
    head = results.over_trials("n_train", "max") - results.over_trials("n_test", "max")
    return head.gt(head.min(axis=1), axis=0).any().tolist()
