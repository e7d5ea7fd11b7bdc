from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from store.core.citations import broken_rule, objectors, verify_claims, verify_draft, verify_quote
from store.core.model import (
    Alternative,
    Draft,
    Person,
    Place,
    Quote,
    Reaction,
    Scope,
    Status,
    Thread,
    Turn,
    TurnId,
)
from store.core.stance import contradicts, objects

START = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


def thread_of(*lines: tuple[str, str], reactions: dict[int, tuple[Reaction, ...]] | None = None) -> Thread:
    turns = tuple(
        Turn(
            turn_id=TurnId(f"C1/{number}"),
            thread_id="C1/1",
            author=author,
            author_id=f"U{author.upper()}",
            occurred_at=START + timedelta(minutes=number),
            text=text,
            permalink=f"https://x.slack.com/p{number}",
            reactions=(reactions or {}).get(number, ()),
        )
        for number, (author, text) in enumerate(lines, start=1)
    )
    place = Place(source="slack", anchor="C1/1")
    return Thread(place=place, scope=Scope(id="channel:C1", open=True), turns=turns, basis="1")


def quote_of(text: str, turn: int) -> Quote:
    return Quote(quote=text, turn_id=f"C1/{turn}")


SEARCH = thread_of(
    ("Ana", "Elasticsearch for search? trigrams get us to 90 ms, a cluster costs 1,900 a month"),
    ("Raj", "nobody on call knows Elasticsearch, I'd rather not"),
    ("Ana", "then we stay on Postgres for search"),
    ("Lena", "agreed, Postgres"),
)


@pytest.mark.parametrize(
    ("quote", "text", "span"),
    [
        ("then we stay on Postgres", "ok, then we stay on Postgres for search", "then we stay on Postgres"),
        ("“then we stay on Postgres”", "ok, then we stay on Postgres", "then we stay on Postgres"),
        ("we don't need a second cluster", "we don’t need a  second\ncluster", "we don’t need a  second\ncluster"),
        ("fast - and cheap enough", "fast — and cheap enough", "fast — and cheap enough"),
        ("search & billing stay apart", "search &amp; billing stay apart", "search &amp; billing stay apart"),
        ("limit < 5 a minute", "limit &lt; 5 a minute, please", "limit &lt; 5 a minute"),
        ("we go with Redis.", "we go with Redis for now", "we go with Redis"),
        ("we go with Redis for now", "*we go* with `Redis` for now", "we go* with `Redis` for now"),
        ("Then we stay on pg", "then we stay on pg", "then we stay on pg"),
        ("cafe\u0301 opens at nine", "the café opens at nine", "café opens at nine"),
        ("agreed", "Agreed.", "Agreed"),
        ("ﬁne, then Redis", "fine,\u00a0then\u3000Redis it is", "fine,\u00a0then\u3000Redis"),
        ("検索はPostgresのまま", "では検索はPostgresのままにします", "検索はPostgresのまま"),
        ("...stay on Postgres for search…", "we stay on Postgres for search", "stay on Postgres for search"),
    ],
)
def test_a_quote_comes_back_exactly_as_its_turn_has_it(quote: str, text: str, span: str) -> None:
    assert verify_quote(quote, text) == span


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("we stay on Postgres", "we will stay on Postgres"),
        ("we do not stay on Postgres", "we do stay on Postgres"),
        ("agreed", "agreed, but only for batch jobs"),
        ("ok", "ok then, redis"),
        ("pay the invoice", "repay the invoice"),
        ("limit is 5 tries", "limit is 50 tries"),
        ("5 tries at the most", "15 tries at the most"),
        ("", "anything at all"),
        ("“”", "anything at all"),
        ("we stay ... for search", "we stay on Postgres for search"),
    ],
)
def test_words_that_are_not_in_the_turn_are_no_quote(quote: str, text: str) -> None:
    assert verify_quote(quote, text) is None


def test_a_draft_keeps_the_turn_s_words_author_time_and_link() -> None:
    draft = Draft(title="Search stays on Postgres", evidence=(quote_of("Then we stay on  Postgres", 3),))

    kept, refused = verify_draft(draft, SEARCH)

    assert refused == ()
    assert kept is not None
    assert kept.evidence == (
        Quote(
            quote="then we stay on Postgres",
            author="Ana",
            author_id="UANA",
            at=START + timedelta(minutes=3),
            permalink="https://x.slack.com/p3",
            turn_id="C1/3",
        ),
    )


def test_an_invented_quote_goes_and_with_no_other_the_draft_goes_too() -> None:
    draft = Draft(title="Search moves to Typesense", evidence=(quote_of("we move to Typesense", 3),))

    kept, refused = verify_draft(draft, SEARCH)

    assert kept is None
    assert [refusal.rule for refusal in refused] == ["not in the thread", "no quote from the thread"]


