"""What is asked of a file that is read: of the kinds that it may be, or a sentence."""

from numbers import Integral
from typing import Any

from ensembles.errors import InvalidData
from ensembles.wording import written

__all__ = ["check_given"]


def check_given(owner: str, *, skip_rows: Any = None, max_bytes: Any = None, **texts: Any) -> None:
    """Raise `InvalidData` unless these are whole numbers from 0 on, and `texts` texts, or None."""
    for name, words, count in (("skip_rows", "rows", skip_rows), ("max_bytes", "bytes", max_bytes)):
        is_whole = isinstance(count, Integral) and not isinstance(count, bool)
        if count is not None and not (is_whole and count >= 0):
            raise InvalidData(f"{owner}: {name} must be a number of {words} from 0 on, got {written(count)}")
    for name, text in texts.items():
        if text is not None and not isinstance(text, str):
            raise InvalidData(f"{owner}: {name} must be a text, got {written(text)}")
