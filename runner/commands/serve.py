"""The command `serve`: the web application, as `streamlit run app.py` starts it."""

import errno
import os
import runpy
import socket
import sys
from argparse import Namespace
from importlib.util import find_spec
from pathlib import Path

from ensembles.errors import InvalidInput

__all__ = ["serve"]


def serve(wanted: Namespace) -> int:
    """Start the web application and stay until it is told to stop."""
    if wanted.database is not None:
        os.environ["DATABASE_URL"] = wanted.database
    if find_spec("streamlit") is None:  # said as of the other modules that the application needs
        raise ModuleNotFoundError("No module named 'streamlit'", name="streamlit")
    os.environ.setdefault("WEBSOCKETS_MAX_LINE_LENGTH", "65536")  # all cookies of a sign-in stand in one line
    flags = {"--server.address": wanted.address, "--server.port": wanted.port}
    given = [part for flag, value in flags.items() if value is not None for part in (flag, str(value))]
    sys.argv = ["streamlit", "run", str(_application()), *given]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except OSError as error:
        if not isinstance(error, socket.gaierror) and error.errno != errno.EADDRNOTAVAIL:
            raise
        listened = wanted.address or "that of the settings"
        raise InvalidInput(f"address: must be one of this machine, got {listened} ({error.strerror})") from error
    return 0


def _application() -> Path:
    """Return the file of the application: inside `ensemble_lab` where it is installed, else in the folder of the sources."""
    root = Path(__file__).parents[2]
    installed = root / "ensemble_lab" / "app.py"
    return installed if installed.exists() else root / "app.py"
