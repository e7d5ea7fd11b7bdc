"""Backstory's voice: Slack, Claude, HTTP, terminals and the clock. It holds no SQL and no vectors."""
