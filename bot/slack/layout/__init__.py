"""How a message, a modal and Home look: words, blocks within Slack's limits, text that parses nothing. Pure."""
