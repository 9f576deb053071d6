"""What an experiment file is refused for, in the words of the form."""

import re
from collections.abc import Mapping
from typing import Any

from ensembles.data import catalogue
from pages.parts.choose_protocol import field_labels

__all__ = ["in_words_of_the_form"]

_PROTOCOL_FIELD = re.compile(r"^protocol\.(\w+): ")
_WHOLE = re.compile(r"^(?:experiment: )?(?:protocol: )?(\w)")
_DATASET = re.compile(r"^datasets\[\d+\]: | datasets\[\d+\],")
_SETTING = re.compile(r"^(\w+): (\w+) must ")
_LEARNER = re.compile(r" \(learners\[\d+\]\)")


def in_words_of_the_form(sentences: str, protocol: Mapping[str, Any]) -> str:
    """Return sentences on an experiment file, one a line, with every field called as the form calls it.

    "protocol.folds: must be ..." becomes "Folds must be ...": the form shows neither keys nor positions.

    Parameters
    ----------
    protocol : mapping
        The protocol as it was chosen in the form.
    """
    labels = field_labels(protocol)
    return ". ".join(_in_words(line, labels) for line in sentences.splitlines())


def _in_words(sentence: str, labels: Mapping[str, str]) -> str:
    sentence = _LEARNER.sub("", sentence)
    if field := _PROTOCOL_FIELD.match(sentence):
        return f"{labels.get(field[1], field[1])} {sentence[field.end() :]}"
    if _DATASET.match(sentence):
        return _DATASET.sub("", sentence)
    if (setting := _SETTING.match(sentence)) and setting[1] in catalogue():
        entry = catalogue()[setting[1]]
        called = {parameter.name: parameter.label for parameter in entry.settings}
        return f"{entry.name}: {called.get(setting[2], setting[2])} must {sentence[setting.end() :]}"
    return _WHOLE.sub(lambda found: found[1].upper(), sentence)