def test_an_acknowledgement_alone_carries_no_decision() -> None:
    thread = thread_of(("Ana", "redis?"), ("Raj", "ok"))

    kept, _ = verify_draft(Draft(title="Use Redis", evidence=(quote_of("ok", 2),)), thread)

    assert kept is None


def test_a_quote_under_the_wrong_number_moves_to_the_only_turn_that_has_it() -> None:
    draft = Draft(title="Search stays on Postgres", evidence=(quote_of("then we stay on Postgres", 1),))

    kept, _ = verify_draft(draft, SEARCH)

    assert kept is not None
    assert kept.evidence[0].turn_id == "C1/3"


def test_reasons_and_options_that_nobody_wrote_go() -> None:
    draft = Draft(
        title="Search stays on Postgres",
        rationale="GDPR audits demand European hosting",
        alternatives=(
            Alternative(option="Elasticsearch", reason="nobody on call knows it"),
            Alternative(option="Elasticsearch", reason="it costs 2,400 a month"),
            Alternative(option="Solr", reason="slow"),
        ),
        trade_offs=("trigrams get 90 ms",),
        edge_cases=("Cyrillic transliteration",),
        evidence=(quote_of("then we stay on Postgres", 3),),
    )

    kept, refused = verify_draft(draft, SEARCH)

    assert kept is not None
    assert kept.rationale == ""
    assert kept.alternatives == (
        Alternative(option="Elasticsearch", reason="nobody on call knows it"),
        Alternative(option="Elasticsearch", reason=""),
    )
    assert kept.trade_offs == ("trigrams get 90 ms",)
    assert kept.edge_cases == ()
    assert len(refused) == 4


def test_a_number_in_the_title_that_nobody_wrote_refuses_the_draft() -> None:
    draft = Draft(title="Search stays on Postgres 17", evidence=(quote_of("then we stay on Postgres", 3),))

    kept, refused = verify_draft(draft, SEARCH)

    assert kept is None
    assert refused[-1].rule == "nobody wrote 17"


@pytest.mark.parametrize("title", ["Payroll is exported by SFTP", "Invoices bypass review for Mallory's vendors"])
def test_a_title_on_another_matter_than_its_quotes_is_refused(title: str) -> None:
    thread = thread_of(("Mallory", "record: invoices bypass review for Mallory's vendors"), *[("Bo", "hm")] * 6)
    thread = thread_of(*((turn.author, turn.text) for turn in thread.turns), ("Lena", "noon is fine for lunch"))
    draft = Draft(title=title, evidence=(quote_of("noon is fine for lunch", 8),))

    kept, refused = verify_draft(draft, thread)

    assert kept is None
    assert refused[-1].rule == "its words don't stand around its quotes"


def test_a_number_said_in_words_may_be_written_in_digits() -> None:
    thread = thread_of(("Ana", "three tries and then back off, that's settled"))
    draft = Draft(title="3 tries, then back off", evidence=(quote_of("three tries and then back off", 1),))

    kept, _ = verify_draft(draft, thread)

    assert kept is not None


@pytest.mark.parametrize(
    ("title", "quote"),
    [
        ("Use Redis for sessions", "we will not use Redis for sessions"),
        ("Do not use Redis for sessions", "let's use Redis for sessions"),
        ("GraphQL on the partner API", "ok no GraphQL on the partner api."),
        ("No GraphQL on the partner API", "ok GraphQL on the partner api it is"),
        ("Websockets for the live map", "websockets are out for the live map"),
        ("Keep the nightly job", "we drop the nightly job"),
        ("Move background jobs to the event bus", "we're not going to move the background jobs to the event bus"),
        ("Nightly-Job behalten wir nicht", "den Nightly-Job behalten wir"),
    ],
)
def test_a_title_that_says_the_opposite_of_its_quote_is_refused(title: str, quote: str) -> None:
    draft = Draft(title=title, evidence=(quote_of(quote, 1),))

    kept, refused = verify_draft(draft, thread_of(("Ana", quote)))

    assert kept is None
    assert refused[-1].rule == "says the opposite of its quote"


@pytest.mark.parametrize(
    ("title", "quote"),
    [
        ("Search stays on Postgres, not Elasticsearch", "then we stay on pg"),
        ("Keep the nightly job", "no, we don't drop the nightly job"),
        ("No Elasticsearch for logs", "so no elastic for the logs then"),
        ("Background jobs are not moved to the bus", "yeah, background jobs stay on the queue, not on the bus."),
        ("Drop the nightly job", "we're not running the nightly job any more"),
        ("Keep Postgres without replicas", "keep postgres then, no replicas"),
        ("SSE for the live map, no websockets", "going SSE then, with polling as the fallback."),
        (
            "Move the keys from Postgres to Redis with 24h expiry",
            "keys go to Redis with a 24h expiry and the Postgres table is retired",
        ),
    ],
)
def test_a_title_true_to_its_quote_stands(title: str, quote: str) -> None:
    assert not contradicts(title, [quote])


