"""Members of different make or task, and a rule that puts their predictions together."""
