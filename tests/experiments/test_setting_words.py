"""Settings of learners are called by plain words, the same everywhere."""

import pytest

from ensembles.experiments.setting_words import WORDS, plain_parameters
from ensembles.registry import Entry, base_models, methods

ENTRIES = [*methods().values(), *base_models().values()]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_every_setting_has_words_of_its_own_and_says_what_files_call_it(entry: Entry) -> None:
    labels = [one.label for one in plain_parameters(entry)]
    assert len(set(labels)) == len(labels)
    for label, parameter in zip(labels, plain_parameters(entry), strict=True):
        assert label[0].isupper()
        assert len(label) > 3
        assert "_" not in label
        assert parameter.help.endswith(f". In files: `{parameter.name}`.")


def test_no_word_is_without_its_setting() -> None:
    declared = {(entry.key, one.name): one.label for entry in ENTRIES for one in entry.parameters}
    for name, word in WORDS.items():
        *key, own = name.split(".")
        labels = [label for (owner, parameter), label in declared.items() if parameter == own and key in ([], [owner])]
        assert set(labels) - {word}, f"{name}: nothing is called otherwise than {word!r}"
