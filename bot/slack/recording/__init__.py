"""From a thread to its card: captured, followed as Slack changes it, corrected, replaced, undone."""
