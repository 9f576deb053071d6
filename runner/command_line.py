"""What the command line accepts, and how it says that something went wrong.

Exit code 0: done; 1: some trials failed, or the run was stopped; 2: unusable input, said in one sentence on stderr.
"""

import argparse
import io
import logging
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from runner.commands.export_arguments import add_export, add_import
from runner.commands.interrupts import ends_as_by_ctrl_c
from runner.commands.token_arguments import add_token

__all__ = ["main"]

_DATABASE = (
    "sqlite:////folder/file.sqlite, postgresql://user@host/name, or @FILE with such an address in it, as others can see "
    "what stands here; else DATABASE_URL, else a file of yours"
)
_KEEPING = ("backup", "restore", "export_all", "import_all", "clean")
_TOKENS = ("create_token", "list_tokens", "revoke_token")
_MODULES = (
    dict.fromkeys(("learners", "datasets", "warm"), "runner.commands.library")
    | {"add_dataset": "runner.commands.add_dataset"}
    | dict.fromkeys(_KEEPING, "runner.commands.keeping")
    | dict.fromkeys(_TOKENS, "runner.commands.tokens")
    | {"serve": "runner.commands.serve"}
)
_HEAR_SIGNALS = ("run", "papers", "worker", "warm", "serve")  # each has its own way to end
_OURS = ("ensembles", "runner", "storage")
_SCHEDULER = "address of a Dask scheduler, tls://host:port; else worker processes on this machine"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, that of the command line if no other is given; return the exit code."""
    _take_any_text()
    wanted = _parser().parse_args(arguments)
    try:
        return _execute(wanted)
    except KeyboardInterrupt:  # before there was a run to cancel
        return _end(1, f"{_program()}: stopped")
    except BrokenPipeError:
        return _end(1)  # the reader of our output has gone; there is nobody to tell
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in _OURS:
            raise
        advice = 'pip install "ensemble-lab[app]" adds all that the application needs'
        return _end(2, f"{_program()} {wanted.command}: {error.name} is not installed; {advice}")
    except OSError as error:
        return _end(2, f"{_program()}: {error}")


def _take_any_text() -> None:
    """Let no result be lost for a sign that the terminal's encoding lacks, nor where no output is open at all."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nothing = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - no other file becomes number 1 or 2
            setattr(sys, name, nothing)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")


def _execute(wanted: argparse.Namespace) -> int:
    # Only now: learners, Dask and Numba take seconds to import, and a typing error should not. A Ctrl-C in these
    # seconds ends the process at once: as an exception it would come out as an error of the module being imported.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ensembles.errors import EnsembleLabError, StorageError

    module = import_module(_MODULES.get(wanted.command, "runner.commands.running"))
    signal.signal(signal.SIGINT, before)
    command = getattr(module, wanted.command)
    try:
        with nullcontext() if wanted.command in _HEAR_SIGNALS else ends_as_by_ctrl_c():
            code: int = command(wanted)
        sys.stdout.flush()
    except EnsembleLabError as error:
        _tell(wanted.command, error.detail if isinstance(error, StorageError) else str(error))
        return 2
    return code


def _tell(command: str, sentence: str) -> None:
    """Say why a command cannot go on; a worker, whose output machines may read, in the form of its logs."""
    if command == "worker" and os.environ.get("ENSEMBLE_LAB_LOG") == "json":
        logging.getLogger("runner").error("%s", sentence)
    else:
        print(sentence, file=sys.stderr)


def _program() -> str:
    """Return what was typed: the installed command, or the module."""
    return "ensemble-lab" if Path(sys.argv[0]).stem == "ensemble-lab" else "python -m runner"


