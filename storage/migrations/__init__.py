"""Schema changes, run by `storage.migrate` when a database is opened."""
