"""Who may do what: people, tokens, links, comments, the log, limits."""
