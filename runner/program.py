"""How a process of this program starts another one."""

import os
import sys
from pathlib import Path

__all__ = ["program"]


def program(*arguments: str) -> tuple[list[str], dict[str, str]]:
    """Return the command line and the environment of `python -m runner ARGUMENTS`, of these very sources.

    It stays in the folder of this process, so that relative paths of settings mean the same files to both.
    """
    paths = (str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return [sys.executable, "-P", "-m", "runner", *arguments], environment
