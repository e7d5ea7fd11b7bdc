"""Slack: what comes in from it, and what people see there."""
