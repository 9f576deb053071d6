"""The cluster as the runner sees it: its processes, the way to them, and what is sent there."""
