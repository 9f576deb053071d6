"""What was recognised about a file that somebody uploads, in words."""

from ensembles.data import Preview
from ensembles.data.columns import Content
from ensembles.reports.formatting import and_list, pluralize

__all__ = ["DELIMITER_NAMES", "recognised"]

DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
_ENCODINGS = {"cp1252": "Windows-1252", "utf_8": "UTF-8"}


def recognised(preview: Preview) -> str:
    """Return what was recognised about the file, in one sentence."""
    marks = [f"“{mark}”" if mark else "an empty cell" for mark in preview.missing_marks]
    return (
        f"Recognised: {pluralize(preview.rows, 'row')} of {pluralize(len(preview.columns), 'column')}, "
        f"{_form(preview.content)}, "
        + (f"missing values written as {and_list(marks)}." if marks else "no missing values.")
    )


def _form(content: Content) -> str:
    header = f"{'with' if content.has_header else 'without'} a header"
    if content.sheets:
        return f"Excel, sheet “{content.sheet}”, {header}"
    if content.delimiter is None:
        return content.format
    delimiter = DELIMITER_NAMES.get(content.delimiter, f"“{content.delimiter}”")
    encoding = _ENCODINGS.get(str(content.encoding), str(content.encoding).upper())
    return f"separated by {delimiter}, {encoding}, decimal {'comma' if content.decimal == ',' else 'point'}, {header}"
