"""Which trial goes where next: several experiments share the workers in turn."""
