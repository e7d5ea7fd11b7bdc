"""Decisions in other languages: read by themselves with a key, found by a question in their language and in English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bot.answer import Answers
from bot.app import now
from bot.capture import capture_thread
from bot.claude import ClaudeExtractor, ClaudeSynthesiser, client_of
from bot.offline import OfflineSynthesiser
from bot.sources.slack import VOCABULARY
from store import WORKSPACE, Admission, Draft, Memory, Place, Quote, Reader
from tests.builders_claude import claim, worded
from tests.builders_languages import foreign_threads, reads_and_answers
from tests.fakes.claude_server import ClaudeServer, Received, Script, Scripted, refusal, structured

READER = Reader(sees_open=True, scopes=frozenset({"channel:C1"}))


@contextmanager
def asked_through(script: Script, memory: Memory) -> Iterator[tuple[ClaudeServer, ClaudeExtractor, Answers]]:
    with ClaudeServer(script) as claude:
        client = client_of(claude.api_key, base_url=claude.base_url, model="claude-haiku-5-5")
        answers = Answers(memory, ClaudeSynthesiser(client), OfflineSynthesiser(), now)
        yield claude, ClaudeExtractor(client), answers
        client.close()


def test_nine_of_ten_threads_a_language_are_captured_and_found_in_it_and_in_english(tmp_path: Path) -> None:
    threads = foreign_threads()
    captured: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    with (
        closing(Memory.open(tmp_path, index="own")) as memory,
        asked_through(reads_and_answers(threads), memory) as (claude, extractor, answers),
    ):
        places = {}
        for each in threads:
            done = capture_thread(memory, extractor, each.thread, VOCABULARY)
            captured[each.language] += len(done.new) == 1
            places.update(dict.fromkeys(done.new, each))
        memory.follow()
        before = len(claude.received)
        for each in threads:
            for language, question in ((each.language, each.asked), ("en", each.asked_in_english)):
                answer = answers.ask(question, READER)
                found[each.language, language] += (
                    answer.worded_by == "Claude" and answer.main is not None and places[answer.main] is each
                )
        calls = len(claude.received) - before

    languages = ("de", "ja", "pt")
    assert {each: captured[each] for each in languages if captured[each] < 9} == {}
    assert {(each, own): found[each, own] for each in languages for own in (each, "en") if found[each, own] < 9} == {}
    assert calls <= 1.2 * 2 * len(threads)


def record(memory: Memory, *titles: str) -> None:
    for number, title in enumerate(titles):
        place = Place(source="adr", anchor=f"adr/{number}.md", ref=f"adr:{number}")
        draft = Draft(title=title, evidence=(Quote(quote=title),))
        memory.admit(
            Admission(
                place=place, basis="1", scope=WORKSPACE, drafts=(draft,), provenance="file", recorded_from="ingest"
            )
        )


def test_a_question_that_finds_nothing_in_its_own_words_is_answered_by_what_its_english_ones_find(
    tmp_path: Path,
) -> None:
    def script(received: Received) -> Scripted:
        if "Leftover vacation" not in received.user:
            nothing = worded(answered=False)
            return structured({**nothing, "search_words": ["leftover vacation", "expiry", "June"]})
        return structured(worded(claim("headline", "Resturlaub verfällt am 30. Juni.", 1)))

    with (
        closing(Memory.open(tmp_path, index="off")) as memory,
        asked_through(script, memory) as (claude, _, answers),
    ):
        record(memory, "Leftover vacation expires on 30 June", "Invoices go out monthly", "Badges come from Tartu")
        german = answers.ask("Wann verfällt mein Resturlaub?", READER)
        calls = len(claude.received)
        english = answers.ask("who waters the plants on the roof?", READER)

    assert [each.text for each in german.claims] == ["Resturlaub verfällt am 30. Juni."]
    assert german.worded_by == "Claude"
    assert (german.usage.calls, calls, len(claude.received)) == (2, 2, 2)
    assert english.claims == ()


def test_a_foreign_question_that_claude_can_not_put_into_english_says_what_was_looked_for(tmp_path: Path) -> None:
    with (
        closing(Memory.open(tmp_path, index="off")) as memory,
        asked_through(lambda _received: refusal(), memory) as (_, _, answers),
    ):
        empty = answers.ask("Wann verfällt mein Resturlaub?", READER)
        record(memory, "Leftover vacation expires on 30 June", "Invoices go out monthly", "Badges come from Tartu")
        refused = answers.ask("Wann verfällt mein Resturlaub?", READER)

    assert empty.notices == ("Nothing is recorded yet that you can read.",)
    assert refused.claims == ()
    assert refused.notices[0] == "Claude didn't answer: looked for in your own words only."
