"""Claude behind the two ports; nothing else imports anthropic."""

from __future__ import annotations

from bot.claude.batch import ClaudeBatches
from bot.claude.client import ClaudeClient, client_of
from bot.claude.extract import ClaudeExtractor
from bot.claude.synthesise import ClaudeSynthesiser

__all__ = ["ClaudeBatches", "ClaudeClient", "ClaudeExtractor", "ClaudeSynthesiser", "client_of"]
