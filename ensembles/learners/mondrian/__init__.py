"""The Mondrian tree, which averages over all its prunings."""
