"""The application on the network, as a notebook or a script sees it."""

import io
import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import httpx2
import pandas as pd

from ensembles.client.connection import Connection
from ensembles.client.remote import RemoteDataset, RemoteExperiment, Visibility
from ensembles.data.parquet import parquet_of
from ensembles.errors import InvalidConfig, InvalidData, LeftOut, NotFound
from ensembles.experiments.yaml_io import plain, read_yaml, write_yaml

if TYPE_CHECKING:
    from ensembles.experiments.config import ExperimentConfig

__all__ = ["Lab"]

_ID = re.compile(r"[A-Za-z0-9_-]+")


class Lab:
    """An Ensemble Lab.

    Parameters
    ----------
    url : str, optional
        Where its pages are; else `ENSEMBLE_LAB_URL`, else http://localhost:8501.
    token : str, optional
        As `ensemble-lab token create` or the account page told it; else `ENSEMBLE_LAB_TOKEN`. None is needed on the machine
        of a lab where nobody signs in.
    timeout : float
        Seconds without a sign of life, after which an attempt is given up.

    Raises
    ------
    InvalidInput
        The url is none.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 60.0,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        address = url or os.environ.get("ENSEMBLE_LAB_URL") or "http://localhost:8501"
        shown = token or os.environ.get("ENSEMBLE_LAB_TOKEN")
        self._connection = Connection(address, shown, timeout=timeout, transport=transport)

    def __repr__(self) -> str:
        return f"Lab({self._connection.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back connections; what is asked later fails."""
        self._connection.close()

    def launch(
        self,
        config: "ExperimentConfig | Mapping[str, Any] | str | Path",
        *,
        visibility: Visibility | None = None,
        tags: Iterable[str] | str = (),
    ) -> RemoteExperiment:
        """Launch an experiment, once, however often it has to be sent.

        Parameters
        ----------
        config : ExperimentConfig, mapping, path or str
            The experiment, where its YAML file is, or the text of one. Data files that it names, relative to that, are
            uploaded, unless something else is wrong with it.
        visibility : {"private", "team", "link"}, optional
            Who sees it and what is uploaded for it, besides its owner; else whom the lab shows what is new.
        tags : iterable of str, or one

        Raises
        ------
        InvalidInput
            The document cannot be used.
        Forbidden
            The token may not launch, or its user has as many experiments as they may.
        """
        document, folder = _read(config)
        text = write_yaml(self._with_uploads(document, folder, visibility)).encode()
        answer = self._connection.ask(
            "POST",
            "/experiments",
            content=lambda: text,
            params={"visibility": visibility, "tag": _several(tags)},
            headers={"Content-Type": "application/yaml", "Idempotency-Key": uuid4().hex},
        )
        return RemoteExperiment(self._connection, self._connection.plain(answer))

    def experiment(self, id: str) -> RemoteExperiment:
        """Return one experiment; raise `NotFound`."""
        if not (isinstance(id, str) and _ID.fullmatch(id)):  # in an address it might mean something else
            raise NotFound(f"there is no experiment {id!r}; an id is made of letters and digits")
        return RemoteExperiment(self._connection, self._connection.read(f"/experiments/{id}"))

    def experiments(
        self, part: str = "", *, state: Sequence[str] | str = (), tag: Sequence[str] | str = ()
    ) -> list[RemoteExperiment]:
        """Return the experiments that you may see, the newest first.

        Parameters
        ----------
        part : str
            Of the name, the notes, a tag or a data set.
        state, tag : sequence of str, or one
            One of these; any when empty.
        """
        wanted = {"q": part, "state": _several(state), "tag": _several(tag)}
        return self._experiments("/experiments", wanted)

    def deleted_experiments(self) -> list[RemoteExperiment]:
        """Return the experiments in your bin, which can be restored, the last one deleted first."""
        return self._experiments("/bin/experiments")

    def datasets(self, part: str = "") -> list[RemoteDataset]:
        """Return the stored data sets that you may see, the newest first; `part`: of the name."""
        return self._datasets("/datasets", {"q": part})

    def deleted_datasets(self) -> list[RemoteDataset]:
        """Return the data sets in your bin, which can be restored, the last one deleted first."""
        return self._datasets("/bin/datasets")

    def upload(
        self,
        file: Any,
        *,
        target: str | None = None,
        name: str | None = None,
        bins: int | None = None,
        nominal: Sequence[str] | str | None = None,
        numeric: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        missing: Sequence[str] | None = None,
        sheet: str | None = None,
        skip_rows: int | None = None,
        visibility: Visibility | None = None,
    ) -> RemoteDataset:
        """Store a table as a data set, read as `ensembles.data.read_dataset` does. The same content is stored once.

        Parameters
        ----------
        file : path, or DataFrame or table of pandas, Polars or Arrow
        target : str, optional
            The class column; else found by its name.
        visibility : {"private", "team", "link"}, optional
            Who sees it, besides its owner; else whom the lab shows what is new.
        **settings
            Those of `read_dataset`; `bins` is its `target_bins`.

        Raises
        ------
        InvalidInput
            The file cannot be used, or is too large.

        Warns
        -----
        LeftOut
            Columns are no attributes, such as dates, though `ignore` does not name them.
        """
        path = Path(file) if isinstance(file, str | Path) else None
        table = parquet_of(file) if path is None else b""
        settings = {"bins": bins, "numeric": numeric, "ignore": ignore, "missing": missing, "sheet": sheet}
        answer = self._connection.ask(
            "POST",
            "/datasets",
            content=lambda: io.BytesIO(table) if path is None else _opened(path),
            params={
                **settings,
                "filename": path.name if path else f"{name or 'frame'}.parquet",
                "target": target,
                "name": name,
                "nominal": None if nominal is None else _several(nominal),
                "skip_rows": skip_rows,
                "visibility": visibility,
            },
            headers={"Content-Type": "application/octet-stream"},
        )
        facts = self._connection.plain(answer)
        for notice in facts.get("notices", ()):
            warnings.warn(f"{facts['name']}: {notice}", LeftOut, stacklevel=2)
        return RemoteDataset(self._connection, facts)

    def whoami(self) -> dict[str, Any]:
        """Return for whom the token stands, and what it is good for."""
        return dict(self._connection.read("/whoami"))

    def _experiments(self, path: str, wanted: Mapping[str, Any] | None = None) -> list[RemoteExperiment]:
        return [RemoteExperiment(self._connection, facts) for facts in self._connection.read_all(path, "id", wanted)]

    def _datasets(self, path: str, wanted: Mapping[str, Any] | None = None) -> list[RemoteDataset]:
        return [RemoteDataset(self._connection, facts) for facts in self._connection.read_all(path, "sha256", wanted)]

    def _with_uploads(self, document: Any, folder: Path, visibility: Visibility | None) -> Any:
        """Return a document with what is stored in the place of the files that it names; of one to be refused nothing is."""
        if not _names_files(document):
            return document
        from ensembles.client import uploads  # it knows all methods, which takes seconds to import

        if (config := uploads.find_files(document, folder)) is None:
            return document  # the server says what is wrong with it
        is_tested = uploads.names_test_file(config)
        read_alike = uploads.settings_of_test_file(config, folder, self._frame) if is_tested else {}
        datasets = [self._stored(reference, folder, visibility) for reference in document["datasets"]]
        sent = {**document, "datasets": datasets}
        if is_tested:
            others = {name: value for name, value in document["protocol"].items() if name != "test_file"}
            test = self.upload(folder / document["protocol"]["test_file"], **read_alike, visibility=visibility)
            sent["protocol"] = {**others, "test_sha256": test.sha256, "test_name": test.name}
        return sent

    def _stored(self, reference: Any, folder: Path, visibility: Visibility | None) -> Any:
        if not isinstance(reference, Mapping) or reference.get("file") is None:
            return reference
        settings = {name: value for name, value in reference.items() if name not in ("file", "stream")}
        return self.upload(folder / reference["file"], **settings, visibility=visibility).reference

    def _frame(self, sha256: str) -> pd.DataFrame:
        return RemoteDataset(self._connection, {"sha256": sha256}).to_frame()


