"""Every source of documents, by the name that `--source` takes: a new one is one line here."""

from __future__ import annotations

from bot.sources.adr import AdrSource
from bot.sources.claude_code import ClaudeCodeSource
from bot.sources.document import Source
from bot.sources.github import GithubSource
from bot.sources.jira import JiraSource
from bot.sources.jupyter import JupyterSource
from bot.sources.pagerduty import PagerdutySource
from bot.sources.turns import TurnsSource
from bot.sources.zoom import ZoomSource

SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        AdrSource(),
        ClaudeCodeSource(),
        GithubSource(),
        JiraSource(),
        JupyterSource(),
        PagerdutySource(),
        TurnsSource(),
        ZoomSource(),
    )
}
