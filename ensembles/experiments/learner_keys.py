"""What programs call the learners of one experiment: `online_bagging/naive_bayes`, and what differs where two share that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ensembles.learners.core.attribute_encoder import AttributeEncoder
from ensembles.wording import distinct

if TYPE_CHECKING:
    from ensembles.experiments.learner_spec import LearnerSpec

__all__ = ["all_settings", "learner_keys"]


def learner_keys(learners: Sequence[LearnerSpec]) -> tuple[str, ...]:
    """Return a key for each of several learners, no two alike: the method, and behind a stroke the base model if it has one.

    The settings in which learners of the same method and base model differ stand behind it, those of the base model as
    `base.`, of the encoding as `encode.`: `bagging/decision_tree(base.max_depth=3,n_estimators=10)`.
    """
    names = [f"{learner.method}/{learner.base}" if learner.base else learner.method for learner in learners]
    settings = [all_settings(learner) for learner in learners]
    keys = []
    for name, own in zip(names, settings, strict=True):
        alike = [other for other, its_name in zip(settings, names, strict=True) if its_name == name]
        told = [f"{key}={_value(own[key])}" for key in sorted(own) if any(other[key] != own[key] for other in alike)]
        keys.append(f"{name}({','.join(told)})" if told else name)
    return distinct(keys)


def all_settings(learner: LearnerSpec) -> dict[str, Any]:
    """Return every setting of a learner, those with their defaults too: `n_estimators`, `base.max_depth`, `encode.bins`."""
    groups = (
        ("", learner.entry.parameters, learner.settings),
        ("base.", learner.base_parameters, learner.base_settings),
        ("encode.", AttributeEncoder.parameters, learner.encode),
    )
    return {
        f"{prefix}{parameter.name}": given.get(parameter.name, parameter.default)
        for prefix, parameters, given in groups
        for parameter in parameters
    }


def _value(value: Any) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else f"{value}"
