"""Files larger than memory: described once, then read in batches, in order."""

from ensembles.data.files.description import FileDescription, describe_file
from ensembles.data.files.formats import column_names
from ensembles.data.files.source import FileSource

__all__ = ["FileDescription", "FileSource", "column_names", "describe_file"]