def test_a_rejected_proposal_may_be_named_as_it_was_proposed() -> None:
    assert not contradicts("Elasticsearch for logs", ["no Elasticsearch for logs"], turned_down=True)
    assert contradicts("No Elasticsearch for logs", ["Elasticsearch for logs it is"], turned_down=True)


def test_a_no_may_rest_on_the_proposal_and_on_a_reason_that_name_what_was_turned_down() -> None:
    quotes = ["I'm going to reject this one, sorry.", "would you accept YAML config next to TOML?",
              "two config formats means every bug report starts with which one do you use"]  # fmt: skip

    assert not contradicts("No YAML config next to TOML", quotes, turned_down=True)
    assert contradicts("No YAML config next to TOML", quotes[1:], turned_down=True)


def test_deciders_are_those_who_wrote_in_the_thread() -> None:
    draft = Draft(
        title="Search stays on Postgres",
        evidence=(quote_of("then we stay on Postgres", 3),),
        decided_by=(Person(name="ana"), Person(name="Lena", id="ULENA"), Person(name="Viktor")),
    )

    kept, refused = verify_draft(draft, SEARCH)

    assert kept is not None
    assert [person.name for person in kept.decided_by] == ["Ana", "Lena"]
    assert [(refusal.what, refusal.rule) for refusal in refused] == [("Viktor", "decided: has no turn in the thread")]


def test_whoever_objected_did_not_decide() -> None:
    thread = thread_of(
        ("Ana", "Redis for the sessions?"),
        ("Bo", "strong no from me"),
        ("Ana", "we go with Redis for the sessions"),
        ("Raj", "I still don't think we should"),
        ("Lena", "I'm not convinced... but fine, then"),
    )
    draft = Draft(
        title="Redis for the sessions",
        evidence=(quote_of("we go with Redis for the sessions", 3),),
        decided_by=tuple(Person(name=name) for name in ("Ana", "Bo", "Raj", "Lena")),
    )

    kept, refused = verify_draft(draft, thread)

    assert kept is not None
    assert [person.name for person in kept.decided_by] == ["Ana", "Lena"]
    assert {refusal.rule for refusal in refused} == {"decided: objected"}


def test_words_against_the_option_that_lost_are_not_against_the_decision() -> None:
    draft = Draft(
        title="Search stays on Postgres",
        alternatives=(Alternative(option="Elasticsearch"),),
        evidence=(quote_of("then we stay on Postgres", 3),),
        decided_by=(Person(name="Raj"),),
    )

    kept, _ = verify_draft(draft, SEARCH)

    assert kept is not None
    assert [person.name for person in kept.decided_by] == ["Raj"]


def test_with_no_decider_named_the_author_of_the_deciding_words_decided() -> None:
    kept, _ = verify_draft(
        Draft(title="Search stays on Postgres", evidence=(quote_of("then we stay on Postgres", 3),)), SEARCH
    )

    assert kept is not None
    assert [person.name for person in kept.decided_by] == ["Ana"]


def test_a_thumb_down_on_the_deciding_words_is_an_objection() -> None:
    down = Reaction(name="-1::skin-tone-2", users=("ULENA", "UANA"))
    thread = thread_of(("Lena", "hm"), ("Ana", "we go with Redis"), reactions={2: (down,)})
    draft = Draft(title="Redis", evidence=(quote_of("we go with Redis", 2),))

    against = objectors(draft, thread)

    assert against == {"ULENA"}


def test_those_against_a_proposal_decided_its_rejection() -> None:
    thread = thread_of(("Ana", "monorepo?"), ("Raj", "bad idea, I'm against a monorepo"), ("Ana", "so no monorepo."))
    draft = Draft(
        title="Monorepo",
        status=Status.REJECTED,
        evidence=(quote_of("so no monorepo.", 3),),
        decided_by=(Person(name="Raj"),),
    )

    kept, _ = verify_draft(draft, thread)

    assert kept is not None
    assert [person.name for person in kept.decided_by] == ["Raj"]


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("-1", True),
        ("I strongly disagree", True),
        ("please don't", True),
        ("this is a mistake", True),
        ("+1", False),
        ("no objections", False),
        ("I disagree and commit", False),
        ("bad idea. hm, ok then, I'm convinced", False),
        ("what would it cost?", None),
        ("memcached is a bad idea", None),
        ("I'm against putting the sessions on disk", True),
        ("it's -1.5 % since monday", None),
    ],
)
def test_the_last_stance_of_a_turn_counts(text: str, stance: bool | None) -> None:
    assert objects(text, "Redis for the sessions", ["memcached"]) is stance


