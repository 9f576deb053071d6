"""Classifiers of scikit-learn as base models."""
