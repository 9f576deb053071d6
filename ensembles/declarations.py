"""Declare the parameters of a class in its body; its constructor, its signature and its manual page follow.

    class Forest(HasParameters):
        '''A forest.'''

        n_trees: int = integer(default=10, label="Trees", help="How many.", low=1)

`Forest(20)`, `inspect.signature(Forest)` and `help(Forest)` then work as if `__init__` were written out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import Parameter as Place
from inspect import Signature, cleandoc
from textwrap import fill, indent
from typing import Any, ClassVar, ParamSpec, dataclass_transform

from ensembles.parameters import Argument, Choice, Flag, Integer, Parameter, Real, SeveralOf

__all__ = ["HasParameters", "argument", "choice", "flag", "integer", "real", "several"]

_P = ParamSpec("_P")
_SECTION = re.compile(r"^\w+\n-+$", re.MULTILINE)


def _declares(kind: Callable[_P, Parameter]) -> Callable[_P, Any]:
    """Return `kind` as type checkers see it in a class: what it declares is a value of the annotated type."""
    return kind


integer = _declares(Integer)
real = _declares(Real)
choice = _declares(Choice)
flag = _declares(Flag)
several = _declares(SeveralOf)


def argument(*, default: Any, what: str, help: str, kw_only: bool = False, lasting: bool = True) -> Any:
    """Declare an `Argument`; `kw_only`: it comes after all others, and type checkers want its name."""
    return Argument(default=default, what=what, help=help, at_end=kw_only, lasting=lasting)


@dataclass_transform(field_specifiers=(integer, real, choice, flag, several, argument))
class HasParameters:
    """A class whose parameters are declared in its body: those of its bases first, then its own, in their order.

    The constructor that is made of them stores them and does nothing more; a class may also write its own. A plain value
    given to an inherited parameter is its new default.

    Attributes
    ----------
    parameters : tuple of Parameter
        All but those that are an `Argument`: what experiment files, the form and the command line can set.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    _declared: ClassVar[Mapping[str, Parameter]] = {}

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        known: dict[str, Parameter] = {}
        for base in reversed(cls.__mro__[1:]):
            known |= base.__dict__.get("_declared", {})
        own = _own_declarations(cls, known)
        if own or known != cls._declared:
            cls._declared = known | own
            cls.parameters = tuple(one for one in cls._declared.values() if not isinstance(one, Argument))
            for name, parameter in own.items():
                setattr(cls, name, parameter.default)
            if "__init__" not in vars(cls):
                cls.__init__ = _constructor(cls)  # type: ignore[method-assign]
        if cls._declared and (text := vars(cls).get("__doc__")):
            cls.__doc__ = _with_parameters(cleandoc(text), _in_order(cls._declared))


def _own_declarations(cls: type, known: Mapping[str, Parameter]) -> dict[str, Parameter]:
    own = {}
    for name, value in vars(cls).items():
        if isinstance(value, Parameter):
            own[name] = replace(value, name=name)
        elif name in known and not hasattr(value, "__get__"):
            own[name] = replace(known[name], default=value)
    for name, parameter in own.items():
        parameter.check_default(f"{cls.__name__}: default of {name}")
    return own


def _in_order(declared: Mapping[str, Parameter]) -> list[Parameter]:
    return sorted(declared.values(), key=lambda one: isinstance(one, Argument) and one.at_end)


def _constructor(cls: type[HasParameters]) -> Callable[..., None]:
    """Return an `__init__` that stores its arguments; what it takes stands in its signature."""
    in_order = _in_order(cls._declared)
    defaults = {parameter.name: parameter.default for parameter in in_order}
    names = [*defaults]

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        values = dict(zip(names, given, strict=False))
        if len(given) > len(names):
            raise TypeError(f"{cls.__name__} takes {len(names)} parameters at most, got {len(given)}")
        if twice := values.keys() & named.keys():
            raise TypeError(f"{cls.__name__}: {', '.join(sorted(twice))} was given twice")
        if old := next((one for one in in_order if one.former in named), None):
            raise TypeError(f"{cls.__name__}: {old.former} is called {old.name} now")
        if unknown := named.keys() - defaults.keys():
            raise TypeError(
                f"{cls.__name__}: no parameter is called {', '.join(sorted(unknown))}; there are {', '.join(names)}"
            )
        vars(self).update(defaults | values | named)

    places = [Place(one.name, Place.POSITIONAL_OR_KEYWORD, default=one.default) for one in in_order]
    __init__.__signature__ = Signature([Place("self", Place.POSITIONAL_OR_KEYWORD), *places])  # type: ignore[attr-defined]
    __init__.__qualname__, __init__.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return __init__


def _with_parameters(text: str, parameters: list[Parameter]) -> str:
    """Return a docstring with a section "Parameters" before its other sections, unless it has one."""
    if re.search(r"^Parameters\n-+$", text, re.MULTILINE):
        return text
    first = _SECTION.search(text)
    above, below = (text[: first.start()], text[first.start() :]) if first else (text, "")
    section = "\n".join(["Parameters", "----------", *map(_described, parameters)])
    return "\n\n".join(part for part in (above.strip(), section, below.strip()) if part)


def _described(parameter: Parameter) -> str:
    """Return the entry of one parameter in a docstring."""
    default = f'"{parameter.default}"' if isinstance(parameter.default, str) else repr(parameter.default)
    label = f"{parameter.label}. " if parameter.label else ""
    text = fill(label + parameter.said(), width=112)
    return f"{parameter.name} : {parameter.kind()}, default={default}\n{indent(text, '    ')}"
