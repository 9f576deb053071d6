"""Tables as LaTeX and HTML. Names of users are data: every cell is escaped here, and only marks are markup."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from ensembles.reports import formatting
from ensembles.reports.significance import MarkedMeans

__all__ = ["frame_html", "frame_latex", "latex_table", "latex_text", "marked_html", "marked_latex", "marked_text"]

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "–": "--",
    "±": r"$\pm$",
    "×": r"$\times$",
    "|": r"\textbar{}",
    "\0": "{}",  # between characters that LaTeX would join: -- to –
}
_P_VALUES, _LEAST_P = {"p", "p adjusted"}, 0.0001
_LATEX_MARKS = {"better": r"\textbf{%s}", "worse": r"\textit{%s}"}
_HTML_MARKS = {"better": '<strong class="better">%s</strong>', "worse": '<em class="worse">%s</em>'}
_TEXT_MARKS = {"better": "%s +", "worse": "%s −", "equal": "%s  ", "unknown": "%s  "}


def latex_text(text: str) -> str:
    """Return text such that LaTeX prints it letter by letter, on one line, and a negative number with a minus."""
    signed = re.sub(r"^-(?=[\d.,]+$)", "−", text.replace("\0", ""))
    apart = re.sub("-(?=-)|'(?=')|`(?=`)", "\\g<0>\0", " ".join(signed.split()))
    return "".join(_LATEX.get(character, character) for character in apart)


def marked_latex(table: MarkedMeans) -> str:
    """Return a complete `table` with its caption: bold is better, italic worse, daggers as superscripts."""
    cells = _cells(table, _LATEX_MARKS, latex_text, "$^{%s}$", {"†": r"\dagger", "‡": r"\ddagger"})
    legend = table.legend() if table.is_tested else f"None is marked: {table.needed}."
    caption = f"{formatting.measure_name(table.question.measure)}, means. {legend}"
    return latex_table(caption, table.means.columns, _rows(table, cells, latex_text))


def marked_html(table: MarkedMeans) -> str:
    """Return a table in HTML: `strong` is better, `em` worse, daggers as superscripts."""
    cells = _cells(table, _HTML_MARKS, html.escape, "<sup>%s</sup>", {})
    return _table(["Data set", *map(html.escape, table.means.columns)], _rows(table, cells, html.escape), 1)


def marked_text(table: MarkedMeans) -> pd.DataFrame:
    """Return cells for a terminal: "0.9017 + †"."""
    cells = _cells(table, _TEXT_MARKS if table.is_tested else {}, str, " %s", {})
    return pd.DataFrame(cells, index=table.means.index, columns=table.means.columns)


def frame_html(frame: pd.DataFrame, *, index: str | None = None) -> str:
    """Return any table in HTML, numbers to the right; `index` names the column of row labels, left out by default."""
    return _table(*_plain_cells(frame, index, html.escape), n_left=_n_left(frame, index))


def frame_latex(frame: pd.DataFrame, *, index: str | None = None) -> str:
    """Return any table as a LaTeX `tabular`; `index` names the column of row labels, left out by default."""
    return _tabular(*_plain_cells(frame, index, latex_text), n_left=_n_left(frame, index))


def _cells(
    table: MarkedMeans, marks: dict[str, str], escape: Callable[[str], str], raised: str, signs: dict[str, str]
) -> list[list[str]]:
    daggers = table.dagger_signs().to_numpy().tolist()
    grid = []
    for means, verdicts, row in zip(table.means.to_numpy(), table.marks.to_numpy(), daggers, strict=True):
        line = []
        for mean, verdict, sign in zip(means.tolist(), verdicts.tolist(), row, strict=True):
            cell = marks.get(verdict, "%s") % escape(formatting.number(mean))
            line.append(cell + (raised % signs.get(sign, sign) if sign else ""))
        grid.append(line)
    return grid


def _rows(table: MarkedMeans, cells: list[list[str]], escape: Callable[[str], str]) -> list[list[str]]:
    return [[escape(name), *row] for name, row in zip(table.means.index, cells, strict=True)]


def _n_left(frame: pd.DataFrame, index: str | None) -> int:
    kinds = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    return (index is not None) + (kinds.index(True) if True in kinds else 1 - (index is not None))


def _plain_cells(
    frame: pd.DataFrame, index: str | None, escape: Callable[[str], str]
) -> tuple[list[str], list[list[str]]]:
    header = [escape(str(column)) for column in frame.columns]
    columns = [*frame.columns]
    rows = [[escape(_said(*told)) for told in zip(columns, row, strict=True)] for row in frame.itertuples(index=False)]
    if index is not None:
        header, rows = [escape(index), *header], [[escape(str(n)), *r] for n, r in zip(frame.index, rows, strict=True)]
    return header, rows


def _said(column: object, cell: object) -> str:
    if isinstance(cell, float):
        if column in _P_VALUES and cell < _LEAST_P:
            return f"< {_LEAST_P}"
        return formatting.number(cell)
    return formatting.count(cell) if isinstance(cell, int) else formatting.UNKNOWN if cell is None else str(cell)


def latex_table(caption: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a complete `table` of rows that are LaTeX already; each begins with its name, which has no heading."""
    tabular = _tabular(["", *map(latex_text, columns)], rows, 1)
    return f"\\begin{{table}}\n\\caption{{{latex_text(caption)}}}\n{tabular}\\end{{table}}\n"


def _tabular(header: Sequence[str], rows: Iterable[Sequence[str]], n_left: int) -> str:
    """Return a `tabular` of cells that are LaTeX already, with the rules of the package booktabs."""
    columns = "l" * n_left + "r" * (len(header) - n_left)
    # a row that begins with [ or * would be an argument of the command before it
    body = [f"{'{}' if cells[0][:1] in ('[', '*') else ''}{' & '.join(cells)} \\\\" for cells in rows]
    head = " & ".join(header) + r" \\"
    rules = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
    lines = [*rules, *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], n_left: int) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        left = "".join(f'<{tag} class="left">{cell}</{tag}>' for cell in cells[:n_left])
        return f"<tr>{left}{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells[n_left:])}</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    return f"<table>\n<thead>{line(header, 'th')}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
