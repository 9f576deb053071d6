"""Strike at running experiments at random: see `tests.chaos.__main__`."""
