"""Trees that each mend the error of those before them, by its gradient."""
