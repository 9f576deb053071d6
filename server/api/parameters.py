"""Parameters that a route does not know are refused: mistyped, `visibility` would show to a team what was to be private."""

from fastapi import Request

from ensembles.errors import InvalidInput

__all__ = ["check_parameters"]


async def check_parameters(request: Request) -> None:
    """Raise `InvalidInput` where the query says something that the description of the route does not name."""
    if not request.query_params:
        return
    described = request.app.openapi()["paths"][request.scope["route"].path][request.method.lower()]
    known = [one["name"] for one in described.get("parameters", ()) if one["in"] == "query"]
    if unknown := [name for name in request.query_params if name not in known]:
        raise InvalidInput(f"{unknown[0][:80]!r}: must be a parameter of this address, {', '.join(known) or 'none'}")
