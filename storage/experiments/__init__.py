"""Experiments: launching, finding, naming, throwing away."""
