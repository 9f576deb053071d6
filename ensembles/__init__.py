"""Ensemble learners, batch and online: every algorithm, base model, protocol and measure of five papers."""
