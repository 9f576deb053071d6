"""Settings that were the defaults of a learner once and are not any more: said where results are read that have them."""

from __future__ import annotations

from collections.abc import Iterable

from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.setting_words import plain_parameters, told_setting

__all__ = ["first_defaults"]


def first_defaults(learners: Iterable[LearnerSpec]) -> list[str]:
    """Return a sentence for each method and base model with settings that were its defaults and are not any more.

    "AdaBoost has here what was its default before: more than two classes M1, as in Oza 2001."
    """
    said: dict[tuple[str, str], None] = {}
    for learner in learners:
        for entry, settings in ((learner.entry, learner.settings), (learner.base_entry, learner.base_settings)):
            if entry is None:
                continue
            told = [
                told_setting(one, settings[one.name])
                for one in plain_parameters(entry)
                if settings.get(one.name, one.default) != one.default and settings[one.name] in one.former_defaults
            ]
            if told:
                said[entry.name, ", ".join(told)] = None
    return [f"{name} has here what was its default before: {told}." for name, told in said]
