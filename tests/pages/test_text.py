"""Names of users reach the screen letter by letter."""

import string

import pytest

from ensembles.reports.formatting import and_list, pluralize
from pages.parts.text import escape_lines, escape_markdown


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        "**bold** _it_ `code` [a](http://x.y) ![i](u) $x^2$ ~s~ #1 > q | t",
        "{a} :red[x] \\ & ' \"",
    ],
)
def test_every_mark_of_markdown_is_escaped(name: str) -> None:
    shown = escape_markdown(name)
    for position, letter in enumerate(shown):
        if letter in string.punctuation and letter != "\\":
            assert shown[position - 1] == "\\"
    assert shown.replace("\u2060", "").replace("\\", "") == name.replace("\\", "")


def test_shortcodes_and_links_are_broken_up_because_they_are_recognised_after_unescaping() -> None:
    assert ":material" not in escape_markdown(":material/home:").replace("\\", "")
    assert "http://" not in escape_markdown("http://x.y").replace("\\", "")
    assert "www.x" not in escape_markdown("www.x.y").replace("\\", "")
    assert "a@b" not in escape_markdown("a@b.c").replace("\\", "")


def test_a_plain_sentence_gets_nothing_invisible() -> None:
    assert escape_markdown("today 09:41, ratio 1:2, a: b").replace("\\", "") == "today 09:41, ratio 1:2, a: b"


def test_a_name_of_several_lines_becomes_one() -> None:
    assert escape_markdown("a\n# b\n\n- c") == "a \\# b \\- c"


def test_several_sentences_are_a_list_and_a_single_one_is_none() -> None:
    assert escape_lines("a*b") == "a\\*b"
    assert escape_lines("so:\na*b") == "so\\: a\\*b"
    assert escape_lines("so:\na\n# b\n") == "so\\:\n* a\n* \\# b"
    assert escape_lines("a\nb") == "* a\n* b"


def test_counts_agree_with_their_nouns() -> None:
    assert pluralize(1, "class", "classes") == "1 class"
    assert pluralize(2, "class", "classes") == "2 classes"
    assert pluralize(1050, "trial") == "1,050 trials"


def test_a_list_ends_with_and() -> None:
    assert and_list(["a"]) == "a"
    assert and_list(["a", "b", "c"]) == "a, b and c"
