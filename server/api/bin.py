"""The bin: what was deleted and can be restored, the newest deed first."""

from fastapi import APIRouter

from server.api.datasets import told_dataset
from server.api.experiments import Limit, Offset, told_experiment
from server.api.identity import AsAsked
from server.api.models import Dataset, Experiment, Page

__all__ = ["bin_routes"]

bin_routes = APIRouter(prefix="/bin", tags=["bin"])


@bin_routes.get("/experiments")
def list_binned_experiments(storage: AsAsked, limit: Limit = 50, offset: Offset = 0) -> Page[Experiment]:
    """List the experiments that you deleted; admins see those of everybody."""
    found = storage.list_bin().experiments
    items = [told_experiment(record) for record in found[offset : offset + limit]]
    return Page(items=items, total=len(found), limit=limit, offset=offset)


@bin_routes.get("/datasets")
def list_binned_datasets(storage: AsAsked, limit: Limit = 50, offset: Offset = 0) -> Page[Dataset]:
    """List the data sets that you deleted; admins see those of everybody."""
    found = storage.list_bin().datasets
    items = [told_dataset(record) for record in found[offset : offset + limit]]
    return Page(items=items, total=len(found), limit=limit, offset=offset)
