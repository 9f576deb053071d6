"""A client for the JSON interface of an Ensemble Lab: launch from a notebook or a script, wait, read results.

>>> from ensembles.client import Lab
>>> lab = Lab("https://lab.example.org", token="lab_...")  # doctest: +SKIP
>>> lab.launch("experiment.yaml").wait().results()  # doctest: +SKIP
"""

from ensembles.client.lab import Lab
from ensembles.client.remote import RemoteDataset, RemoteExperiment

__all__ = ["Lab", "RemoteDataset", "RemoteExperiment"]
