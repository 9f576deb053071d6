"""Boosting: members learn what those before them got wrong."""
