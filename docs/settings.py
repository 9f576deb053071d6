"""Write the settings of every learner into `learners.md` as they are declared: `make docs`."""

import re
from pathlib import Path
from textwrap import fill

from ensembles.registry import Entry, base_models, methods
from ensembles.reports.reference import setting_line

PAGE = Path(__file__).parent / "learners.md"


def with_settings(page: str) -> str:
    """Return the page, each learner's list of settings as its class declares them."""
    for entry in (*base_models().values(), *methods().values()):
        section = rf"^## {re.escape(entry.name)}\n(?:(?!^#).)*?"
        listed = rf"({section}\n)Settings:.*?(?=\n\n[^*]|\n*\Z)"
        page = re.sub(
            listed, lambda found, entry=entry: found[1] + settings_of(entry), page, count=1, flags=re.M | re.S
        )
    return page


def settings_of(entry: Entry) -> str:
    """Return the list of a learner's settings."""
    entries = map(setting_line, entry.parameters)
    wrapped = [fill(one, width=126, subsequent_indent="  ", break_on_hyphens=False) for one in entries]
    return "\n".join(["Settings:", "", *wrapped])


if __name__ == "__main__":
    PAGE.write_text(with_settings(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