def _end(code: int, sentence: str = "") -> int:
    """Say why it ended; what could not be written to standard output is not tried again at exit."""
    if sentence:
        print(sentence, file=sys.stderr)
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog=_program(), description="Ensemble Lab on the command line.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in (
        ("learners", "list methods and base models"),
        ("datasets", "list the data sets of the catalogue"),
    ):
        listing = commands.add_parser(name, help=text, description=text.capitalize() + ".")
        listing.add_argument("--json", action="store_true", help="print JSON")
        if name == "datasets":
            _add_add(listing.add_subparsers(metavar="[add]"))
    _add_run(commands)
    _add_worker(commands)
    add_export(commands, _DATABASE)
    add_import(commands, _DATABASE)
    _add_keeping(commands)
    _add_papers(commands)
    add_token(commands, _DATABASE)
    text = "compile every learner ahead, so that nobody waits for the compiler"
    warm = commands.add_parser("warm", help=text, description=text.capitalize() + ".")
    warm.add_argument("--beside", action="store_true", help="for a worker: until input ends")
    _add_serve(commands)
    return parser


def _add_add(actions: "argparse._SubParsersAction[_Parser]") -> None:
    text = "store a table as a data set, as the page does"
    add = actions.add_parser("add", help=text, description=text.capitalize() + ".")
    add.set_defaults(command="add_dataset")
    add.add_argument(
        "file", metavar="FILE|URL", help="CSV, TSV, ARFF, Parquet or Excel; gzipped, in a ZIP archive or not"
    )
    add.add_argument("--target", metavar="COLUMN", help="the class column; else one called class, ..., if it is clear")
    add.add_argument("--bins", type=int, metavar="N", help="group the numbers of the class column into N classes")
    add.add_argument("--nominal", type=_names, metavar="A,B", help="columns to take as nominal, or all")
    add.add_argument("--numeric", type=_names, metavar="A,B", help="columns to take as numeric")
    add.add_argument("--ignore", type=_names, metavar="A,B", help="columns to leave out")
    add.add_argument("--missing", type=_names, metavar="A,B", help="what stands for a missing value, besides nothing")
    add.add_argument("--sheet", help="of a workbook; else the first with a table")
    add.add_argument("--skip-rows", type=int, metavar="N", help="rows above the table; else titles are recognised")
    add.add_argument("--name", help="of the data set; else that of the file")
    add.add_argument("--stream", action="store_true", help="leave it where it is and read it in batches")
    add.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object")
    add.add_argument("--database", metavar="URL|@FILE", help=_DATABASE)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _add_run(commands: "argparse._SubParsersAction[_Parser]") -> None:
    text = "run an experiment file to its end and print the results"
    run = commands.add_parser("run", help=text, description=text.capitalize() + ".")
    which = run.add_mutually_exclusive_group(required=True)
    which.add_argument("file", nargs="?", metavar="FILE.yaml", help="the experiment")
    which.add_argument("--resume", metavar="ID", help="instead go on with one that was cut off or cancelled")
    run.add_argument("--json", action="store_true", help="print one JSON object")
    run.add_argument(
        "--plan", action="store_true", help="say how many trials it has and how long it may take; run nothing"
    )
    _add_place(run)


def _add_worker(commands: "argparse._SubParsersAction[_Parser]") -> None:
    text = "claim and run what users launch, until told to stop"
    worker = commands.add_parser("worker", help=text, description=text.capitalize() + ".")
    worker.add_argument("--with-parent", action="store_true", help="end when standard input ends")
    _add_place(worker)


def _add_serve(commands: "argparse._SubParsersAction[_Parser]") -> None:
    text = "start the web application"
    serve = commands.add_parser("serve", help=text, description=text.capitalize() + ".")
    serve.add_argument("--address", help="where to listen; else STREAMLIT_SERVER_ADDRESS, else 127.0.0.1")
    serve.add_argument("--port", type=_port, metavar="N", help="else STREAMLIT_SERVER_PORT, else 8501")
    serve.add_argument("--database", metavar="URL|@FILE", help=_DATABASE)


