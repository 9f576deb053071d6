"""The verdict on an experiment in plain sentences, each with the test behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ensembles.evaluation.bayesian_t import ROPE
from ensembles.evaluation.finding import ASSUMES, format_p
from ensembles.evaluation.influence import OF_PREDICTED
from ensembles.evaluation.measures import KNOWN
from ensembles.evaluation.power import FEWEST_DATASETS, MOST_DATASETS, MOST_SPLITS, POWER
from ensembles.evaluation.rank_tests import datasets_for_pairs
from ensembles.evaluation.verdict import FEWEST_SPLITS, Beside
from ensembles.evaluation.verdict_on_examples import BY_CLASS, FEWEST_EXAMPLES, FEWEST_OF_A_CLASS
from ensembles.experiments.config import GivenSplit, Prequential
from ensembles.registry import within_sentence
from ensembles.reports import formatting
from ensembles.reports.verdict import OF_CLASSES, Verdict
from ensembles.reports.verdict_cost import cost_words

__all__ = [
    "Line",
    "chances_words",
    "how_it_was_tested",
    "how_to_read",
    "measure_words",
    "test_words",
    "verdict_lines",
    "verdict_sentences",
    "why_none",
]

_TESTS = {
    "corrected": "corrected resampled t-test",
    "unpaired": "corrected resampled t-test, Welch's for those that share no splits with the best,",
    "wilcoxon": "Wilcoxon's signed ranks",
    "mcnemar": "McNemar's test",
    "long_run": "t-test with the variance over the long run",
    "delta": "t-test by the delta method",
}
_PAIRS = {
    "corrected": "split",
    "unpaired": "split",
    "wilcoxon": "data set",
    "mcnemar": "example",
    "long_run": "example",
    "delta": "example",
}
_LONG_RUN = (
    "as neighbours on a stream resemble each other, the standard error of the t-test is that of the slow waves of the "
    "differences (equal-weighted cosines; Lazarus and others, 2018). So are the bars. Of several orders, all is of the "
    "first."
)
_ON_STREAMS = {
    "mcnemar": f"McNemar's test takes examples for independent, so a p-value is the larger one of both tests: {_LONG_RUN}",
    "long_run": f"The series that is tested says how each example moves the measure; {_LONG_RUN}",
}
_BY_SIGNS = (
    "Where the differences are the same on all splits, or as many examples, they leave a t-test nothing to measure by: the "
    "p-value is that of the sign test, and there is no bar."
)
_ALSO_ON_STREAMS = (
    "error and accuracy can be tested on it, and by this measure one that is held in memory, launched with the curve Single "
    "predictions."
)
_NAMED = 3  # learners of which it is said how many repeats would tell them


class Line(NamedTuple):
    """A sentence: what it is about, and what it says."""

    lead: str
    text: str

    @property
    def sentence(self) -> str:
        """Both, as plain text."""
        return f"{self.lead}: {self.text}"


def verdict_sentences(verdict: Verdict) -> list[str]:
    """Return the verdict as plain text, a sentence or two each."""
    return [line.sentence for line in verdict_lines(verdict)]


def verdict_lines(verdict: Verdict) -> list[Line]:
    """Return what is best, what cannot be told from it, what is clearly worse, what is open, and what it costs."""
    if not verdict.rows:
        return [Line("No verdict", why_none(verdict))]
    missing = [row for row in verdict.standing("undecided") if row.why == "missing"]
    lead = "Best" if verdict.is_tested else f"{'Level,' if verdict.is_level else 'Ahead, but'} not tested"
    if len(missing) == len(verdict.rows) - 1:
        lead = "Only one with enough results" if missing else "Only learner"
    lines = [Line(lead, _best(verdict))]
    tested = f" ({test_words(verdict)})"
    tied = verdict.standing("tied")
    if names := _names(verdict, [row for row in tied if not row.same]):
        lines.append(Line("Cannot be told from it", f"{names}{tested}.{_would_tell(verdict, tied)}"))
        tested = " (the same test)"
    if same := [row for row in tied if row.same]:
        never = f"never {'differs' if len(same) == 1 else 'differ'} from it, on any {_PAIRS[verdict.comparison.test]}"
        lines.append(Line("The same", f"{_names(verdict, same)} {never}{_order(verdict)}."))
    if names := _names(verdict, verdict.standing("worse")):
        lines.append(Line("Clearly worse", f"{names}{tested}."))
    if few := [row for row in verdict.standing("undecided") if row.why == "few"]:
        others = _names(verdict, [row for row in few if not (verdict.is_level and row in verdict.level)])
        who = f"{others}. " if others else ""
        lines.append(Line("Too little to tell", f"{who}{_too_few(verdict)}{_would_tell(verdict, few)}"))
    if names := _names(verdict, missing):
        lines.append(Line("Not compared", f"{names}: no more than half of the results that others have."))
    lines += [Line("Counted as one data set", verdict.counted_once)] * bool(verdict.counted_once)
    if cost := cost_words(verdict):
        lines.append(Line("Cost", cost))
    return lines


def why_none(verdict: Verdict) -> str:
    """Return why no learner is compared with another one."""
    if verdict.measure and verdict.n_datasets > 1:
        return "no data set has results of all learners, which a comparison over data sets needs."
    return "no trial has finished."


def measure_words(verdict: Verdict) -> str:
    """Return the measure as it stands in a sentence."""
    return within_sentence(formatting.measure_name(verdict.measure))


def test_words(verdict: Verdict) -> str:
    """Return the test, what it was done on, its correction and its level."""
    found = verdict.comparison
    on = "on" if _PAIRS[found.test] == "example" else "over"
    pairs = formatting.pluralize(found.n, _PAIRS[found.test])
    if found.test == "unpaired":
        pairs = f"{found.n:,} or more splits each"
    holm = f", adjusted by Holm for all {found.n_tests:,} pairs of learners" if found.n_tests > 1 else ""
    both = found.test == "mcnemar" and isinstance(verdict.protocol, Prequential)
    test = f"{_TESTS[found.test]} and {_TESTS['long_run']}" if both else _TESTS[found.test]
    return f"{test} {on} {pairs}{holm}, at {found.alpha:g}"


def how_to_read(verdict: Verdict, unit: str) -> str:
    """Return how to read the figure of the verdict, whose marks are in `unit`."""
    words = f"One row a learner, the best on top. Mark: {unit}."
    if all(math.isnan(row.low) for row in verdict.rows if row.standing != "best"):
        return words
    level = 100 * (1 - verdict.comparison.alpha)
    return f"{words} Bar: the {level:g} % interval of its distance from the best, taken alone."


def how_it_was_tested(verdict: Verdict) -> str:
    """Return what stands behind the words of the verdict, and what that takes for granted; "" without a test."""
    found = verdict.comparison
    if not verdict.is_tested:
        return ""
    words = [f"Told apart by {test_words(verdict)}."]
    if found.n_tests > 1:
        words.append(
            "All pairs count because the best was chosen by looking: a learner may not be told apart though its bar ends "
            "short of the best."
        )
    if not math.isnan(found.all_alike):
        words.append(
            f"That all learners are alike: {format_p(found.all_alike)} (Iman and Davenport's form of Friedman's test)."
        )
        if found.all_alike < found.alpha and not verdict.standing("worse"):
            words.append("It asks whether any differ at all, not which, so that no two need be told apart.")
    if isinstance(verdict.protocol, Prequential) and found.test in _ON_STREAMS:
        return " ".join([*words, _ON_STREAMS[found.test], ASSUMES["long_run"]])
    if found.test == "corrected" and any(row.p_value < 1.0 and math.isnan(row.low) for row in verdict.rows):
        words.append(_BY_SIGNS)
    if found.test == "mcnemar":
        words.append("Bars are of Student's t over the examples.")
    return " ".join([*words, ASSUMES[found.test]])


def chances_words(verdict: Verdict) -> str:
    """Return what the probabilities of learners say; "" where there are none."""
    if verdict.to_chances().empty:
        return ""
    best, of_it = verdict.labels[verdict.rows[0].learner], " of it" if formatting.is_amount(verdict.measure) else ""
    return (
        f"How probable it is that the {_mean_words(verdict)} of a learner is better than that of {best}, the same "
        f"for all practical purposes (a difference of up to {ROPE:g}{of_it}), or worse: the Bayesian correlated t-test on "
        "the same splits (Corani and Benavoli, 2015). It starts from no opinion, and is not adjusted for how many learners "
        "there are; unlike a p-value, it can say that two are the same."
    )


def _names(verdict: Verdict, rows: Sequence[Beside]) -> str:
    return formatting.and_list(verdict.labels[row.learner] for row in rows) if rows else ""


def _best(verdict: Verdict) -> str:
    """Return who comes first and how far; where others come as far, they are named too, as their order says nothing."""
    found, best, others = verdict.comparison, verdict.rows[0], verdict.level[1:]
    name, measure = verdict.labels[best.learner], measure_words(verdict)
    mean = formatting.number(verdict.means[best.learner])
    if verdict.is_level:
        name = _names(verdict, verdict.level)
        mean = formatting.and_list(
            dict.fromkeys(formatting.number(verdict.means[row.learner]) for row in verdict.level)
        )
    elif others:
        name = f"{name}, level with {_names(verdict, others)}"
    if verdict.n_datasets > 1:
        sets = formatting.pluralize(found.n, "data set")
        is_compared = sum(math.isfinite(row.value) for row in verdict.rows) > 1
        ranked = f"mean rank {best.value:.2f} over {sets}, " if is_compared else f"over {sets} "
        return f"{name}, {ranked}{_mean_words(verdict)} {mean}."
    return f"{name}, {measure} {mean}{_interval(verdict)}{_order(verdict)}."


def _mean_words(verdict: Verdict) -> str:
    """Return what the mean of the measure is called: that of a "mean squared error" is one, too."""
    measure = measure_words(verdict)
    return measure if measure.startswith("mean ") else f"mean {measure}"


def _interval(verdict: Verdict) -> str:
    """Return the interval of the best, which ends where the values of the measure do."""
    low, high = verdict.comparison.low, verdict.comparison.high
    if math.isnan(low):
        return ""
    if (known := KNOWN.get(verdict.measure)) is not None:
        low, high = max(low, known.low), min(high, known.high)
    return f" [{formatting.number(low)}, {formatting.number(high)}]"


def _order(verdict: Verdict) -> str:
    """Return that one order of several tells, which learners are compared by where it is by examples."""
    is_one = _PAIRS[verdict.comparison.test] == "example" and verdict.orders > 1
    return f" in the first of {verdict.orders:,} orders" if is_one else ""


def _too_few(verdict: Verdict) -> str:
    found = verdict.comparison
    if found.test == "wilcoxon":
        needed = datasets_for_pairs(found.n_tests, found.alpha)
        return (
            f"With {formatting.pluralize(found.n, 'data set')} nothing can be significant at {found.alpha:g}; with "
            f"{needed} it could."
        )
    if _PAIRS[found.test] == "example":
        told = f"{formatting.pluralize(found.n, 'example')} cannot tell"
        if verdict.measure in BY_CLASS and found.n >= FEWEST_EXAMPLES:
            return f"{told}: by this measure a class with fewer than {FEWEST_OF_A_CLASS} counts too much."
        return f"{told}."
    if isinstance(verdict.protocol, Prequential | GivenSplit):
        what = "A stream is" if isinstance(verdict.protocol, Prequential) else "A given test set is"
        if verdict.measure not in OF_CLASSES:
            if verdict.measure not in OF_PREDICTED:
                return f"{what} one split, on which only measures of predicted classes can be tested."
            if isinstance(verdict.protocol, Prequential):
                return f"{what} one split; {_ALSO_ON_STREAMS}"
            return (
                f"{what} one split; launched with the curve Single predictions, it can be tested by this measure too."
            )
        if isinstance(verdict.protocol, Prequential):
            return f"{what} one split; launched anew, it keeps what a test needs."
        return (
            f"{what} one split; launched with the curve Single predictions, it keeps them, and McNemar's test can tell."
        )
    splits = formatting.pluralize(found.n, "split")
    return (
        f"There {'is' if found.n == 1 else 'are'} {splits}; it takes {FEWEST_SPLITS} or more, and 10 repeats are usual."
    )


def _would_tell(verdict: Verdict, rows: Sequence[Beside]) -> str:
    """Return how many repeats or data sets would tell learners that were not told; nothing where more is not possible."""
    found = verdict.comparison
    open_ones = [row for row in rows if row.behind and not math.isnan(row.low)]
    differing = [row for row in open_ones if row.paired]
    if _PAIRS[found.test] == "example" or not differing:
        return ""
    over_datasets = found.test == "wilcoxon"
    repeats, folds = (1, 1) if over_datasets else verdict.protocol.splits
    if found.n < (FEWEST_DATASETS if over_datasets else FEWEST_SPLITS):
        return ""
    if not over_datasets and repeats * folds == 1 and isinstance(verdict.protocol, Prequential | GivenSplit):
        return ""
    needed = sorted((math.ceil(row.to_tell / folds), row.learner) for row in differing if row.to_tell)
    if not needed:
        if len(differing) < len(open_ones):  # of those that are not paired it is not known
            return ""
        most = f"{MOST_DATASETS + 1:,} data sets like these" if over_datasets else f"{MOST_SPLITS + 1:,} splits"
        return f" Not even {most} would tell at such differences with power {POWER:g}."
    told = [f"{n:,} for {verdict.labels[learner]}" for n, learner in needed[:_NAMED]]
    if len(differing) == 1:
        told = [f"{needed[0][0]:,}"]
    more = "" if len(differing) <= len(told) else ", more for others"
    units = "so many data sets like these" if over_datasets else "so many repeats"
    return f" At such differences, {units} would tell (power {POWER:g}): {', '.join(told)}{more}."
