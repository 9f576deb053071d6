"""The neural network."""
