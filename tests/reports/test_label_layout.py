"""Names in a scatterplot: measured as Plotly sets them, they lie on nothing, and only those without room are left out."""

import numpy as np
import pytest

from ensembles.reports.label_layout import NamedPoint, place_names

PLACES = [f"{level} {side}" for level in ("top", "middle", "bottom") for side in ("left", "center", "right")]
PLACES.remove("middle center")


def rectangle(point, place, side):
    """Return left, bottom, right, top of a name in pixels: text of 14 pixels, 8 from the middle of its point."""
    x, y, width = point.x * side, point.y * side, 5.8 * len(point.name)
    left = x - 8 - width if "left" in place else x + 8 if "right" in place else x - width / 2
    bottom = y + 8 if "top" in place else y - 22 if "bottom" in place else y - 7
    return left, bottom, left + width, bottom + 14


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def is_free(points, row, place, placed, side):
    own = rectangle(points[row], place, side)
    names = [rectangle(points[other], where, side) for other, where in placed.items() if other != row]
    marks = [
        (other.x * side - 8, other.y * side - 8, other.x * side + 8, other.y * side + 8)
        for position, other in enumerate(points)
        if position != row
    ]
    inside = own[0] >= 0 and own[1] >= 0 and own[2] <= side and own[3] <= side
    same_side = own[3] > own[0] if points[row].y > points[row].x else own[1] < own[2]
    return inside and same_side and all(apart(own, other) for other in names + marks)


@pytest.mark.parametrize("seed", range(12))
def test_names_cover_nothing_and_none_is_left_out_that_has_room(seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.1, 0.9, 20) if seed % 2 else rng.beta(1, 4, 20)
    y = np.clip(x + rng.normal(0, 0.08, 20), 0.05, 0.95)
    points = [NamedPoint(a, b, "Breast cancer"[: 3 + row % 11]) for row, (a, b) in enumerate(zip(x, y, strict=True))]
    placed = place_names(points, range(20), most=20)
    assert placed == place_names(points, range(20), most=20)
    assert 3 < len(placed) < 20
    for side in (240, 330):
        assert [row for row, place in placed.items() if not is_free(points, row, place, placed, side)] == []
    for row in set(range(20)) - set(placed):
        before = {other: place for other, place in placed.items() if other < row}
        assert not any(all(is_free(points, row, place, before, side) for side in (240, 330)) for place in PLACES)


def place_of(x, y, *others, name="Synthetic-3", notes=("", "")):
    points = [NamedPoint(x, y, name), *(NamedPoint(*other, "") for other in others)]
    return place_names(points, [0], most=1, notes=notes).get(0)


@pytest.mark.parametrize(("x", "y", "far"), [(0.4, 0.6, "middle left"), (0.6, 0.4, "middle right")])
def test_a_name_stands_on_the_far_side_from_the_diagonal(x, y, far):
    assert place_of(x, y) == far


def test_a_name_goes_round_the_point_beside_it():
    assert place_of(0.5, 0.7, (0.4, 0.7)) == "top left"
    assert place_of(0.5, 0.7, (0.4, 0.7), (0.4, 0.76)) == "bottom left"


def test_a_name_stays_inside_and_rather_off_the_diagonal():
    assert place_of(0.1, 0.6) == "top right"
    assert place_of(0.05, 0.12) == "top right"
    assert place_of(0.97, 0.96, name="a name of some words") == "bottom left"


def test_a_name_leaves_the_words_in_the_corners_free():
    assert place_of(0.5, 0.97) == "middle left"
    assert place_of(0.5, 0.97, notes=("above the line: AdaBoost wins", "")) == "bottom left"


def test_a_name_without_room_is_left_out():
    around = [(0.5 + dx, 0.6 + dy) for dx in (-0.09, 0.0, 0.09) for dy in (-0.06, 0.0, 0.06) if (dx, dy) != (0.0, 0.0)]
    assert place_of(0.5, 0.6, *around) is None


def test_the_most_important_names_come_first():
    points = [NamedPoint(0.5, 0.6, "one"), NamedPoint(0.3, 0.7, "two"), NamedPoint(0.6, 0.9, "three")]
    assert list(place_names(points, [2, 0, 1], most=2)) == [2, 0]
    assert place_names([], [], most=4) == {}
