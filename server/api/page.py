"""The interface described for people: one page of plain HTML, made of the OpenAPI description."""

import json
import re
from html import escape
from typing import Any

__all__ = ["description_page"]

_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
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
    about = "".join(f"<p>{_text(part)}</p>" for part in info["description"].split("\n\n"))
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
    sent = f"<p>Body: {escape(' or '.join(body['content']))}. {_text(body.get('description', ''))}</p>" if body else ""
    examples = [str(one["example"]) for one in body.get("content", {}).values() if isinstance(one.get("example"), str)]
    shown = "".join(f"<pre>{escape(example)}</pre>" for example in examples)
    return f"<h3><code>{escape(title)}</code></h3><p>{_text(operation.get('description', ''))}</p>{table}{sent}{shown}"


def _row(parameter: dict[str, Any]) -> str:
    schema = parameter["schema"]
    said = [parameter.get("description", ""), _allowed(schema)]
    if parameter.get("required"):
        said.append("Needed.")
    elif schema.get("default") not in (None, "", []):
        said.append(f"Default: {json.dumps(schema['default'])}.")
    return f"<tr><td><code>{escape(parameter['name'])}</code></td><td>{_text(' '.join(filter(None, said)))}</td></tr>"


def _allowed(schema: dict[str, Any]) -> str:
    """Return what a value may be, as far as its description does not say it."""
    if "anyOf" in schema:
        return next(_allowed(one) for one in schema["anyOf"] if one.get("type") != "null")
    if schema.get("type") == "array":
        return f"May be given several times. {_allowed(schema['items'])}".strip()
    if "enum" in schema:
        return f"One of {', '.join(schema['enum'])}."
    if schema.get("type") == "integer":
        bounds = [schema[name] for name in ("minimum", "maximum") if name in schema]
        return f"A number from {' to '.join(f'{bound:,}' for bound in bounds)}."
    return "`true` or `false`." if schema.get("type") == "boolean" else ""


def _text(text: str) -> str:
    """Return text as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
