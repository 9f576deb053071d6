"""What the best learner costs, beside those that cannot be told from it."""

from __future__ import annotations

import math

from ensembles.reports import formatting
from ensembles.reports.verdict import Verdict

__all__ = ["cost_words"]

_LONGER = 1.05  # times as much: less is about as much


def cost_words(verdict: Verdict) -> str:
    """Return the processor time of the best learner in words; "" where it is unknown."""
    best = verdict.rows[0].learner
    own = verdict.costs[best]
    if math.isnan(own):
        return ""
    over = ", summed over the data sets with results" if verdict.n_datasets > 1 else ""
    once = ", mean over its training sets" if verdict.protocol.trainings > 1 else ""
    of_what = f"of processor time to train and predict (median trial{once}{over})"
    takes = f"{formatting.seconds(own)} {of_what}"
    if verdict.is_level:
        known = [row.learner for row in verdict.level if not math.isnan(verdict.costs[row.learner])]
        each = [f"{verdict.labels[learner]} {formatting.seconds(verdict.costs[learner])}" for learner in known]
        return f"{formatting.and_list(each)} {of_what}."
    tied = [row for row in verdict.standing("tied") if not math.isnan(verdict.costs[row.learner])]
    if not tied:
        return f"{takes}."
    only_same = all(row.same for row in tied)  # where too little is there to tell others, which may take less
    told, tells = ("never differ", "never differs") if only_same else ("cannot be told",) * 2
    cheapest = min((row.learner for row in tied), key=verdict.costs.__getitem__)
    seconds = verdict.costs[cheapest]
    if seconds > own and seconds >= _LONGER * own:
        return f"{takes}; all that {told} from it take longer."
    times = f"{_times(own / seconds)} times as much as" if seconds and own >= _LONGER * seconds else "about as much as"
    return f"{takes}, {times} the cheapest that {tells} from it, {verdict.labels[cheapest]} ({formatting.seconds(seconds)})."


def _times(ratio: float) -> str:
    return f"{ratio:.1f}".removesuffix(".0") if ratio < 9.95 else f"{ratio:,.0f}"
