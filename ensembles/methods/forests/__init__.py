"""Trees that grow by drawn questions, and vote."""
