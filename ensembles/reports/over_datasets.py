"""Significance over data sets: two learners by several tests and effect sizes, and the ranks of all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ensembles.evaluation.bayesian_t import ROPE
from ensembles.evaluation.effects import (
    ErrorReduction,
    Posterior,
    WinTieLoss,
    bayesian_signed_rank,
    error_reduction,
    win_tie_loss,
)
from ensembles.evaluation.rank_tests import RankComparison, compare_ranks
from ensembles.evaluation.significance import Finding, wilcoxon_test
from ensembles.experiments.results import Results, check_learners
from ensembles.reports import formatting
from ensembles.reports.shared_means import compared_learners, independent_means, with_notes
from ensembles.reports.significance import Question

__all__ = ["OverDatasets", "compare_over_datasets", "rank_learners", "rank_table"]


@dataclass(frozen=True)
class OverDatasets:
    """Two learners over all data sets; `reduction` is there for the error only."""

    counts: WinTieLoss
    ranks: Finding
    posterior: Posterior
    reduction: ErrorReduction | None

    @property
    def findings(self) -> tuple[WinTieLoss | Finding | Posterior | ErrorReduction, ...]:
        """All of them; each has a `sentence` and says what it `assumes`."""
        found = (self.counts, self.ranks, self.posterior, self.reduction)
        return tuple(finding for finding in found if finding is not None)


def compare_over_datasets(
    results: Results, question: Question, first: int, second: int, rope: float = ROPE
) -> OverDatasets:
    """Compare two learners (by position) over all data sets by their means on the splits that both have.

    Parameters
    ----------
    rope : float
        Differences up to it do not matter in practice: in units of the measure, of amounts as a share of the larger one.
    """
    check_learners("compare_over_datasets", results, first=first, second=second)
    pair = independent_means(results, question.measure, (first, second)).T
    of_amounts = formatting.is_amount(question.measure)
    larger = np.abs(pair).max(axis=0) if of_amounts else np.ones(pair.shape[1])
    weighed = pair / np.where(larger > 0.0, larger, 1.0)
    names = results.learners[first], results.learners[second]
    lower = question.lower_is_better
    reduction = None
    if question.measure in {"error", "accuracy"}:
        reduction = error_reduction(*independent_means(results, "error", (first, second)).T, names=names)
    counts = win_tie_loss(*pair, lower_is_better=lower, names=names)
    return OverDatasets(
        replace(counts, sentence=with_notes(counts.sentence, results, range(len(results.learners)))),
        wilcoxon_test(*pair, lower_is_better=lower, alpha=question.alpha, names=names),
        bayesian_signed_rank(
            *weighed,
            rope=rope,
            lower_is_better=lower,
            names=names,
            of_what=" of the larger one" if of_amounts else "",
        ),
        reduction,
    )


def rank_learners(results: Results, question: Question, control: int | None = None) -> RankComparison:
    """Rank the learners that are compared over data sets by their means; `control` is the learner of Holm's procedure.

    Positions in what is returned are those in its `names`.
    """
    check_learners("rank_learners", results, control=control)
    means = independent_means(results, question.measure)
    compared = compared_learners(means)
    ranks = compare_ranks(
        means[:, compared],
        [results.learners[learner] for learner in compared],
        lower_is_better=question.lower_is_better,
        alpha=question.alpha,
        control=compared.index(control) if control in compared else None,
    )
    return replace(ranks, sentence=with_notes(ranks.sentence, results, compared))


def rank_table(ranks: RankComparison) -> pd.DataFrame:
    """Return one row a learner, the best rank first, with Holm's p-value against the control."""
    holm = {one.learner: one.adjusted for one in ranks.holm}
    order = sorted(range(len(ranks.average_ranks)), key=lambda learner: ranks.average_ranks[learner])
    control = ranks.names[ranks.control]
    return pd.DataFrame(
        {
            "Learner": [ranks.names[learner] for learner in order],
            "Average rank": [ranks.average_ranks[learner] for learner in order],
            f"p against {control} (Holm)": [holm.get(learner, float("nan")) for learner in order],
            f"p against {control} (Nemenyi)": [
                ranks.nemenyi[learner][ranks.control] if learner != ranks.control else float("nan") for learner in order
            ],
        }
    )
