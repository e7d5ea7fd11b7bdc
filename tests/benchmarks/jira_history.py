"""Two years of Jira, 2,000 issues of which 600 decide something, imported in one go and asked what was seen before.

    python -m tests.benchmarks.jira_history [--issues 2000] [--deciding 600] [--seed 7] [--verbose]

The export has the shapes of Jira's own, half of the bodies plain, half Atlassian's document format. The import and each
question are processes of `why`. Printed: threads, decisions, precision and recall by issue, what share was quoted from
the comment that decides, seconds, and to how many questions a decided ticket of the right kind is among the first five
sources. What people write there: `jira_texts.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store import EVERYTHING, Memory
from tests.benchmarks.jira_texts import CASES, CHATTER, PLAIN, QUESTIONS, VOICES, WONT, Case

PROJECTS = ("PAY", "ORD", "WEB", "DSP", "PLAT", "WMS")
COMPONENTS = (
    "Payment Service", "the ledger", "Order Platform", "dispatch-ui", "the courier app", "Merchant Portal", "kiosk",
    "Partner API", "warehouse sync", "tracking-gw", "ETA service", "the notification service", "Zone Editor", "payouts",
    "the invoice worker", "the batch planner", "Customer App", "support console", "geocoder", "the promo engine",
    "restaurant tablet", "auth-proxy", "driver onboarding", "the data warehouse", "returns", "the fleet", "the gateway",
    "the pricing service", "tips", "the menu importer",
)  # fmt: skip
PEOPLE = (
    "Dana Okafor", "Bo Lindqvist", "Priya Raman", "Kofi Mensah", "Hanna Virtanen", "Lewis Park", "Tara Quinn",
    "Lena Fischer", "Marcus Teo", "Tomasz Wrobel", "Rosa Ibarra", "Ben Atkins", "Ines Carvalho", "Viktor Petrov",
    "Sofia Conti", "Jun Sato",
)  # fmt: skip
FIRST = datetime(2024, 11, 4, 8, tzinfo=UTC)
AMONG = 5
_DOUBLED = frozenset(
    {"put", "cut", "set", "run", "stop", "drop", "map", "cap", "let", "split", "ship", "swap", "commit"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An issue as Jira exports it, and what the benchmark knows of it; `decides` is the text of the comment."""

    issue: Mapping[str, Any]
    kind: str = ""
    decides: str = ""

    @property
    def key(self) -> str:
        """Return its key."""
        return str(self.issue["key"])


def history(issues: int, deciding: int, seed: int) -> list[Told]:
    """Return that many issues, so many of which decide something, the same ones for the same seed."""
    chance = random.Random(seed)
    pairs = [(case, component) for component in COMPONENTS for case in CASES]
    chance.shuffle(pairs)
    kinds = ["decides"] * deciding + ["plain"] * (issues - deciding)
    chance.shuffle(kinds)
    told, step = [], timedelta(days=730) / max(1, issues)
    numbers = dict.fromkeys(PROJECTS, 0)
    for place, kind in enumerate(kinds):
        project = chance.choice(PROJECTS)
        numbers[project] += chance.randint(1, 3)
        at = FIRST + place * step + timedelta(minutes=chance.randint(0, 200))
        made = _Issue(chance, f"{project}-{numbers[project]}", at, adf=place % 2 == 1)
        if kind == "decides":
            told.append(made.deciding(*pairs.pop()))
        elif chance.random() < 0.25:
            told.append(made.undecided(chance.choice(CASES), chance.choice(COMPONENTS)))
        else:
            told.append(made.plain(chance.choice(PLAIN), chance.choice(COMPONENTS)))
    return told


