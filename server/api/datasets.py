"""Data sets that people stored: list, upload, download, delete."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from fastapi import Path as InPath

from ensembles.data.apart import preview_apart
from ensembles.data.left_out import columns_left_out
from ensembles.data.names import clean_text
from ensembles.data.readers import MOST_BINS, make_dataset
from ensembles.data.spreadsheets import to_csv
from server.api.bodies import UploadedFile
from server.api.experiments import Limit, Name, Offset, SeenBy
from server.api.files import FILE_FORMATS, attachment, file_answers
from server.api.identity import AsAsked
from server.api.models import Dataset, Page, UploadedDataset, Visibility
from server.api.turns import READING, WRITING
from storage import DatasetRecord, default_visibility

__all__ = ["dataset_routes", "told_dataset"]

dataset_routes = APIRouter(prefix="/datasets", tags=["data sets"])

Sha256 = Annotated[str, InPath(pattern="^[0-9a-f]{64}$", description="Hash of its content.")]
_Text = Annotated[str | None, Query(max_length=500)]
_Texts = Annotated[list[str] | None, Query(max_length=10_000)]

_BODY = {
    "requestBody": {
        "required": True,
        "description": "The file: CSV, TSV, ARFF, Parquet or Excel, also gzipped or in a ZIP archive.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@dataset_routes.get("")
def list_datasets(
    storage: AsAsked,
    q: Annotated[str, Query(max_length=200, description="Part of the name.")] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Page[Dataset]:
    """List the stored data sets that you may see, the newest first."""
    part = clean_text(q).casefold()
    found = [record for record in storage.list_datasets() if part in record.name.casefold()]
    items = [told_dataset(record) for record in found[offset : offset + limit]]
    return Page(items=items, total=len(found), limit=limit, offset=offset)


@dataset_routes.post("", status_code=201, openapi_extra=_BODY)
def upload_dataset(
    storage: AsAsked,
    file: UploadedFile,
    filename: Annotated[str, Query(min_length=1, max_length=200, description="What messages call it.")],
    target: Annotated[str | None, Query(max_length=500, description="The class column; else found by name.")] = None,
    bins: Annotated[int | None, Query(ge=2, le=MOST_BINS, description="Classes of a numeric class column.")] = None,
    nominal: Annotated[_Texts, Query(description="Columns to take as nominal; `all` for all of them.")] = None,
    numeric: _Texts = None,
    ignore: _Texts = None,
    missing: Annotated[_Texts, Query(description="What stands for a missing value, besides nothing.")] = None,
    sheet: _Text = None,
    skip_rows: Annotated[int | None, Query(ge=0, le=10**6, description="Rows above the table.")] = None,
    name: Annotated[str | None, Query(max_length=200, description="Of the data set; else the file's.")] = None,
    visibility: SeenBy = None,
) -> UploadedDataset:
    """Store a table as a data set. The same content is stored once: its record is answered again."""
    storage.check_upload(file.stat().st_size)
    with READING.turn():
        marks = None if missing is None else tuple(missing)
        preview = preview_apart(file, filename=clean_text(filename), sheet=sheet, skip_rows=skip_rows, missing=marks)
        dataset = make_dataset(
            preview,
            target,
            target_bins=bins,
            nominal="all" if nominal == ["all"] else nominal,
            numeric=numeric,
            ignore=ignore,
            name=name,
        )
        told = told_dataset(storage.save_dataset(dataset, visibility=visibility or default_visibility()))
        return UploadedDataset(**told.model_dump(), notices=columns_left_out(preview.columns, dataset, ignore))


@dataset_routes.get("/{sha256}")
def get_dataset(storage: AsAsked, sha256: Sha256) -> Dataset:
    """Tell about a data set."""
    return told_dataset(storage.get_dataset_record(sha256))


@dataset_routes.post("/{sha256}/rename")
def rename_dataset(storage: AsAsked, sha256: Sha256, name: Name) -> Dataset:
    """Give a data set another name; experiments keep the one that they were launched with."""
    return told_dataset(storage.rename_dataset(sha256, name))


@dataset_routes.post("/{sha256}/visibility")
def set_dataset_visibility(storage: AsAsked, sha256: Sha256, visibility: Visibility) -> Dataset:
    """Say who sees a data set, besides its owner; the experiments on it go by their own."""
    return told_dataset(storage.set_dataset_visibility(sha256, visibility))


@dataset_routes.delete("/{sha256}", status_code=204)
def delete_dataset(storage: AsAsked, sha256: Sha256) -> None:
    """Put a data set into the bin, from where it can be restored for 30 days; not while experiments use it."""
    storage.delete_dataset(sha256)


@dataset_routes.post("/{sha256}/restore")
def restore_dataset(storage: AsAsked, sha256: Sha256) -> Dataset:
    """Take a data set out of the bin."""
    return told_dataset(storage.restore_dataset(sha256))


@dataset_routes.get("/{sha256}/content", response_class=Response, responses=file_answers())
def download_dataset(storage: AsAsked, sha256: Sha256, format: Literal["csv", "parquet"] = "csv") -> Response:
    """Download a data set, its class last. In CSV, text that a spreadsheet would run as a formula gets an apostrophe."""
    with WRITING.turn():
        dataset = storage.get_dataset(sha256)
        frame = dataset.to_frame()
        content = to_csv(frame).encode() if format == "csv" else bytes(frame.to_parquet(index=False))
    return attachment(content, dataset.name, format, FILE_FORMATS[format])


def told_dataset(record: DatasetRecord) -> Dataset:
    """Return what the interface tells of a data set."""
    return Dataset(**vars(record), owner=record.user_name)
