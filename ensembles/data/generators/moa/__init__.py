"""Streams of MOA, value for value: what papers on learning from streams measure by."""

from ensembles.data.generators.moa.streams import MOA_STREAMS

__all__ = ["MOA_STREAMS"]
