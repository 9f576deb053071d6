"""What `export` and `import` accept on the command line."""

from typing import Any

__all__ = ["add_export", "add_import"]


def add_export(commands: Any, database_help: str) -> None:
    """Add the command that writes what there is of an experiment."""
    text = "write the results of an experiment"
    export = commands.add_parser("export", help=text, description=text.capitalize() + ".")
    export.add_argument("experiment", metavar="EXPERIMENT", help="its id, as it stands in its link")
    export.add_argument(
        "--format",
        required=True,
        choices=("csv", "parquet", "latex", "html", "yaml", "bundle", "script", "notebook", "model"),
        help="csv, parquet: every trial; latex: means with significance, and ranks; html: the report, with verdict and "
        "figures; yaml: the experiment file; "
        "bundle: a ZIP file that another installation imports; script, notebook: Python that gives the same numbers; "
        "model: a learner trained on all examples of a data set, as a ZIP file with a card and an example",
    )
    export.add_argument("--learner", metavar="NAME", help="of model: of which learner; needed where there are several")
    export.add_argument(
        "--dataset", metavar="NAME", help="of model: trained on which one; needed where there are several"
    )
    export.add_argument(
        "--of-trial",
        action="store_true",
        help="of model: what the trial on a stream has ended with, or come to by its last snapshot; nothing is trained",
    )
    export.add_argument("--measure", help="of the tables in latex and html; else every one of the experiment")
    export.add_argument("--output", metavar="FILE", help="where to write; else standard output")
    export.add_argument("--database", metavar="URL|@FILE", help=database_help)


def add_import(commands: Any, database_help: str) -> None:
    """Add the command that reads a bundle."""
    text = "store the experiment of a bundle, with its data and results"
    bundle = commands.add_parser("import", help=text, description=text.capitalize() + ".")
    bundle.set_defaults(command="import_file")
    bundle.add_argument("file", metavar="FILE.zip", help="as export --format bundle writes it")
    bundle.add_argument("--json", action="store_true", help="print one JSON object")
    bundle.add_argument("--database", metavar="URL|@FILE", help=database_help)
