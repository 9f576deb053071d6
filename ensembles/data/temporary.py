"""What folders are called that hold a file while it is read, and go with the reader."""

__all__ = ["TEMPORARY_PREFIX"]

TEMPORARY_PREFIX = "ensemble-lab-upload-"
"""By it folders of readers that were killed are found: others of ours, `ensemble-lab-` and a user's number, stay."""
