"""Questions and what comes of them: answered, shared, voted on, put to the team, told later, said before."""
