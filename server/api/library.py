"""What there is to compare, who asks, and whether all is well."""

from fastapi import APIRouter, Request, Response

from ensembles.data import catalogue
from ensembles.errors import StorageError
from ensembles.registry import base_models, methods
from server.api.identity import SIGNED_IN, AsAsked, Context
from server.api.models import CatalogueEntry, Health, Learner, WhoAmI

__all__ = ["library_routes"]

library_routes = APIRouter()


@library_routes.get("/learners", tags=["library"], dependencies=[SIGNED_IN])
def list_learners() -> list[Learner]:
    """List methods and base models, with their settings."""
    return [Learner(**entry.describe()) for entry in (*methods().values(), *base_models().values())]


@library_routes.get("/catalogue", tags=["library"], dependencies=[SIGNED_IN])
def list_catalogue() -> list[CatalogueEntry]:
    """List the data sets that experiments may name by a key."""
    return [CatalogueEntry(**entry.describe()) for entry in catalogue().values()]


@library_routes.get("/whoami", tags=["you"])
def who_am_i(storage: AsAsked) -> WhoAmI:
    """Tell for whom the token stands, and what it is good for."""
    actor = storage.actor
    scopes = None if actor.scopes is None else sorted(actor.scopes)
    return WhoAmI(kind=actor.kind, name=actor.name, role=actor.role, scopes=scopes)


@library_routes.get("/health", tags=["health"], responses={503: {"model": Health}})
def get_health(request: Request, response: Response) -> Health:
    """Tell whether the database takes what is written and runners are heard; needs no token."""
    context: Context = request.app.state.context
    try:
        found = context.find_storage().check_health().problems
    except StorageError as error:
        found = (str(error),)
    response.headers["Cache-Control"] = "no-store"
    response.status_code = 503 if found else 200
    return Health(status="unavailable" if found else "ok", problems=list(found))
