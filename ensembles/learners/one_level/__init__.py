"""Trees of one level: decision stump and one-rule."""
