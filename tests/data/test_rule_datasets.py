"""Data sets that follow from a rule hold every example of UCI's files with its class."""

import itertools

import numpy as np
import pytest

from ensembles.data import load_dataset


def examples(key):
    return [tuple(row) for row in load_dataset(key).to_frame().astype(str).to_numpy().tolist()]


@pytest.mark.parametrize("key", ["car", "nursery", "monks_1", "monks_2", "monks_3"])
def test_every_combination_stands_in_the_order_of_the_file(key):
    values = [attribute.categories for attribute in load_dataset(key).attributes]
    assert [row[:-1] for row in examples(key)] == list(itertools.product(*values))


@pytest.mark.parametrize(
    ("key", "row"),
    [
        ("car", "vhigh vhigh 2 2 small low unacc"),
        ("car", "low low 5more more big high vgood"),
        ("car", "med low 4 4 big med good"),
        ("car", "vhigh low 4 4 med high acc"),
        ("nursery", "usual proper complete 1 convenient convenient nonprob recommended recommend"),
        ("nursery", "usual proper complete 1 convenient convenient slightly_prob recommended recommend"),
        ("nursery", "usual proper complete 1 convenient convenient problematic priority priority"),
        ("nursery", "great_pret very_crit foster more critical inconv problematic recommended spec_prior"),
        ("nursery", "great_pret very_crit foster more critical inconv problematic not_recom not_recom"),
        ("tic_tac_toe", "x x x x o o x o o positive"),
        ("tic_tac_toe", "o x o x x o x o x negative"),
    ],
)
def test_rows_of_the_files_are_there(key, row):
    assert tuple(row.split()) in examples(key)


MONKS = {
    "monks_1": lambda a: a[0] == a[1] or a[4] == "1",
    "monks_2": lambda a: a.count("1") == 2,
    "monks_3": lambda a: (a[4] == "3" and a[3] == "1") or (a[4] != "4" and a[1] != "3"),
}


@pytest.mark.parametrize("key", MONKS)
def test_a_monks_problem_is_its_rule(key):
    assert [row[-1] == "1" for row in examples(key)] == [MONKS[key](row[:-1]) for row in examples(key)]


def played(board="b" * 9, turn="x", ends=None):
    """Return every board on which a game from `board` can end, and whether x has won, by playing all games."""
    ends = {} if ends is None else ends
    lines = [board[i : i + 3] for i in (0, 3, 6)] + [board[i::3] for i in (0, 1, 2)] + [board[::4], board[2:7:2]]
    if "xxx" in lines or "ooo" in lines or "b" not in board:
        ends[tuple(board)] = "positive" if "xxx" in lines else "negative"
        return ends
    for square in range(9):
        if board[square] == "b":
            played(board[:square] + turn + board[square + 1 :], "o" if turn == "x" else "x", ends)
    return ends


def test_tic_tac_toe_holds_the_ends_of_all_games_that_can_be_played():
    rows = examples("tic_tac_toe")
    assert {row[:-1]: row[-1] for row in rows} == played()
    assert len(rows) == 958
    assert np.array([row[-1] == "positive" for row in rows]).argmin() == 626
