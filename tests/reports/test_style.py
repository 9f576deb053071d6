import itertools
import math

import pytest

from ensembles.registry import methods
from ensembles.reports.style import THEMES, learner_styles, translucent
from tests.reports.made_up import make_config

METHODS = ("single", "bagging", "online_bagging", "adaboost", "online_boosting", "primed_online_boosting")


def styles_of(*learners):
    return learner_styles(make_config([{"method": method, "base": base} for method, base in learners]).learners)


def test_family_decides_hue_and_shape_and_online_learners_are_open():
    styles = styles_of(*((method, "naive_bayes") for method in METHODS))
    assert [style.symbol for style in styles] == [
        "circle",
        "square",
        "square-open",
        "diamond",
        "diamond-open",
        "triangle-up-open",
    ]
    assert [style.hue for style in styles[1:]] == ["#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#009E73"]
    assert {style.dash for style in styles} == {"solid"}


def test_a_learner_looks_the_same_in_every_company():
    alone = styles_of(("online_boosting", "naive_bayes"))[0]
    together = styles_of(*((method, "naive_bayes") for method in METHODS))[4]
    with_stumps = styles_of(("online_boosting", "decision_stump"))[0]
    assert alone == together == with_stumps


def test_one_method_with_two_base_models_is_told_apart_in_either_theme():
    pairs = list(itertools.product(METHODS, ("naive_bayes", "decision_stump")))
    styles = styles_of(*pairs)
    for first, second in itertools.combinations(styles, 2):
        assert (first.symbol, first.dash) != (second.symbol, second.dash) or first.hue != second.hue
    for theme in THEMES:
        assert styles[2].colour(theme) != styles[3].colour(theme)
        assert styles[2].symbol != styles[3].symbol
        assert styles[2].dash != styles[3].dash


def test_a_learner_that_is_added_changes_no_other():
    before = styles_of(("bagging", "naive_bayes"), ("bagging", "decision_stump"))
    small = {"method": "bagging", "base": "naive_bayes", "n_estimators": 5}
    bagging = [{"method": "bagging", "base": base} for base in ("naive_bayes", "decision_stump")]
    after = learner_styles(make_config([*bagging, small]).learners)
    assert after[:2] == before
    assert len({(style.symbol, style.dash) for style in after}) == 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_learner_of_a_kind_has_the_colour_of_okabe_and_ito(theme):
    assert styles_of(("bagging", "naive_bayes"))[0].colour(theme) == "#0072b2"


def test_a_band_is_its_colour_made_translucent():
    assert translucent("#0072B2", 0.13) == "rgba(0, 114, 178, 0.13)"


def channels(colour):
    return [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def brightness(colour):
    """Return the relative luminance of WCAG 2."""
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels(colour)]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("method", METHODS)
def test_learners_of_one_method_have_colours_of_their_own_that_stand_out_from_the_ground(method, theme):
    learners = [{"method": method, "base": "naive_bayes", "n_estimators": n} for n in range(1, 13)]
    if method == "single":
        learners = [{"method": "single", "base": base} for base in methods()["single"].bases[:12]]
    colours = [style.colour(theme) for style in learner_styles(make_config(learners).learners)]
    assert min(math.dist(channels(a), channels(b)) for a, b in itertools.combinations(colours[:4], 2)) > 0.2
    assert len(set(colours)) == len(colours)
    ground = brightness(THEMES[theme].background) + 0.05
    for colour in colours:
        mark = brightness(colour) + 0.05
        assert max(ground / mark, mark / ground) > 2.15
