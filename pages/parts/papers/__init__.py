"""Parts of the page of published tables."""
