"""The generators of MOA that papers on changing streams use, with their changes, to the last value.

A concept is a generator of its own, whose seeds are that of the stream plus the number of concepts before it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ensembles.data.generators.generator import Generator
from ensembles.data.generators.hyperplane import HYPERPLANE
from ensembles.data.generators.led import SEGMENTS
from ensembles.data.generators.moa.concept_drift import concepts_of, concepts_over
from ensembles.data.generators.moa.models import Centres, grow_tree, place_centres, turn_plane
from ensembles.data.generators.random_tree import RANDOM_TREE
from ensembles.data.generators.stream import Floats, Labels, Made, Stream
from ensembles.data.table import Attribute, Table
from ensembles.parameters import Integer, Parameter, Real

__all__ = ["MOA_STREAMS"]

_SEA_BOUNDS = (8.0, 9.0, 7.0, 9.5)
_LED_PLACES = (1, 3, 5, 7)  #: attributes that have changed places in each concept
_LED_ATTRIBUTES = 24
_AGRAWAL = (
    *(Attribute(name, "numeric") for name in ("salary", "commission", "age")),
    Attribute("elevel", "nominal", tuple(f"level{code}" for code in range(5))),
    Attribute("car", "nominal", tuple(f"car{code}" for code in range(1, 21))),
    Attribute("zipcode", "nominal", tuple(f"zipcode{code}" for code in range(1, 10))),
    *(Attribute(name, "numeric") for name in ("hvalue", "hyears", "loan")),
)
_Draw = Callable[[Floats, Labels], None]
_Begin = Callable[[int, Any], _Draw]


def sea(stream: Stream, concept: int) -> Made:
    """Generate SEA concepts: three numbers of [0, 10), class 1 where the first two add up to more than a bound.

    References
    ----------
    Street and Kim (2001), A streaming ensemble algorithm (SEA); MOA's SEAGenerator, whose option `-f` is `concept`.
    """
    from ensembles.data.generators.moa.kernels import draw_sea  # see data/openml.py

    def begin(change: int, random: Any) -> _Draw:
        bound, noise = _SEA_BOUNDS[(concept - 1 + change) % 4], _percent(stream.noise)
        return lambda values, labels: draw_sea(random, values, labels, bound, noise)

    return _drawn("SEA (MOA)", stream, _numbers("attrib", 3), ("groupA", "groupB"), begin)


def agrawal(stream: Stream, concept: int) -> Made:
    """Generate applicants for a loan, in one of two groups by one of ten functions of what is known of them.

    `noise` moves numbers by up to this share of their range, after the class is told.

    References
    ----------
    Agrawal, Imielinski and Swami (1993), Database mining: a performance perspective; MOA's AgrawalGenerator, whose option
    `-f` is `concept`.
    """
    from ensembles.data.generators.moa.kernels import draw_agrawal  # see data/openml.py

    def begin(change: int, random: Any) -> _Draw:
        function = (concept - 1 + change) % 10 + 1
        return lambda values, labels: draw_agrawal(random, values, labels, function, float(stream.noise))

    return _drawn("Agrawal (MOA)", stream, list(_AGRAWAL), ("groupA", "groupB"), begin)


def led(stream: Stream, concept: int) -> Made:
    """Generate the digits of LED-24; in its four concepts 1, 3, 5 and 7 segments have changed places with noise.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), section 2.6.1; MOA's LEDGeneratorDrift, the concepts those of Gomes et al.
    (2017).
    """
    from ensembles.data.generators.moa.kernels import draw_led  # see data/openml.py

    def begin(change: int, random: Any) -> _Draw:
        swapped = np.arange(_LED_PLACES[(concept - 1 + change) % 4])
        places = np.arange(_LED_ATTRIBUTES)
        places[swapped], places[swapped + 7] = swapped + 7, swapped
        segments, noise = SEGMENTS.astype(np.int64), _percent(stream.noise)
        return lambda values, labels: draw_led(random, values, labels, segments, places, noise)

    attributes = [Attribute(f"att{position}", "nominal", ("0", "1")) for position in range(1, _LED_ATTRIBUTES + 1)]
    return _drawn("LED (MOA)", stream, attributes, tuple(str(digit) for digit in range(10)), begin)


def hyperplane(stream: Stream, attributes: int, turning: int, magnitude: float, turn_back: float) -> Made:
    """Generate points of [0, 1) on two sides of a plane, whose weights move with every example.

    References
    ----------
    Hulten, Spencer and Domingos (2001), Mining time-changing data streams; MOA's HyperplaneGenerator.
    """
    from ensembles.data.generators.moa.kernels import draw_hyperplane  # see data/openml.py

    turning = min(turning, attributes)

    def begin(_: int, random: Any) -> _Draw:
        weights = turn_plane(random, attributes, turning)
        moves = (turning, float(magnitude), _percent(stream.noise), _percent(turn_back))
        return lambda values, labels: draw_hyperplane(random, values, labels, weights, *moves)

    return _drawn("Hyperplane (MOA)", stream, _numbers("att", attributes), ("class1", "class2"), begin)


def random_tree(
    stream: Stream, nominal: int, values: int, numeric: int, classes: int, depth: int, leaf_fraction: float
) -> Made:
    """Generate examples whose class a random tree tells.

    References
    ----------
    Domingos and Hulten (2000), Mining high-speed data streams; MOA's RandomTreeGenerator.
    """
    from ensembles.data.generators.moa.kernels import draw_random_tree  # see data/openml.py

    def begin(change: int, random: Any) -> _Draw:
        tree = grow_tree(stream.seed + change, nominal, values, numeric, classes, depth, leaf_fraction)
        return lambda drawn, labels: draw_random_tree(random, drawn, labels, nominal, values, tree)

    words = tuple(f"value{code}" for code in range(1, values + 1))
    attributes = [Attribute(f"nominal{position}", "nominal", words) for position in range(1, nominal + 1)]
    return _drawn("Random tree (MOA)", stream, [*attributes, *_numbers("numeric", numeric)], _classes(classes), begin)


def random_rbf(stream: Stream, attributes: int, classes: int, centres: int, moving: int, speed: float) -> Made:
    """Generate points around centres that move, each centre with a class, a weight and a deviation of its own.

    References
    ----------
    Bifet, Holmes, Pfahringer, Kirkby and Gavaldà (2009), New ensemble methods for evolving data streams, section 5.1; MOA's
    RandomRBFGeneratorDrift, and RandomRBFGenerator where `speed` is 0.
    """
    from ensembles.data.generators.moa.kernels import draw_random_rbf  # see data/openml.py

    def begin(change: int, random: Any) -> _Draw:
        placed: Centres = place_centres(stream.seed + change, attributes, classes, centres, moving)
        spare = np.zeros(2)
        return lambda values, labels: draw_random_rbf(random, spare, values, labels, placed, float(speed))

    return _drawn("Random RBF (MOA)", stream, _numbers("att", attributes), _classes(classes), begin)


def _drawn(name: str, stream: Stream, attributes: list[Attribute], classes: tuple[str, ...], begin: _Begin) -> Made:
    """Return the examples of all concepts, each drawn by itself, in the order in which the stream asks for them."""
    from ensembles.data.generators.moa.java_random import new_random  # see data/openml.py

    concepts, draws = concepts_of(stream), stream.once("draws", dict)
    values, labels = np.empty((stream.n, len(attributes))), np.empty(stream.n, dtype=np.int64)
    for concept in np.unique(concepts).tolist():
        if concept not in draws:
            draws[concept] = begin(concept, new_random(stream.seed + concept))
        rows = np.flatnonzero(concepts == concept)
        own, told = np.empty((len(rows), len(attributes))), np.empty(len(rows), dtype=np.int64)
        draws[concept](own, told)
        values[rows], labels[rows] = own, told
    for concept in [known for known in draws if known < concepts_over(stream)]:
        del draws[concept]
    columns = [
        column.astype(np.int32) if attribute.kind == "nominal" else column.copy()
        for attribute, column in zip(attributes, values.T, strict=True)
    ]
    return Made(name, Table.from_columns(attributes, columns), labels, classes)


def _percent(share: float) -> int:
    return round(100 * share)


def _numbers(name: str, n: int) -> list[Attribute]:
    return [Attribute(f"{name}{position}", "numeric") for position in range(1, n + 1)]


def _classes(n: int) -> tuple[str, ...]:
    return tuple(f"class{code}" for code in range(1, n + 1))


def _noise(share: float) -> Parameter:
    return Real(
        "noise", share, "Noise", "Share of the examples that get another class, in whole percents.", low=0.0, high=1.0
    )


def _concept(most: int, text: str) -> Parameter:
    return Integer("concept", 1, "First concept", f"{text} After a change comes the next.", low=1, high=most)


def _stream(key: str, make: Callable[..., Made], noise: Parameter | None, *own: Parameter) -> Generator:
    text = "How often the concept changes, if abrupt or gradual: after as many examples again each."
    times = Integer("times", 1, "Changes", text, low=1, high=100)
    return Generator(f"moa_{key}", 20_000, make, noise, (*own, times), ratio=False, carries=True)


MOA_STREAMS = (
    _stream(
        "led",
        led,
        Real(
            "noise",
            0.1,
            "Noise",
            "Probability that a segment shows the wrong thing, in whole percents.",
            low=0.0,
            high=1.0,
        ),
        _concept(4, "Which first: of 1, 3, 5 and 7 segments that changed places."),
    ),
    _stream("sea", sea, _noise(0.1), _concept(4, "Which bound comes first: of 8, 9, 7 and 9.5.")),
    _stream(
        "agrawal",
        agrawal,
        Real("noise", 0.05, "Noise", "By which share of their range numbers are moved.", low=0.0, high=1.0),
        _concept(10, "Which of the ten functions comes first."),
    ),
    _stream("random_tree", random_tree, None, *RANDOM_TREE.own),
    _stream(
        "random_rbf",
        random_rbf,
        None,
        Integer("attributes", 10, "Attributes", "Dimensions of the space.", low=1, high=200),
        Integer("classes", 5, "Classes", "How many classes there are.", low=2, high=100),
        Integer("centres", 50, "Centres", "Around how many centres points lie.", low=1, high=10_000),
        Integer("moving", 50, "Centres that move", "How many of them move with every example.", low=0, high=10_000),
        Real("speed", 0.0, "Speed", "How far they move with every example.", low=0.0, high=1.0),
    ),
    _stream("hyperplane", hyperplane, _noise(0.05), *HYPERPLANE.own),
)
