"""Share: the address for teammates."""

from collections.abc import Sequence

from pages.parts.results.copy_link import draw_copy_link
from storage import ExperimentRecord

__all__ = ["draw_share"]


def draw_share(records: Sequence[ExperimentRecord]) -> None:  # noqa: ARG001
    """Draw the button "Share"."""
    draw_copy_link()
