"""Bagging and its kin: every member learns a sample, or weights, of its own."""