def _names_files(document: Any) -> bool:
    """Return whether a document names files, whatever else may be wrong with it."""
    if not isinstance(document, Mapping):
        return False
    datasets, protocol = document.get("datasets"), document.get("protocol")
    entries = [*datasets, protocol] if isinstance(datasets, list | tuple) else []
    return any(isinstance(entry, Mapping) and ("file" in entry or "test_file" in entry) for entry in entries)


def _read(config: Any) -> tuple[Any, Path]:
    if isinstance(config, str) and "\n" in config:
        return read_yaml(config), Path()
    if isinstance(config, str | Path):
        path = Path(config)
        try:
            return read_yaml(path.read_text(encoding="utf-8")), path.parent
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidConfig(f"{path}: the experiment file cannot be read ({error})") from error
    if isinstance(config, Mapping):
        return plain(config), Path()
    if not hasattr(config, "to_dict"):
        raise InvalidConfig(
            f"the experiment must be a path, fields with values or an ExperimentConfig, got {type(config).__name__}"
        )
    return config.to_dict(), Path()


def _several(given: Iterable[str] | str) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _opened(path: Path) -> io.BufferedReader:
    try:
        return path.open("rb")
    except OSError as error:
        raise InvalidData(f"{path}: cannot be read ({error.strerror})") from error
