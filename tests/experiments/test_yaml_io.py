"""YAML from strangers: read with care, refused in words."""

import pytest

from ensembles.errors import InvalidConfig
from ensembles.experiments.yaml_io import read_yaml, write_yaml

REFUSED = {
    "alias": ("a: &x [1, 2]\nb: *x\n", r"^line 2: not readable as YAML, aliases \(\*name\) are not allowed here$"),
    "a moment that is none": (
        "a: !!timestamp x",
        r"^line 1: not readable as YAML, tags \(!name\) are not allowed here$",
    ),
    "a truth that is none": ("a: 1\nb: [!!bool x]", r"^line 2: .* tags"),
    "a set": ("!!set {a, b}", r"^line 1: .* tags"),
    "alias bomb": ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", r"^line 2: .* aliases"),
    "field twice": ("a: 1\nb: 2\na: 3\n", r"^line 3: not readable as YAML, 'a' is given twice$"),
    "nested field twice": ("p: {a: 1, a: 2}", r"'a' is given twice"),
    "field that is a list": ("? [1, 2]\n: 3\n", r"^line 1: .* a field name must be text$"),
    "broken": ("a: [1, 2\nb: 3", r"^line 2: not readable as YAML, "),
    "tab": ("a:\n\t- 1", r"^line 2: not readable as YAML, "),
    "python object": (
        "a: !!python/object/apply:os.system ['true']",
        r"^line 1: not readable as YAML, tags",
    ),
    "control character": ("a: \x00", r"^experiment: not readable as YAML, character "),
    "deep": ("[" * 2_000, r"^experiment: not readable as YAML, nested too deep"),
    "huge number": (
        "a: " + "9" * 5000,
        r"^line 1: not readable as YAML, a number must have at most 100 characters, got 5,000$",
    ),
    "hexadecimal": ("a: 0x" + "f" * 5000, r"^line 1: .* a number must have at most 100 characters, got 5,002$"),
    "sixties": ("a: " + "1:" * 60_000 + "1", r"^line 1: .* a number must have at most 100 characters, got 120,001$"),
    "sixties and tenths": ("a: " + "1:" * 60_000 + "1.5", r"^line 1: .* a number must have at most 100 characters"),
    "two documents": ("a: 1\n---\nb: 2\n", r"not readable as YAML"),
    "long": ("a: " + "x" * 200_000, r"^experiment: the file must have at most 200,000 characters, it has 200,003$"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_document_that_cannot_be_used_gets_one_sentence(case: str) -> None:
    text, sentence = REFUSED[case]
    with pytest.raises(InvalidConfig, match=sentence) as caught:
        read_yaml(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"), [("1e-3", 1e-3), ("-2E5", -2e5), ("1.5e3", 1500.0), ("1e", "1e"), ("12", 12)]
)
def test_a_number_with_an_exponent_is_a_number(text: str, value: object) -> None:
    assert read_yaml(f"a: {text}") == {"a": value}


@pytest.mark.parametrize("value", ["1e-3", "yes", "", " x ", "a\nb", 1e-7, 1e22, 3, True, None, [1, [2, {"b": "c"}]]])
def test_values_survive_the_round_trip(value: object) -> None:
    back = read_yaml(write_yaml({"a": value}))["a"]
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize("escape", ["\\uD800", "\\0", "\\u202e", "\\x9f"])
def test_what_cannot_be_shown_or_stored_is_replaced(escape: str) -> None:
    assert read_yaml(f'a: "b{escape}c"\n"d{escape}": [{{e: "{escape}"}}]') == {
        "a": "b\ufffdc",
        "d\ufffd": [{"e": "\ufffd"}],
    }


def test_the_same_list_twice_is_written_out_twice() -> None:
    shared = [1, 2]
    assert read_yaml(write_yaml({"a": shared, "b": shared})) == {"a": [1, 2], "b": [1, 2]}