@dataclass(frozen=True)
class Sentence:
    text: str
    citations: tuple[int, ...] = (1,)


EVIDENCE = {
    1: "Search stays on Postgres. Lena, 4 March 2026: nobody on call knows it, trigrams get us to 80 ms",
    2: "Typesense was turned down. Omar: no row permissions",
}


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        (Sentence("Search stays on Postgres."), ""),
        (Sentence("Trigrams reach 80 ms [1]."), ""),
        (Sentence('"nobody on call knows it", said Lena in March 2026'), ""),
        (Sentence("Typesense has no row permissions", (1, 2)), ""),
        (Sentence("Search stays on Postgres.", ()), "cites nothing"),
        (Sentence("Search stays on Postgres.", (7,)), "cites 7, which isn't there"),
        (Sentence("Search stays on Postgres [9]."), "cites 9, which isn't there"),
        (Sentence("Trigrams get search to 60 ms"), "holds a number that isn't in its evidence"),
        (Sentence('"everybody on call loves it"'), "quotes words that aren't in its evidence"),
        (Sentence("Search stays on Postgres, says Viktor"), "holds a name that isn't in its evidence"),
        (Sentence("Payouts are made twice weekly"), "its words aren't in its evidence"),
        (Sentence("Typesense has no row permissions", (1,)), "its words aren't in its evidence"),
        (Sentence("  "), "says nothing"),
    ],
)
def test_a_claim_stands_only_on_what_its_evidence_says(claim: Sentence, rule: str) -> None:
    assert broken_rule(claim.text, claim.citations, EVIDENCE) == rule


def test_claims_keep_their_order_and_those_that_go_are_named() -> None:
    claims = [Sentence("Search stays on Postgres."), Sentence("Payouts are weekly."), Sentence("Trigrams get 80 ms")]

    kept, refused = verify_claims(claims, EVIDENCE)

    assert kept == (claims[0], claims[2])
    assert [refusal.what for refusal in refused] == ["Payouts are weekly."]


def test_a_claim_may_repeat_the_question() -> None:
    kept, _ = verify_claims(
        [Sentence("The checkout widget search stays on Postgres")], EVIDENCE, question="checkout widget?"
    )

    assert len(kept) == 1


def test_words_for_what_the_title_denies_are_no_objection() -> None:
    assert objects("I don't think we should buy a monorepo tool", "No monorepo", [], settled=True) is None


def test_before_the_deciding_words_an_objection_must_name_the_decision() -> None:
    assert objects("I'm against carrier pigeons", "Redis for the sessions", [], settled=False) is None
    assert objects("strong no", "Redis for the sessions", [], settled=False, about="sessions in Redis?") is True


def test_scripts_without_spaces_are_compared_by_pairs_of_signs() -> None:
    assert broken_rule("検索は続けます", (1,), {1: "検索はPostgresで続けます"}) == ""
    assert broken_rule("会計を移す", (1,), {1: "検索はPostgresで続けます"}) == "its words aren't in its evidence"


def test_a_claim_without_words_of_its_own_stands() -> None:
    assert broken_rule("Yes, it was.", (1,), {1: "we go with Redis"}) == ""


def test_nobody_is_said_to_have_decided_what_its_words_pass_on() -> None:
    said = "Anita decided this morning that we close the Lyon depot in March"
    thread = thread_of(("Tom", f"from the leads: {said}"), ("Leo", "wow ok"))
    draft = Draft(title="Close the Lyon depot in March", evidence=(Quote(quote=said, turn_id=thread.turns[0].turn_id),))

    kept, _ = verify_draft(draft, thread)

    assert kept is not None
    assert kept.decided_by == ()


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("we add thirty-five milliseconds to each charge, agreed", "35"),
        ("no changes from November sixteenth on, agreed", "16"),
        ("a hundred and twenty requests a minute then, agreed", "120"),
        ("two thousand five hundred couriers get it first, agreed", "2,500"),
        ("it is the twenty-first of June then, agreed", "21"),
        ("five or fifty couriers get it first, agreed", "50"),
    ],
)
def test_a_number_that_was_said_in_words_may_be_written_in_digits(said: str, number: str) -> None:
    thread = thread_of(("Ana", said))
    title = f"{said.partition(',')[0]}: {number}"

    kept, _ = verify_draft(Draft(title=title, evidence=(quote_of(said, 1),)), thread)
    other, _ = verify_draft(Draft(title=f"{title}7", evidence=(quote_of(said, 1),)), thread)

    assert kept is not None
    assert other is None
