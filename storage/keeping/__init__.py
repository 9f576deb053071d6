"""The database as a whole: backups, archives, cleaning, health, numbers."""
