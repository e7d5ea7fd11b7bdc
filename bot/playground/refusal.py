"""How the playground says no: with Slack's own error codes, to the app and to the people driving it."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """Slack would refuse this; `code` is its error, `details` what stands beside it in the reply."""

    def __init__(self, code: str, *messages: str, **details: Any) -> None:
        """Take Slack's error code, the lines of `response_metadata.messages`, and other fields of the reply."""
        super().__init__(code + (f": {'; '.join(messages)}" if messages else ""))
        self.code = code
        self.messages = messages
        self.details = details

    def reply(self) -> dict[str, Any]:
        """Return the body that Slack answers with."""
        body: dict[str, Any] = {"ok": False, "error": self.code, **self.details}
        if self.messages:
            body["response_metadata"] = {"messages": list(self.messages)}
        return body
