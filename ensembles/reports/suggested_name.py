"""A name for an experiment to which its user gave none."""

from collections.abc import Sequence

from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.registry import Entry, base_models, methods, within_sentence
from ensembles.reports.formatting import and_list, count_range, pluralize, shortened

__all__ = ["suggested_name"]

_LONGEST = 200
_MOST = 3  # methods, base models or data sets that are named one by one


def suggested_name(learners: Sequence[LearnerSpec], datasets: Sequence[str]) -> str:
    """Return a name for an experiment without one: methods, base models and data sets.

    "Bagging and online bagging of naive Bayes on Iris", "Bagging of 10 to 100 decision trees on 12 data sets"; families
    stand for many methods: "Bagging and boosting of perceptrons on Iris". Methods without a base model come
    last: "Bagging of perceptrons, random forest on Iris".
    """
    if not learners:
        return "Experiment"
    alone = [learner for learner in learners if learner.base is None]
    parts = [_what(some) for some in ([one for one in learners if one.base], alone) if some]
    what = ", ".join([parts[0], *map(within_sentence, parts[1:])])
    if not datasets:
        return shortened(what, _LONGEST)
    counted = f"{what} on {pluralize(len(datasets), 'data set')}"
    if len(datasets) > _MOST:
        return shortened(counted, _LONGEST)
    named = f"{what} on {and_list(datasets)}"
    return shortened(named if len(datasets) == 1 or len(named) <= _LONGEST else counted, _LONGEST)


def _what(learners: Sequence[LearnerSpec]) -> str:
    entries = [methods()[key] for key in dict.fromkeys(learner.method for learner in learners)]
    bases = [base_models()[key] for key in dict.fromkeys(learner.base for learner in learners if learner.base)]
    if not bases:
        return _listed(entries)
    ensembles = [learner for learner in learners if "n_estimators" in {p.name for p in learner.entry.parameters}]
    if not ensembles:
        models = and_list(within_sentence(base.name) for base in bases) if len(bases) <= _MOST else _counted(bases)
        return models[:1].upper() + models[1:]
    numbers = [learner.n_members for learner in ensembles]
    swept = f"{count_range(min(numbers), max(numbers))} " if min(numbers) < max(numbers) else ""
    several = [_plural(within_sentence(base.name)) for base in bases]
    return f"{_listed(entries)} of {swept}{and_list(several) if len(bases) <= _MOST else _counted(bases)}"


def _counted(bases: Sequence[Entry]) -> str:
    return pluralize(len(bases), "base model")


def _listed(entries: Sequence[Entry]) -> str:
    """Return the methods; where they are many, their families, but for a single model."""
    names = [entry.name for entry in entries]
    if len(names) > _MOST:
        families = dict.fromkeys(entry.family for entry in entries if entry.key != "single")
        names = [family.replace("_", " ").capitalize() for family in families]
    return and_list([names[0], *map(within_sentence, names[1:])])


def _plural(model: str) -> str:
    return model if model.endswith("s") else f"{model}s"
