"""Pools of members that were trained apart, and how their votes are weighed."""
