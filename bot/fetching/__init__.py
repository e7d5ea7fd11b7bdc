"""History from other systems' interfaces: the one room that asks them, page by page, within their limits."""

from bot.fetching.asked import SYSTEMS, Fetched, system_named
from bot.fetching.client import Api, NotThere
from bot.fetching.pull_requests import (
    DIFF,
    PullRequest,
    github_api,
    paths_of,
    pull_request_named,
    read_pull_request,
)

__all__ = [
    "DIFF",
    "SYSTEMS",
    "Api",
    "Fetched",
    "NotThere",
    "PullRequest",
    "github_api",
    "paths_of",
    "pull_request_named",
    "read_pull_request",
    "system_named",
]
