"""Answers and decisions of a small made-up team, with defaults for all that a test doesn't care about."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from hypothesis import strategies as st

from bot.ports import Answer, Claim, ClaimKind, Evidence
from bot.slack.layout.kit import Message
from bot.slack.layout.text import Mrkdwn, spoken
from store import (
    Alternative,
    Decision,
    DecisionId,
    Person,
    Place,
    Quote,
    Reader,
    Scope,
    SessionId,
    State,
    Status,
    Verdict,
    Voices,
)

PERMALINK = "https://acme.slack.com/archives/C1/p1772619120000100"
NASTY = st.sampled_from(
    ["<!channel>", "<!here>", "<!subteam^S1>", "<@U1>", "<#C1>", "<https://evil.example|acme.slack.com>",
     "&lt;!here&gt;", "*", "**", "_", "~", "`", "```", ">", "&", "<", "|", "[a](https://evil.example)",
     f"[a]({PERMALINK})", ":tada:", ":+1::skin-tone-2:", "👩🏽\u200d🚀", "🇩🇪", "é", "\u202e", "\ud800", "\n",
     " ", "word", "snake_case", "日本語", "\x00"]
)  # fmt: skip
ANY = st.lists(st.one_of(NASTY, st.text(max_size=6)), max_size=30).map("".join)
"""Text as people, models and mischief write it."""
ENTITY = re.compile(r"<[^<>]*>")
"""What Slack parses as a link, a ping or a date."""

LENA = Person(name="Lena", id="ULENA")
OMAR = Person(name="Omar", id="UOMAR")
RAJ = Person(name="Raj", id="URAJ")
SEARCH = Scope(id="channel:CSEARCH", open=True)
MEMBER = Reader(sees_open=True)
WHEN = datetime(2026, 3, 4, 10, 12, tzinfo=UTC)


def url(ts: str, channel: str = "CSEARCH") -> str:
    return f"https://acme.slack.com/archives/{channel}/p{ts}"


def quote(text: str, author: Person = LENA, ts: str = "1772619120000100", at: datetime = WHEN) -> Quote:
    return Quote(quote=text, author=author.name, author_id=author.id, at=at, permalink=url(ts), turn_id=f"CSEARCH/{ts}")


STAY = quote("then we stay on pg")
NOBODY_KNOWS = quote("nobody on call knows it, trigrams get us to 80 ms", OMAR, "1772619180000200")
NO_ROWS = quote("Typesense has no row permissions", OMAR, "1772619240000300")


def decision(name: str = "a", **changes: Any) -> Decision:
    return replace(
        Decision(
            id=DecisionId(name * (64 // len(name))),
            title="Search stays on Postgres",
            place=Place(source="slack", anchor="CSEARCH/1772619120.000100", permalink=url("1772619120000100")),
            scope=SEARCH,
            status=Status.ACCEPTED,
            state=State.CURRENT,
            confirmed=True,
            recorded_at=WHEN,
            rationale="no second cluster to run",
            decided_on=date(2026, 3, 4),
            decided_by=(LENA, OMAR),
            alternatives=(Alternative(option="Elasticsearch", reason="a second cluster"),),
            revisit_when="past 5 M rows",
            evidence=(STAY, NOBODY_KNOWS, NO_ROWS),
        ),
        **changes,
    )


def evidence(
    n: int, said: Quote = STAY, of: Decision | None = None, label: str = "#search", **changes: Any
) -> Evidence:
    line = Evidence(
        n=n,
        decision=of or decision(),
        quote=said.quote,
        author=said.author,
        at=said.at.date() if said.at else None,
        permalink=said.permalink,
        label=label,
    )
    return replace(line, **changes)


def claim(kind: ClaimKind, text: str, *citations: int) -> Claim:
    return Claim(kind=kind, text=text, citations=citations)


def sure(**changes: Any) -> Answer:
    kept = decision()
    answer = Answer(
        session=SessionId("s1f0c2"),
        question="why not Elasticsearch?",
        reader=MEMBER,
        shape="sure",
        claims=(
            claim(ClaimKind.HEADLINE, "Search stays on Postgres; Elasticsearch was turned down.", 1),
            claim(ClaimKind.WHY, '"nobody on call knows it, trigrams get us to 80 ms"', 2),
            claim(ClaimKind.INSTEAD_OF, "Elasticsearch, a second cluster", 2),
            claim(ClaimKind.INSTEAD_OF, "Typesense, no row permissions", 3),
            claim(ClaimKind.SINCE, "worked, say Lena and 2 others. Look again past 5 M rows", 1),
        ),
        evidence=(evidence(1, of=kept), evidence(2, NOBODY_KNOWS, kept), evidence(3, NO_ROWS, kept)),
        main=kept.id,
        worded_by="Claude",
    )
    return replace(answer, **changes)


def contested(**changes: Any) -> Answer:
    three = decision("b", title="search-api retries three times", decided_by=(Person(name="Ana"),))
    five = decision("c", title="Batch jobs retry five times", decided_by=(RAJ,))
    failed = Voices(failed=2, label=Verdict.FAILED)
    plain = decision("d", title="Plain 3x retry", state=State.SUPERSEDED, voices=failed)
    ana = quote(
        "a key per request, then back off", Person(name="Ana"), "1784193120000100", datetime(2026, 7, 16, 9, tzinfo=UTC)
    )
    raj = quote("batch can wait, give it 5", RAJ, "1785661920000100", datetime(2026, 8, 2, 9, tzinfo=UTC))
    twice = quote("it charged twice", RAJ, "1785661920000900", datetime(2026, 6, 2, 9, tzinfo=UTC))
    answer = Answer(
        session=SessionId("s1f0c3"),
        question="how often do we retry?",
        reader=MEMBER,
        shape="contested",
        claims=(
            claim(ClaimKind.HEADLINE, "two retry limits for search-api stand.", 1, 2),
            claim(ClaimKind.SIDE, '3 tries, backoff: "a key per request, then back off"', 1),
            claim(ClaimKind.SIDE, '5 tries for batch jobs: "batch can wait, give it 5"', 2),
            claim(ClaimKind.TRIED_BEFORE, "plain 3x retry; it charged twice in incident 318", 3),
        ),
        evidence=(
            evidence(1, ana, three, "#platform"),
            evidence(2, raj, five, "#data"),
            evidence(3, twice, plain, "incident 318"),
        ),
        worded_by="Claude",
    )
    return replace(answer, **changes)


def nothing(**changes: Any) -> Answer:
    near = decision("e", title="Payroll export by SFTP", decided_by=(LENA,))
    said = quote("SFTP then, nightly", ts="1768208400000100", at=datetime(2026, 1, 12, 9, tzinfo=UTC))
    answer = Answer(
        session=SessionId("s1f0c4"),
        question="which HR system do we use?",
        reader=MEMBER,
        shape="nothing",
        claims=(),
        evidence=(),
        nearest=(evidence(1, said, near, "#fin-eng"),),
        who_might_know=("Lena",),
    )
    return replace(answer, **changes)


def waiting() -> Evidence:
    """A capture that nobody has confirmed."""
    said = quote("ok, nightly reindex", ts="1794477600000100", at=datetime(2026, 11, 12, 10, tzinfo=UTC))
    return evidence(9, said, decision("f", title="Reindex nightly", confirmed=False, confidence=60, evidence=(said,)))


def lines(message: Message) -> list[str]:
    """Return what stands in a message, a line each, as it is read aloud."""
    found: list[str] = []
    for block in message.blocks:
        parts = [block["text"]] if block["type"] == "section" else []
        parts += block["elements"] if block["type"] == "context" else []
        found += [line for part in parts for line in spoken(Mrkdwn(part["text"])).split("\n")]
    return found
