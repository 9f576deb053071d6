"""A name for an experiment to which its user gave none."""

from collections.abc import Sequence

from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.registry import methods, within_sentence
from ensembles.reports.formatting import and_list, pluralize

__all__ = ["suggested_name"]

_LONGEST = 200


def suggested_name(learners: Sequence[LearnerSpec], datasets: Sequence[str]) -> str:
    """Return a name for an experiment without one: "Bagging and online bagging on Iris", "... on 3 data sets"."""
    names = list(dict.fromkeys(methods()[learner.method].name for learner in learners))
    if not names:
        return "Experiment"
    listed = and_list([names[0], *map(within_sentence, names[1:])])
    what = listed if len(names) < 4 else pluralize(len(names), "method")
    where = datasets[0] if len(datasets) == 1 else pluralize(len(datasets), "data set")
    return f"{what} on {where}"[:_LONGEST] if datasets else what
