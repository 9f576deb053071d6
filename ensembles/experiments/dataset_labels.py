"""What people read for the data sets of one experiment: generated ones by the settings in which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ensembles.data import catalogue
from ensembles.experiments.setting_words import told_setting
from ensembles.parameters import Parameter
from ensembles.wording import distinct

if TYPE_CHECKING:
    from ensembles.experiments.dataset_ref import DatasetRef

__all__ = ["dataset_labels"]


def dataset_labels(references: Sequence[DatasetRef]) -> tuple[str, ...]:
    """Return a name for each data set, no two alike: "Iris", or "Synthetic-2, rows 200" beside "Synthetic-2, rows 1,000"."""
    return distinct([_label(one, [other for other in references if other.key == one.key]) for one in references])


def _label(reference: DatasetRef, alike: Sequence[DatasetRef]) -> str:
    settings = catalogue()[reference.key].settings if reference.key is not None else ()
    told = [
        told_setting(setting, _value(reference, setting))
        for setting in settings
        if len({repr(_value(other, setting)) for other in alike}) > 1
    ]
    return ", ".join([reference.label, *told])


def _value(reference: DatasetRef, setting: Parameter) -> Any:
    return reference.settings.get(setting.name, setting.default)