class _Issue:
    """One issue in the making."""

    def __init__(self, chance: random.Random, key: str, at: datetime, *, adf: bool) -> None:
        self._chance, self._key, self._at, self._adf = chance, key, at, adf
        self._people = chance.sample(PEOPLE, 4)

    def deciding(self, case: Case, component: str) -> Told:
        """Somebody reports a problem, others talk, one says what is done, and it is resolved."""
        chance, words = self._chance, self._words(case, component)
        wont = chance.random() < 0.08
        decides = chance.choice(WONT if wont else VOICES).format(**words)
        before = [line.format(**words) for line in chance.sample(CHATTER, chance.randint(0, 3))]
        after = ["Thanks!", "Live since this morning.", "Verified on production."][: chance.randint(0, 2)]
        resolution = "Won't Do" if wont else chance.choice(("Done", "Fixed", "Fixed"))
        title, text = (chance.choice(some).format(**words) for some in (case.titles, case.told))
        comments = [*before, decides, *after]
        return Told(issue=self._issue(title, text, comments, resolution, component), kind=case.kind, decides=decides)

    def undecided(self, case: Case, component: str) -> Told:
        """Somebody reports a problem, others talk, and nothing is decided."""
        chance, words = self._chance, self._words(case, component)
        title, text = (chance.choice(some).format(**words) for some in (case.titles, case.told))
        comments = [line.format(**words) for line in chance.sample(CHATTER, chance.randint(0, 4))]
        resolution = chance.choice((None, None, "Cannot Reproduce", "Duplicate"))
        return Told(issue=self._issue(title, text, comments, resolution, component))

    def plain(self, form: tuple[str, str, tuple[str, ...], str | None], component: str) -> Told:
        """A chore, a small fix, a question."""
        title, text, comments, resolution = form
        words = {"c": component, "n": self._people[2].split()[0], "q": str(self._chance.randint(2, 59))}
        said = [line.format(**words) for line in comments]
        return Told(issue=self._issue(title.format(**words), text.format(**words), said, resolution, component))

    def _words(self, case: Case, component: str) -> dict[str, str]:
        chance, small = self._chance, {"c": component, "q": str(self._chance.randint(2, 59))}
        way = chance.randrange(len(case.alt))
        fix, alt, why = (
            chance.choice(case.fix).format(**small),
            case.alt[way].format(**small),
            case.why[way].format(**small),
        )
        return small | {
            "n": self._people[2].split()[0], "fix": fix, "fixing": _ing(fix), "alt": alt, "alting": _ing(alt),
            "Alting": _capital(_ing(alt)), "why": why, "Why": _capital(why),
        }  # fmt: skip

    def _issue(
        self, title: str, text: str, comments: list[str], resolution: str | None, component: str
    ) -> dict[str, Any]:
        at = self._at
        written = []
        for number, line in enumerate(comments):
            at += timedelta(minutes=self._chance.randint(7, 900))
            person = _person(self._people[1 + number % 3])
            written.append({"id": f"{self._chance.randint(10**5, 10**9)}", "author": person, "body": self._body(line),
                            "created": _stamp(at), "updated": _stamp(at), "jsdPublic": True})  # fmt: skip
        reporter = _person(self._people[0])
        fields = {
            "summary": title, "issuetype": {"name": "Bug"}, "status": {"name": "Done" if resolution else "Open"},
            "resolution": {"name": resolution} if resolution else None,
            "resolutiondate": _stamp(at) if resolution else None, "components": [{"id": "500", "name": component}],
            "labels": [], "created": _stamp(self._at), "updated": _stamp(at), "reporter": reporter, "creator": reporter,
            "assignee": _person(self._people[1]), "description": self._body(text),
            "issuelinks": [], "comment": {"comments": written, "total": len(written)},
        }  # fmt: skip
        link = f"https://fernway.atlassian.net/rest/api/3/issue/{self._key}"
        return {"expand": "", "id": self._key, "self": link, "key": self._key, "fields": fields}

    def _body(self, text: str) -> object:
        if not self._adf:
            return text
        paragraph = {"type": "paragraph", "content": [{"type": "text", "text": text}]}
        return {"type": "doc", "version": 1, "content": [paragraph]}


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.000+0000")


def _person(name: str) -> dict[str, object]:
    return {
        "accountId": f"712020:{name.replace(' ', '')}",
        "accountType": "atlassian",
        "displayName": name,
        "active": True,
    }