def _add_keeping(commands: "argparse._SubParsersAction[_Parser]") -> None:
    texts = {
        "backup": "copy the whole database into one file, while others use it",
        "restore": "let a database hold what was backed up, and nothing else",
        "export-all": "write everything into an archive, which any database takes in",
        "import-all": "fill an empty database with an archive",
        "clean": "show what nobody uses any more and how much room it takes, and delete it with --yes",
    }
    parsers = {
        name: commands.add_parser(name, help=text, description=f"{text.capitalize()}.") for name, text in texts.items()
    }
    for name, parser in parsers.items():
        parser.set_defaults(command=name.replace("-", "_"))
        if name != "clean":
            parser.add_argument("file", metavar="FILE.zip" if name.endswith("all") else "FILE")
        parser.add_argument("--database", metavar="URL|@FILE", help=_DATABASE)
    kept = "earlier backups stay as FILE.1, FILE.2, ..., N with this one; else there must be no such file"
    parsers["backup"].add_argument("--keep", type=_backups, metavar="N", help=kept)
    parsers["restore"].add_argument("--force", action="store_true", help="also where the database holds something")
    clean = parsers["clean"]
    clean.add_argument(
        "--older-than", type=_days, default=90, metavar="90d", help="not used for so many days; else 90d"
    )
    clean.add_argument("--curves", action="store_true", help="of experiments that ended and have no star")
    clean.add_argument("--datasets", action="store_true", help="that no experiment uses")
    clean.add_argument("--bin", action="store_true", help="what was deleted before")
    clean.add_argument("--yes", action="store_true", help="delete what is named by these")


def _backups(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 1,000, got {text!r}")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535, got {text!r}")
    return int(text)


def _days(text: str) -> int:
    if not text.endswith("d") or not text[:-1].isdecimal() or int(text[:-1]) > 36_500:
        raise argparse.ArgumentTypeError(f"must be a number of days like 90d, at most 36500d, got {text!r}")
    return int(text[:-1])


def _add_papers(commands: "argparse._SubParsersAction[_Parser]") -> None:
    text = "list the published tables, or run some again and print their numbers beside ours"
    papers = commands.add_parser("papers", help=text, description=text.capitalize() + ".")
    papers.add_argument("--json", action="store_true", help="print JSON")
    action = papers.add_subparsers(dest="action", metavar="run")
    text = "run tables again: what has been run stays, what is missing is run; what they share once"
    run = action.add_parser("run", help=text, description=text.capitalize() + ".")
    run.add_argument("tables", metavar="TABLE", nargs="+", help="as papers lists them (oza2001/3.4), or all")
    run.add_argument(
        "--scale",
        type=float,
        nargs="+",
        default=[1.0],
        help="share of the published repeats, above 0 and up to 100; else all of them; several are run one after another, "
        "and the largest that has finished counts",
    )
    run.add_argument("--data", metavar="FOLDER", help="with files called like the data sets: car.csv, nursery.csv.gz")
    run.add_argument("--datasets", type=_names, metavar="KEY,...", help="only these data sets")
    run.add_argument("--minutes", type=float, help="stop after so many; the next run goes on from there")
    run.add_argument(
        "--report",
        metavar="FILE",
        help="where to write how far the numbers agree; else, in the repository, docs/reproduction.md for all "
        "tables with all data sets",
    )
    run.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON: one object a table")
    _add_place(run)


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--database", metavar="URL|@FILE", help=_DATABASE)
    parser.add_argument(
        "--workers", type=int, metavar="N", help="worker processes on this machine; else one a processor"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help=_SCHEDULER)
    parser.add_argument(
        "--tls-ca", metavar="FILE", help="certificate of the authority that the scheduler's is signed by"
    )
    parser.add_argument("--tls-cert", metavar="FILE", help="our certificate, signed by the same authority")
    parser.add_argument(
        "--tls-key", metavar="FILE", help="the private key of our certificate, if it is not in its file"
    )
    parser.add_argument("--insecure", action="store_true", help="let tcp:// go to a scheduler on another machine")
    parser.add_argument(
        "--trial-seconds",
        type=float,
        metavar="N",
        help="a trial that takes longer, compiling included, fails; else ENSEMBLE_LAB_TRIAL_SECONDS, else 21600 (six hours)",
    )
    parser.add_argument(
        "--trial-memory",
        type=float,
        metavar="MIB",
        help="a trial that takes more memory fails; else ENSEMBLE_LAB_TRIAL_MEMORY, else 60 %% of what its worker may take",
    )
