"""Reading a YAML document that a stranger may have written, and saying in words what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np
import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, ValidationInfo, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from ensembles.data.names import clean_text
from ensembles.errors import InvalidConfig, InvalidParameter
from ensembles.parameters import Parameter

__all__ = [
    "Document",
    "check_name",
    "check_new_name",
    "checked",
    "plain",
    "problem",
    "read_yaml",
    "sentences",
    "shown",
    "write_yaml",
]

_MOST_CHARACTERS = 200_000
_LONGEST_NAME = 200
_LONGEST_NUMBER = 100


class Document(BaseModel):
    """A part of an experiment file: never changed, and no field that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_fields(cls, value: Any) -> Any:
        if isinstance(value, dict):
            unknown = [shown(name) for name in value if name not in cls.model_fields]
            if unknown:
                fields = "fields" if len(unknown) > 1 else "field"
                raise problem(f"unknown {fields} {', '.join(unknown)}; there are {', '.join(cls.model_fields)}")
        return value


def problem(sentence: str) -> PydanticCustomError:
    """Return an error that is reported at the field whose validator raises it."""
    return PydanticCustomError("problem", "{sentence}", {"sentence": sentence})


def checked(parameter: Parameter) -> BeforeValidator:
    """Return a validator for the field that `parameter` declares."""

    def check(value: Any) -> Any:
        try:
            parameter.check(parameter.name, value)
        except InvalidParameter:
            raise problem(f"must be {parameter.allowed()}, got {shown(value)}") from None
        return value

    return BeforeValidator(check)


def check_name(value: Any) -> Any:
    """Return a name on one line and safe to show, for a validator; what is no text is for others to refuse."""
    if isinstance(value, str):
        value = " ".join(clean_text(value).split())
        if not 1 <= len(value) <= _LONGEST_NAME:
            raise problem(f"must have 1 to {_LONGEST_NAME} characters, got {len(value)}")
    return value


def check_new_name(value: Any, info: ValidationInfo) -> Any:
    """Do what `check_name` does in a document that somebody hands in: earlier releases stored what they were given."""
    return check_name(value) if (info.context or {}).get("handed_in") else value


def shown(value: Any) -> str:
    """Return a value as it is quoted in an error: short, on one line."""
    text = repr(value)
    if "\n" in text:  # of a table, say; that of a text has none
        text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:79]}…"


def sentences(error: ValidationError, tags: frozenset[str] = frozenset()) -> list[str]:
    """Return one sentence a problem, each naming its field; `tags` are parts of a path that are not fields."""
    return [f"{_path(details, tags)}{_words(details)}" for details in error.errors(include_url=False)]


def read_yaml(text: str) -> Any:
    """Return the plain values of a YAML document.

    Raises
    ------
    InvalidConfig
        Not YAML, longer than 200,000 characters, nested too deep, a field given twice, a tag, or an alias (which could
        blow a short text up to any size).
    """
    if not isinstance(text, str | bytes):
        raise InvalidConfig(f"experiment: must be the text of a file, got {shown(text)}")
    if len(text) > _MOST_CHARACTERS:
        raise InvalidConfig(
            f"experiment: the file must have at most {_MOST_CHARACTERS:,} characters, it has {len(text):,}"
        )
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        place = f"line {error.problem_mark.line + 1}" if error.problem_mark else "experiment"
        raise InvalidConfig(f"{place}: not readable as YAML, {error.problem}") from None
    except yaml.reader.ReaderError as error:
        raise InvalidConfig(f"experiment: not readable as YAML, character {error.character!r} is not allowed") from None
    except (RecursionError, ValueError, OverflowError):
        raise InvalidConfig("experiment: not readable as YAML, nested too deep or a number out of all bounds") from None


def plain(value: Any) -> Any:
    """Return what programs make, with numbers of NumPy, paths and tuples, as a file would say it; all else as it is.

    Raises
    ------
    InvalidConfig
        It is nested too deep, or in itself.
    """
    try:
        return _plain(value)
    except RecursionError:
        raise InvalidConfig("experiment: not readable, nested too deep") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [*map(_plain, value)] if isinstance(value, list | tuple) else value


def write_yaml(value: Any) -> str:
    """Return plain values as YAML that `read_yaml` reads back to the same values."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=110)


class _Loader(yaml.SafeLoader):
    """YAML without aliases, without tags and without fields given twice."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        refused = "aliases (*name)" if self.check_event(yaml.AliasEvent) else ""
        if getattr(event, "tag", None) is not None:  # of text that is no truth value, `!!bool` makes a KeyError
            refused = "tags (!name)"
        if refused:
            raise yaml.composer.ComposerError(None, None, f"{refused} are not allowed here", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a field name must be text", key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} is given twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_whole(self, node: yaml.ScalarNode) -> int:
        """Numbers of any length take any time to be made, and cannot be shown."""
        self._check_length(node)
        return int(self.construct_yaml_int(node))

    def construct_real(self, node: yaml.ScalarNode) -> float:
        """As `construct_whole`."""
        self._check_length(node)
        return float(self.construct_yaml_float(node))

    def _check_length(self, node: yaml.ScalarNode) -> None:
        if (length := len(node.value)) > _LONGEST_NUMBER:
            said = f"a number must have at most {_LONGEST_NUMBER} characters, got {length:,}"
            raise yaml.constructor.ConstructorError(None, None, said, node.start_mark)

    def construct_clean(self, node: yaml.ScalarNode) -> str:
        """Escapes may bring what no page can show and no database keep; names of files and columns are cleaned as well."""
        return clean_text(self.construct_scalar(node))


# YAML 1.1 takes 1e-3 and 1.5e3 for text, for want of a point or a sign; people who write them mean the number.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
)


_Loader.add_constructor("tag:yaml.org,2002:str", _Loader.construct_clean)
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_whole)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_real)


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - fixed by the base class
        return True


# The reader takes 1e-3 for a number, so text that looks like it must be quoted.
_Dumper.yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers


def _path(details: ErrorDetails, tags: frozenset[str]) -> str:
    path = ""
    for part in details["loc"]:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part not in tags:
            path += f".{part}" if path else part
    return f"{path or 'experiment'}: "


def _words(details: ErrorDetails) -> str:
    kind, value = details["type"], details.get("input")
    bounds = details.get("ctx", {})
    expected = {
        "string_type": "text",
        "string_too_short": "text that is not empty",
        "string_pattern_mismatch": "64 hexadecimal digits",
        "int_type": "an integer",
        "int_parsing": "an integer",
        "int_from_float": "an integer",
        "finite_number": "an integer",
        "bool_type": "true or false",
        "bool_parsing": "true or false",
        "greater_than_equal": f"at least {bounds.get('ge')}",
        "less_than_equal": f"at most {bounds.get('le')}",
        "tuple_type": "a list",
        "model_type": "fields with values",
        "model_attributes_type": "fields with values",
        "dict_type": "fields with values",
    }
    if kind == "missing":
        return "is missing"
    if kind in expected:
        return f"must be {expected[kind]}, got {shown(value)}"
    return details["msg"]
