"""The interface described for people: one page of plain HTML, made of the OpenAPI description."""

from html import escape
from typing import Any

__all__ = ["description_page"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
h2 { margin-top: 2.5rem } h3 { margin: 1.6rem 0 .2rem; font-size: 1rem } p { margin: .2rem 0 }
code, pre { font-family: ui-monospace, monospace; font-size: .9em }
pre { overflow-x: auto; padding: .6rem; background: #8881 }
td { padding: .1rem 1rem .1rem 0; vertical-align: top }
"""


def description_page(described: dict[str, Any], prefix: str) -> str:
    """Return a page that needs no script and no other server.

    Parameters
    ----------
    described : dict
        An OpenAPI description.
    prefix : str
        The address that its paths are relative to.
    """
    groups: dict[str, list[str]] = {}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            part = _operation(f"{method.upper()} {prefix}{path}", operation)
            groups.setdefault(operation.get("tags", ["other"])[0], []).append(part)
    parts = "".join(f"<h2>{escape(name.capitalize())}</h2>{''.join(each)}" for name, each in groups.items())
    info = described["info"]
    about = "".join(f"<p>{escape(line)}</p>" for line in info["description"].splitlines() if line)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(info["title"])}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f"<h1>{escape(info['title'])}</h1>{about}"
        f'<p><a href="{escape(prefix)}/openapi.json">openapi.json</a> says the same to programs.</p>{parts}</body></html>'
    )


def _operation(title: str, operation: dict[str, Any]) -> str:
    rows = "".join(_row(one) for one in operation.get("parameters", ()))
    table = f"<table>{rows}</table>" if rows else ""
    body = operation.get("requestBody", {})
    sent = f"<p>Body: {escape(' or '.join(body['content']))}. {escape(body.get('description', ''))}</p>" if body else ""
    examples = [str(one["example"]) for one in body.get("content", {}).values() if isinstance(one.get("example"), str)]
    shown = "".join(f"<pre>{escape(example)}</pre>" for example in examples)
    return f"<h3><code>{escape(title)}</code></h3><p>{escape(operation.get('description', ''))}</p>{table}{sent}{shown}"


def _row(parameter: dict[str, Any]) -> str:
    said = parameter.get("description", "")
    needed = " (needed)" if parameter.get("required") else ""
    return f"<tr><td><code>{escape(parameter['name'])}</code></td><td>{escape(said)}{needed}</td></tr>"
