"""Where the program keeps what belongs to the user."""

import os
import sys
from pathlib import Path

__all__ = ["data_folder", "make_private"]


def data_folder() -> Path:
    """Return the folder of the user's data: `ENSEMBLE_LAB_HOME`, or where the system keeps data of applications."""
    if home := os.environ.get("ENSEMBLE_LAB_HOME"):
        return Path(os.path.expanduser(home))  # unlike Path.expanduser it leaves the home of a stranger as it stands
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "EnsembleLab"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "EnsembleLab"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "ensemble-lab"


def make_private(folder: Path) -> None:
    """Make a folder that only its owner may look into; one that is there keeps its permissions."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
