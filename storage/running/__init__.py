"""Which runner runs what: leases, turns, runners."""
