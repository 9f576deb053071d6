"""Trials and what is told from them."""
