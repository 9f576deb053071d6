"""What is said of experiments whose trials, or a part of them, were imported and ran elsewhere."""

__all__ = ["CUT_OFF", "IMPORTED", "is_import", "name_of_import", "with_origin"]

IMPORTED = "It was imported from a bundle: its trials ran elsewhere, and its numbers are as the bundle says."
CUT_OFF = f"{IMPORTED} The import was cut off before its end: import the bundle again to have all of it."
_PARTLY = "Part of it was imported from a bundle: those trials ran elsewhere, and their numbers are as the bundle says."
_MARK = "imported from a bundle: "
_IMPORT = "import on "


def name_of_import(host: str) -> str:
    """Return what the runner is called that imports an experiment."""
    return f"{_IMPORT}{host}"


def is_import(runner: str | None) -> bool:
    """Return whether an experiment is in the hands of a program that imports it."""
    return runner is not None and runner.startswith(_IMPORT)


def with_origin(message: str | None, before: str | None) -> str | None:
    """Return the next message of an experiment: where the one before says that trials ran elsewhere, it says so too."""
    if before is None or _MARK not in before or (message is not None and _MARK in message):
        return message
    return " ".join(filter(None, [_PARTLY, message]))
