"""The table of experiments: what is wanted, its rows, and what can be done with them."""
