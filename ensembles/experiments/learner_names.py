"""What people read for the learners of one experiment: what differs between them is named, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ensembles.experiments.setting_words import plain_parameters, told_setting
from ensembles.learners.core.attribute_encoder import AttributeEncoder
from ensembles.parameters import Parameter
from ensembles.registry import within_sentence

if TYPE_CHECKING:
    from ensembles.experiments.learner_spec import LearnerSpec

__all__ = ["learner_names"]

_MEMBERS = "n_estimators"


def learner_names(learners: Sequence[LearnerSpec], *, bases: bool = False) -> tuple[str, ...]:
    """Return a name for each of several different learners, no two alike.

    The base model is named where there are several, the number of members where it differs, a setting where learners of
    the same method or of the same base model differ in it, and an encoding where not all have the same one: "AdaBoost",
    "AdaBoost of decision stumps", "AdaBoost of 100 decision stumps (questions chosen by training error)".

    Parameters
    ----------
    bases : bool
        Whether to name the base model where all have the same one too: nothing beside the names tells it.
    """
    has_bases = bases or len({learner.base for learner in learners if learner.base}) > 1
    has_members = len({learner.n_members for learner in learners if _has_members(learner)}) > 1
    return tuple(_named(learner, learners, base=has_bases, members=has_members) for learner in learners)


def _named(learner: LearnerSpec, learners: Sequence[LearnerSpec], *, base: bool, members: bool) -> str:
    told = [
        *_differing(
            (one for one in plain_parameters(learner.entry) if one.name != _MEMBERS),
            learner.settings,
            [x.settings for x in learners if x.method == learner.method],
        ),
        *_differing(
            plain_parameters(learner.base_entry) if learner.base_entry else (),
            learner.base_settings,
            [x.base_settings for x in learners if x.base == learner.base],
        ),
        *_differing(AttributeEncoder.parameters, learner.encode, [x.encode for x in learners], defaults=False),
    ]
    name = _short(learner, base=base, members=members)
    return f"{name} ({', '.join(told)})" if told else name


def _short(learner: LearnerSpec, *, base: bool, members: bool) -> str:
    name, model = learner.entry.name, within_sentence(learner.base_entry.name) if learner.base_entry else "member"
    base = base and learner.base is not None
    if not _has_members(learner):
        return f"{name}: {model}" if base else name
    n = learner.n_members
    models = f"{model}{'s' if n > 1 and not model.endswith('s') else ''}"
    if members:
        return f"{name} of {n:,} {models if base else 'member' if n == 1 else 'members'}"
    return f"{name} of {models}" if base else name


def _has_members(learner: LearnerSpec) -> bool:
    return any(parameter.name == _MEMBERS for parameter in learner.entry.parameters)


def _differing(
    parameters: Iterable[Parameter],
    own: Mapping[str, Any],
    others: Sequence[Mapping[str, Any]],
    *,
    defaults: bool = True,
) -> list[str]:
    """Return in words the settings that are not the same in all of `others`; without `defaults` only what was changed."""
    told = []
    for parameter in parameters:
        name, default = parameter.name, parameter.default
        differs = len({settings.get(name, default) for settings in others}) > 1
        if differs and (defaults or own.get(name, default) != default):
            told.append(told_setting(parameter, own.get(name, default)))
    return told
