"""History from other systems' interfaces: the one room that asks them, page by page, within their limits."""

from bot.fetching.asked import SYSTEMS, Fetched, system_named
from bot.fetching.client import Api, NotThere

__all__ = ["SYSTEMS", "Api", "Fetched", "NotThere", "system_named"]
