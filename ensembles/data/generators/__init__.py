"""Data sets that are computed: streams with noise, class balance and drift, and balance scale.

Every function is vectorised and draws from seeded generators of its own, or is a kernel that draws as MOA does: the same
settings give the same data set on every machine.
"""

from ensembles.data.generators.balance_scale import balance_scale
from ensembles.data.generators.generator import Generator
from ensembles.data.generators.hyperplane import HYPERPLANE
from ensembles.data.generators.led import LED24
from ensembles.data.generators.moa import MOA_STREAMS
from ensembles.data.generators.random_tree import RANDOM_TREE
from ensembles.data.generators.sea import SEA
from ensembles.data.generators.stagger import STAGGER
from ensembles.data.generators.synthetic import SYNTHETIC
from ensembles.data.generators.waveform import WAVEFORM

__all__ = ["GENERATORS", "Generator", "balance_scale"]

#: Every generator by key, in the order of the catalogue.
GENERATORS: dict[str, Generator] = {
    generator.key: generator
    for generator in (*SYNTHETIC, LED24, *WAVEFORM, SEA, HYPERPLANE, RANDOM_TREE, STAGGER, *MOA_STREAMS)
}
