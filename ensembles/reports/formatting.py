"""Words and numbers as a person reads them."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from ensembles.evaluation.measures import KNOWN
from ensembles.wording import UNKNOWN, as_shown, number

__all__ = [
    "UNKNOWN",
    "and_list",
    "as_shown",
    "count",
    "difference",
    "file_stem",
    "is_amount",
    "lower_is_better",
    "measure_name",
    "number",
    "pluralize",
    "ratio",
    "rough_seconds",
    "seconds",
    "seconds_range",
    "shortened",
    "shortened_apart",
    "when",
]

_MINUTE, _HOUR = 60.0, 3600.0
_LONGEST_STEM = 60


def measure_name(measure: str) -> str:
    """Return what people call a measure: "Mean squared error" for `mse`."""
    return KNOWN[measure].name if measure in KNOWN else measure.replace("_", " ").capitalize()


def lower_is_better(measure: str) -> bool:
    """Whether a smaller value of `measure` is the better one."""
    return measure in KNOWN and KNOWN[measure].better == "lower"


def is_amount(measure: str) -> bool:
    """Whether values of `measure` are so much of something, as bytes are: a hundredth of that is little, not 0.01."""
    return measure in KNOWN and KNOWN[measure].is_amount


def difference(value: float) -> str:
    """Return a difference with its sign and four decimals: "+0.0062", "−0.0141", "0.0000"; an unknown one as a dash."""
    if not math.isfinite(value):
        return UNKNOWN
    return f"{value:+.4f}".replace("-", "−") if round(value, 4) else "0.0000"


def ratio(value: float) -> str:
    """Return "3.4 ×", "120 ×" or "0.05 ×"."""
    if not math.isfinite(value):
        return UNKNOWN
    if value == 0:
        return "0 ×"
    decimals = max(0, 1 - math.floor(math.log10(abs(value)))) if abs(value) < 1 else int(abs(value) < 99.95)
    return f"{value:,.{min(decimals, 6)}f} ×"


def count(value: int) -> str:
    """Return a whole number with its thousands separated: "10,500"."""
    return f"{value:,}"


def count_range(low: int, high: int) -> str:
    """Return "5", or "5 to 1,200" where the numbers differ."""
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def pluralize(value: int, noun: str, many: str | None = None) -> str:
    """Return "1 data set", "10,500 trials", "3 classes"; `many` is the plural where it takes more than an s."""
    return f"{value:,} {noun if value == 1 else many or noun + 's'}"


def and_list(words: Iterable[str]) -> str:
    """Return at least one word as a person lists them: "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def seconds(value: float) -> str:
    """Return a duration with the unit that fits: "850 µs", "12 ms", "3.4 s", "12 min 40 s", "2 h 5 min", "3 d 4 h".

    Parameters
    ----------
    value : float
        Seconds; negative ones count as 0, unknown ones become a dash.
    """
    if not math.isfinite(value):
        return UNKNOWN
    if value <= 0:
        return "0 s"
    for unit, size in (("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)):
        scaled = value / size
        limit = 59.95 if unit == "s" else 999.5
        if scaled < limit:
            return f"{scaled:.0f} {unit}" if scaled >= 9.95 or unit == "µs" else f"{scaled:.1f} {unit}"
    return _long(round(value))


def _long(whole: int) -> str:
    minutes = round(whole / 60)
    if whole < 3600:
        large, small, words = *divmod(whole, 60), ("min", "s")
    elif minutes < 1440:
        large, small, words = *divmod(minutes, 60), ("h", "min")
    else:
        large, small, words = *divmod(round(whole / 3600), 24), ("d", "h")
    return f"{large:,} {words[0]} {small} {words[1]}" if small else f"{large:,} {words[0]}"


def rough_seconds(value: float) -> str:
    """Return an estimated duration no more exactly than it is known: "19 s", "37 min", "1 h 40 min", "2 d 3 h".

    Parameters
    ----------
    value : float
        Seconds; less than one counts as one, unknown ones become a dash.
    """
    if not math.isfinite(value):
        return UNKNOWN
    if value < _MINUTE - 0.5:
        return f"{max(round(value), 1)} s"
    step = _MINUTE if value < _HOUR else _HOUR / 6
    return _long(round(value / step) * round(step))


def seconds_range(low: float, high: float) -> str:
    """Return a range in round numbers that hold it: "about 10 to 40 s", "about 50 s to 2 min", "about 5 s", "up to 5 s".

    Parameters
    ----------
    low, high : float
        Seconds, `low` at most `high`; of unknown ones a dash.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return UNKNOWN
    (first, unit), (last, last_unit) = _round(low, math.floor), _round(max(high, 1.0), math.ceil)
    if not first:
        return f"up to {last:,} {last_unit}"
    if (first, unit) == (last, last_unit):
        return f"about {last:,} {last_unit}"
    return f"about {first:,} {'' if unit == last_unit else f'{unit} '}to {last:,} {last_unit}"


def _round(value: float, towards: Callable[[float], int]) -> tuple[int, str]:
    """Return a duration as a round number of the unit that fits, never on the wrong side of `value`."""
    unit, size = next(
        ((unit, size) for unit, size in (("s", 1), ("min", 60), ("h", 3600)) if value < 100 * size), ("d", 86_400)
    )
    scaled = value / size
    step = 1 if scaled < 10 else 5 if scaled < 100 else 10 ** (math.floor(math.log10(scaled)) - 1)
    return towards(scaled / step) * step, unit


def when(moment: datetime, now: datetime) -> str:
    """Return "today 09:41", "yesterday 18:02" or "12 March 2025, 09:41".

    Parameters
    ----------
    moment, now : datetime
        Both aware; days and hours are those of the time zone of `now`.
    """
    local = moment.astimezone(now.tzinfo)
    clock = f"{local:%H:%M}"
    if local.date() == now.date():
        return f"today {clock}"
    if local.date() == now.date() - timedelta(days=1):
        return f"yesterday {clock}"
    return f"{local.day} {local:%B %Y}, {clock}"


def file_stem(text: str) -> str:
    """Return `text` as the beginning of a file name, at most 60 letters that any system takes; "" if it has none."""
    return re.sub(r"[^\w-]+", "-", text).strip("-")[:_LONGEST_STEM].strip("-")


def shortened(text: str, limit: int = 40) -> str:
    """Return `text` on one line with at most `limit` characters, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def shortened_apart(names: Sequence[str], limit: int = 40) -> tuple[str, ...]:
    """Return `names` with at most `limit` characters each; where two would look alike, what tells them apart is kept.

    Names that no such cut tells apart stay whole.
    """
    lines = [" ".join(name.split()) for name in names]
    cut = {line: shortened(line, limit) for line in lines}
    alike = Counter(cut.values())
    for short in (short for short, n in alike.items() if n > 1):
        group = [line for line in cut if cut[line] == short]
        columns = enumerate(zip(*group, strict=False))
        differ = next((place for place, letters in columns if len({*letters}) > 1), min(map(len, group)))
        cut |= {line: _around(line, differ, limit) for line in group}
    if len({*cut.values()}) < len(cut):
        return tuple(lines)
    return tuple(cut[line] for line in lines)


def _around(line: str, place: int, limit: int) -> str:
    """Return the beginning of a line and what stands at `place`."""
    head = limit // 3
    room = limit - head - 1
    start = max(head, min(place - 2, len(line) - room))
    return f"{line[:head].rstrip()}…{shortened(line[start:], room)}"