def _ing(phrase: str) -> str:
    verb, _, rest = phrase.partition(" ")
    stem = verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb
    return f"{stem}{stem[-1] if verb in _DOUBLED else ''}ing {rest}".strip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- what comes of it ---


def why(home: Path, *words: str) -> Any:
    """Run `why` as a process and return the document that it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BACKSTORY_", "SLACK_"))}
    kept.pop("ANTHROPIC_API_KEY", None)
    done = subprocess.run(
        [sys.executable, "-m", "bot", *words, "--json"],
        env=kept | {"BACKSTORY_HOME": str(home)},
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def scores(home: Path, told: list[Told], *, verbose: bool) -> Iterator[tuple[str, object]]:
    """Yield what was found by issue against what was decided there."""
    memory = Memory.open(home, index="off")
    decisions = memory.decisions(EVERYTHING)
    memory.close()
    wanted = {each.key: each for each in told if each.decides}
    plain = {each.key: each for each in told if not each.decides}
    found = {each.place.anchor for each in decisions}
    right = [each for each in decisions if each.place.anchor in wanted]
    quoted = sum(any(held.quote in wanted[one.place.anchor].decides for held in one.evidence) for one in right)
    if verbose:
        for each in decisions:
            if each.place.anchor in plain:
                print(f"  !! {each.place.anchor} {each.confidence} {each.title}", file=sys.stderr)
        for key in sorted(wanted.keys() - found):
            print(f"  ?? {key} {wanted[key].decides}", file=sys.stderr)
    yield "decisions", len(decisions)
    yield "precision", round(len(right) / max(1, len(decisions)), 3)
    yield "recall", round(len(found & wanted.keys()) / max(1, len(wanted)), 3)
    yield "quotes_of_the_deciding_comment", round(quoted / max(1, len(right)), 3)


def answered(home: Path, told: list[Told], *, verbose: bool) -> int:
    """Ask each question as a process and count those with a decided ticket of its kind among the first sources."""
    kinds = {each.key: each.kind for each in told if each.decides}
    good = 0
    for question, kind in QUESTIONS:
        document = why(home, "ask", question)
        keys = [str(each["anchor"]) for each in document["evidence"]][:AMONG]
        hit = any(kinds.get(key) == kind for key in keys)
        good += hit
        if verbose or not hit:
            shown = [f"{key} ({kinds.get(key, '-')})" for key in keys]
            print(f"  {'ok' if hit else '??'} {question} -> {shown}", file=sys.stderr)
    return good


def main(given: argparse.Namespace) -> int:
    """Make, import, ask, print; 1 below 0.75 of precision or recall, or 0.9 of the questions with a ticket."""
    told = history(given.issues, given.deciding, given.seed)
    with tempfile.TemporaryDirectory() as folder:
        home, export = Path(folder) / "home", Path(folder) / "issues.json"
        pages = [each.issue for each in told]
        export.write_text(json.dumps({"startAt": 0, "total": len(pages), "issues": pages}), encoding="utf-8")
        began = time.perf_counter()
        tally = why(home, "import", str(export), "--source", "jira", "--visible-to", "workspace")
        seconds = time.perf_counter() - began
        report = {"threads": tally["threads"], "gated_out": tally["gated_out"], "deciding": given.deciding}
        report |= dict(scores(home, told, verbose=given.verbose))
        report |= {"import_s": round(seconds, 1), "threads_a_second": round(tally["threads"] / seconds)}
        again = why(home, "import", str(export), "--source", "jira", "--visible-to", "workspace")
        report["new_when_imported_again"] = again["decisions"]
        report["questions"] = len(QUESTIONS)
        report["answered_with_a_ticket_of_the_kind"] = answered(home, told, verbose=given.verbose)
    print(json.dumps(report, indent=2))
    low = report["precision"] < 0.75 or report["recall"] < 0.75
    return 1 if low or report["answered_with_a_ticket_of_the_kind"] < 0.9 * len(QUESTIONS) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--issues", type=int, default=2_000)
    parser.add_argument("--deciding", type=int, default=600)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--verbose", action="store_true", help="show what was missed, found too much, and each answer")
    raise SystemExit(main(parser.parse_args()))
