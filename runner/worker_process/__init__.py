"""What happens inside a worker process."""
