"""A data set as an experiment file names it: a key of the catalogue, a file, or the content hash of a stored one."""

from __future__ import annotations

import json
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_serializer, model_validator

from ensembles.data import catalogue
from ensembles.data.attribute_kinds import KINDS
from ensembles.data.readers import MOST_BINS
from ensembles.errors import InvalidInput
from ensembles.experiments.yaml_io import Document, check_new_name, problem, shown

__all__ = ["DatasetRef", "content_of", "missing_sentence", "source_of"]

_KINDS = ("key", "file", "sha256")
_FILE_FIELDS = ("target", "bins", "nominal", "numeric", "ignore", "missing", "sheet", "skip_rows", "stream")
_WHOLE_FILE_FIELDS = ("bins", "sheet")  # what needs all rows at once
_STORED_FIELDS = ("name", "rows", "attributes")


def _all_or_names(value: Any) -> Any:
    names = isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)
    if value == "all" or value is None or names:
        return value
    raise problem(f"must be all or a list of attributes by name, got {shown(value)}")


Names = tuple[str, ...]


class DatasetRef(Document):
    """A data set of an experiment; exactly one of `key`, `file` and `sha256` is given.

    In a file it is a plain text (a key of the catalogue), `{key: waveform40, rows: 300}`,
    `{file: car.csv, target: class}` or `{sha256: ..., name: Car, rows: 1728, attributes: 6}`.

    Attributes
    ----------
    key : str
        Of the catalogue; `settings` are what `load_dataset` gets besides (`rows`, `nominal`).
    file : str
        Path, relative to the folder of the experiment file; `target`, `nominal`, `numeric`, `ignore`, `missing`,
        `sheet` and `skip_rows` override what reading would infer, and `bins` groups the numbers of the class column.
        With `stream` it is read in batches, where it lies, as often as it is learned from.
    sha256 : str
        Of a stored data set, 64 hexadecimal digits; `name`, `rows` and `attributes` are what people read where it is not
        stored, so that they know which file is meant.
    """

    key: str | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    file: Annotated[str, Field(min_length=1)] | None = None
    target: str | None = None
    bins: Annotated[int, Field(ge=2, le=MOST_BINS)] | None = None
    nominal: Annotated[Literal["all"] | Names | None, BeforeValidator(_all_or_names)] = None
    numeric: Names | None = None
    ignore: Names | None = None
    missing: Names | None = None
    sheet: str | None = None
    skip_rows: Annotated[int, Field(ge=0)] | None = None
    stream: bool | None = None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    name: Annotated[str | None, BeforeValidator(check_new_name)] = None
    rows: Annotated[int, Field(ge=0)] | None = None
    attributes: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"key": value}
        if isinstance(value, dict) and "key" in value:
            settings = {name: setting for name, setting in value.items() if name not in ("key", "settings")}
            nested = value.get("settings", {})
            if not isinstance(nested, dict):
                raise problem(f"settings must be fields with values, got {shown(nested)}")
            return {"key": value["key"], "settings": {**nested, **settings}}
        return value

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [name for name in _KINDS if getattr(self, name) is not None]
        if len(given) != 1:
            raise problem(f"give one of {', '.join(_KINDS)}, got {' and '.join(given) or 'none of them'}")
        for name in _FILE_FIELDS:
            if self.file is None and getattr(self, name) is not None:
                raise problem(f"{name} goes with file only; it cannot go with {given[0]}")
        for name in _STORED_FIELDS:
            if self.sha256 is None and getattr(self, name) is not None:
                raise problem(f"{name} goes with sha256 only; it cannot go with {given[0]}")
        for name in _WHOLE_FILE_FIELDS if self.stream else ():
            if getattr(self, name) is not None:
                raise problem(f"{name} cannot go with stream, which reads a file in batches")
        if self.key is not None:
            self._check_catalogue(self.key)
        return self

    def _check_catalogue(self, key: str) -> None:
        if key not in catalogue():
            raise problem(f"no data set of the catalogue is called {shown(key)}; there are {', '.join(catalogue())}")
        try:
            catalogue()[key].check(self.settings)
        except InvalidInput as error:
            raise problem(str(error)) from None

    @model_serializer
    def _to_short_form(self) -> Any:
        if self.key is not None:
            return {"key": self.key, **self.settings} if self.settings else self.key
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name in ("file", "sha256", *_STORED_FIELDS, *_FILE_FIELDS)
            if (value := getattr(self, name)) is not None
        }

    @property
    def missing_sentence(self) -> str:
        """What is said where a stored data set is not: which one is meant and how to add it. May hold text of a user."""
        return missing_sentence(str(self.sha256), self.name, self.rows, self.attributes)

    @property
    def content(self) -> str:
        """What references to the same content have in common: key and settings, or of other data the content hash."""
        if self.key is None:
            return content_of(str(self.sha256 or self.file))
        usual = {parameter.name: parameter.default for parameter in catalogue()[self.key].settings}
        own = {name: value for name, value in self.settings.items() if name not in usual or value != usual[name]}
        return f"{self.key}{json.dumps(own, sort_keys=True, separators=(',', ':')) if own else ''}"

    @property
    def family(self) -> str:
        """What references have in common to the same content, or to data that are generated alike in any number."""
        if self.key is None:
            return self.content
        return self.model_copy(update={"settings": {k: v for k, v in self.settings.items() if k != "rows"}}).content

    @property
    def source(self) -> str:
        """What references have in common to the same examples, however they are read, or generated alike in any number."""
        return source_of(self.content) + (f" {self.target}" if self.target is not None else "")

    @property
    def label(self) -> str:
        """What people read before the data set is loaded. May be text of a user."""
        if self.key is not None:
            return catalogue()[self.key].name
        return self.file or self.name or f"data set {str(self.sha256)[:8]}"


def source_of(content: str) -> str:
    """Return `DatasetRef.source` of `DatasetRef.content`: without the number of rows, and the kinds of attributes."""
    key, brace, settings = content.partition("{")
    if not brace or key not in catalogue():
        return content
    own = {name: value for name, value in json.loads(brace + settings).items() if name not in ("rows", *KINDS)}
    return f"{key}{json.dumps(own) if own else ''}"


def content_of(ref: str) -> str:
    """Return `DatasetRef.content` of a key of the catalogue or a content hash; other text stays as it is."""
    return _keys_by_hash().get(ref, ref)


@cache
def _keys_by_hash() -> dict[str, str]:
    """Return the keys of the data sets of the catalogue that never change."""
    return {entry.sha256: key for key, entry in catalogue().items() if entry.sha256 is not None}


def missing_sentence(sha256: str, name: str | None, rows: int | None = None, attributes: int | None = None) -> str:
    """Return the sentence on a data set that an experiment names and that is not stored here."""
    sizes = [f"{n:,} {noun}" for n, noun in ((rows, "examples"), (attributes, "attributes")) if n is not None]
    facts = ", ".join([*sizes, f"content {sha256[:12]}…"])
    return (
        f"{name or 'the data set'} ({facts}) is not stored here; add its file, read in the same way, with "
        f"python -m runner datasets add FILE or on the page Data sets"
    )
