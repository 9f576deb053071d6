"""The files that an experiment reads in batches, described before it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ensembles.data.files import FileDescription
from ensembles.errors import InvalidConfig, InvalidData
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.resolve import describe_reference

__all__ = ["with_described_files"]


def with_described_files(
    config: ExperimentConfig, base_folder: Path
) -> tuple[ExperimentConfig, dict[str, FileDescription]]:
    """Read each file that shall be a stream once, and return the experiment with their content hashes in their place.

    Returns
    -------
    ExperimentConfig
    dict of str to FileDescription
        By content hash.

    Raises
    ------
    InvalidConfig
        One sentence that names the field (`datasets[1]: ...`).
    """
    document: dict[str, Any] = config.to_dict()
    described: dict[str, FileDescription] = {}
    for position, reference in enumerate(config.datasets):
        if not reference.stream or reference.file is None:
            continue
        try:
            found = describe_reference(reference, base_folder / reference.file)
        except InvalidData as error:
            raise InvalidConfig(f"datasets[{position}]: {error}") from None
        source = found.source
        described[source.sha256] = found
        size = {"rows": source.n_examples, "attributes": len(source.schema.attributes)}
        document["datasets"][position] = {"sha256": source.sha256, "name": source.name, **size}
    return (ExperimentConfig.from_dict(document), described) if described else (config, described)
