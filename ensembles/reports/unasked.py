"""Learners that were not asked about the head of a stream: their results are read beside those of other examples."""

from __future__ import annotations

from ensembles.evaluation.prequential import begin_final
from ensembles.experiments.config import Prequential
from ensembles.experiments.results import Results
from ensembles.reports import formatting

__all__ = ["unasked_heads"]


def unasked_heads(results: Results) -> list[str]:
    """Return a sentence on the learners that were asked about fewer examples of a stream than others, if any were.

    They learn its head first, in batch or by an encoder: means over all predictions are of other examples than those of the
    others.
    """
    protocol = results.config.protocol
    if not isinstance(protocol, Prequential) or results.finished.empty:
        return []
    asked, n = results.over_trials("n_test", "max"), results.over_trials("n_train", "max")
    fewer = asked.lt(asked.max(axis=1), axis=0).any()
    names = [name for name, is_fewer in zip(results.learners, fewer, strict=True) if is_fewer]
    if not names:
        return []
    final = n.map(lambda length: length - begin_final(int(length), protocol.final_fraction), na_action="ignore")
    learns, was = ("learns", "was") if len(names) == 1 else ("learn", "were")
    alike = "" if (asked < final).any(axis=None) else ", those of the final accuracy are"
    return [
        f"{formatting.and_list(names)} {learns} the head of the stream first and {was} not asked about it: means over all "
        f"predictions are not of the same examples{alike}."
    ]
