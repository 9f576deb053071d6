"""The lossless decision tree (ITI)."""
