"""The C4.5-like tree, grown in batch and pruned."""
