"""A page that looks like a little Slack: people use the playground on it, one at a time, and see what each may see."""

from bot.playground.page.site import Page

__all__ = ["Page"]
