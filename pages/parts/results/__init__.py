"""The views of the results page, one file each."""
