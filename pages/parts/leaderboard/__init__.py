"""The leaderboard: what it is about, and its views."""
