"""What a comment on a pull request says: which decisions the change goes against, quoted as data.

Titles and reasons are what people wrote elsewhere. In a comment they ping nobody, link to nothing and format nothing;
an instruction among them is one more quoted sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.agents.quoting import one_line
from bot.preflight import SHORT_ID, Finding, Preflight
from bot.sources.github import OWN_COMMENT

MOST_FINDINGS = 8
"""Of one comment: who goes against more has to talk to somebody anyway."""
_LONGEST_TITLE, _LONGEST_WHY, _LONGEST_WHAT = 160, 320, 200
_APART = "\u200b"
"""Stands between a sign and what it would call or link: nobody sees it."""
_CALLS = re.compile(r"[@#]|\b[Gg][Hh](?=-\d)|:(?=//)|\b[Ww]{3}(?=\.)")
_FORMATS = re.compile(r"([\\`*_{}\[\]()<>+!|~&$-])")
_LINK = re.compile(r"https?://[^\s()<>\[\]\\\"'`]+")
_HEADS = {
    Preflight.CONFLICT: "Conflict",
    Preflight.NEEDS_SUPERSEDING: "Needs a decision that supersedes",
}


def mark_of(address: str) -> str:
    """Return the first line of an address's comments, which shows nothing: by it they are known again.

    Args:
        address: a short digest of the webhook's id.
    """
    return f"{OWN_COMMENT}preflight {address} -->"


def comment_of(found: Sequence[Finding], *, mark: str) -> str:
    """Return the comment on what a change goes against, in GitHub's Markdown; what it says when nothing is left."""
    if not found:
        return f"{mark}\nNothing that was decided speaks against this change any more."
    lines = [mark, "**This goes against what was decided.**", ""]
    for one in found[:MOST_FINDINGS]:
        lines += [*_finding_lines(one), ""]
    if len(found) > MOST_FINDINGS:
        lines += [f"…and {len(found) - MOST_FINDINGS} more.", ""]
    lines.append(
        "<sub>From the team's record of decisions. Name the decision in the description if this takes it into account,"
        " or record one that supersedes it: then this goes.</sub>"
    )
    return "\n".join(lines)


def plain(text: str, longest: int) -> str:
    """Return a text as one line that GitHub shows as it is: it calls nobody, links nothing and formats nothing."""
    apart = _CALLS.sub(lambda match: f"{match[0]}{_APART}", one_line(text, longest))
    return _FORMATS.sub(r"\\\1", apart)


def _finding_lines(one: Finding) -> list[str]:
    decision = one.decision
    title, link = plain(decision.title, _LONGEST_TITLE), decision.place.permalink
    named = f"[{title}]({link})" if _LINK.fullmatch(link) else title
    day = f", {decision.decided_on.isoformat()}" if decision.decided_on else ""
    lines = [
        f"**{_HEADS[Preflight(one.verdict)]}**: {plain(one.what, _LONGEST_WHAT)}",
        f"> {named} (`{decision.id[:SHORT_ID]}`{day})",
    ]
    return [*lines, ">", f"> Why: “{plain(one.why, _LONGEST_WHY)}”"] if one.why else lines
