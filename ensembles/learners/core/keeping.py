"""What a learner keeps of its parameters: they are those of its first examples, whatever becomes of them afterwards.

Kernels check no bounds, so all that they are given, and the base model that lays members out, must be as it was when the
members were made. A learner keeps a copy of itself, and of its base model, that nobody else can reach, and works with that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import clone

from ensembles.errors import InvalidParameter
from ensembles.wording import written

if TYPE_CHECKING:
    from ensembles.learners.core.learner import Learner

__all__ = ["changes_since", "copy_of", "unlocked", "whole_or_nothing"]

Method = TypeVar("Method", bound=Callable[..., Any])

_DRAWN = "random_state"  # asked once, at the first examples


def copy_of(learner: Any) -> Any:
    """Return an untrained learner of the same parameters that nobody else can change."""
    kind = learner.__class__
    settings = {name: getattr(learner, name) for name in names_of(kind)}
    # a generator goes on, for all who draw from it, and NumPy's own is a module, which cannot be copied
    return kind(**{name: value if name == _DRAWN else clone(value, safe=False) for name, value in settings.items()})


def changes_since(kept: Any, learner: Any) -> dict[str, Any]:
    """Return the parameters that have changed since they were kept and may; raise `InvalidParameter` for all others."""
    flexible = {parameter.name for parameter in learner._declared.values() if not parameter.lasting}
    changed = {}
    for name in names_of(learner.__class__):
        difference = None if name == _DRAWN else _difference(name, getattr(kept, name), getattr(learner, name))
        if difference is None:
            continue
        if name not in flexible:
            place, old, new = difference
            raise InvalidParameter(
                f"{learner.key}: {place} must stay as it was at the first examples, {written(old)}, "
                f"until fit begins anew, got {written(new)}"
            )
        changed[name] = getattr(learner, name)
    return changed


def _difference(place: str, old: Any, new: Any) -> tuple[str, Any, Any] | None:
    """Return where two values of a parameter differ, in parameters of theirs if they have some, and both values."""
    if old is new:
        return None
    if type(old) is type(new) and hasattr(old, "get_params"):
        names = [name for name in names_of(old.__class__) if name != _DRAWN]
        pairs = [(f"{place}__{name}", getattr(old, name, None), getattr(new, name, None)) for name in names]
        return next((found for pair in pairs if (found := _difference(*pair))), None)
    if type(old) is type(new) and isinstance(old, list | tuple) and len(old) == len(new):
        pairs = [(place, *pair) for pair in zip(old, new, strict=True)]
        return next((found for pair in pairs if (found := _difference(*pair))), None)
    same = np.array_equal(old, new) if isinstance(old, np.ndarray) or isinstance(new, np.ndarray) else old == new
    return None if same else (place, old, new)


@cache
def names_of(kind: Any) -> tuple[str, ...]:
    """Return the names of the parameters of a class: `get_params` takes as long to find them as to learn an example."""
    return tuple(signature(kind).parameters)


def unlocked(value: Any) -> Any:
    """Return a value with copies of the read-only arrays in it, also in its lists and NamedTuples."""
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else np.array(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(unlocked, value))
    return [unlocked(each) for each in value] if isinstance(value, list) else value


def whole_or_nothing(method: Method) -> Method:
    """Decorate a method that learns: cut short by an interrupt or an error it leaves a learner that has learned nothing.

    Half of the examples may be in some members and not in others. What is refused before anything changes, changes nothing.
    """

    @wraps(method)
    def learn(self: Learner, *arguments: Any, **settings: Any) -> Any:
        knew = hasattr(self, "classes_")
        try:
            result = method(self, *arguments, **settings)
        except BaseException as error:
            if self._changing:
                self._forget()
                if knew:
                    error.add_note(
                        f"{self.key} was interrupted while it learned, and has forgotten what it had learned"
                    )
            raise
        self._changing = False
        return result

    return learn  # type: ignore[return-value]
