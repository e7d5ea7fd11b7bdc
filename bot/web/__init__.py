"""Slack over HTTP, and whether the process is well."""
