"""People use the bot on the page: capture, ask, vote, edit, settle; each sees what is theirs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from bot.playground.api_views import add_view, replace_view
from tests.builders_page import Visitor
from tests.builders_slack import Stage


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def field(block_id: str, label: str) -> dict[str, Any]:
    element = {"type": "plain_text_input", "action_id": "value"}
    return {"type": "input", "block_id": block_id, "label": plain(label), "element": element}


FORM: dict[str, Any] = {
    "type": "modal",
    "title": plain("A form"),
    "submit": plain("Save"),
    "blocks": [field("first", "First")],
}
SAID = "so we stay on postgres for search, nobody on call knows the other one"
SAID_SHORT = "so we stay on postgres"


def test_a_reaction_records_a_thread_and_why_answers_its_asker_alone(visitor: Visitor, stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres", rationale="nobody on call knows the other one")
    visitor.come("lena", "search")
    visitor.say(SAID)
    visitor.react("postgres", "bookmark")
    thread = visitor.open_thread("postgres")
    expect(thread).to_contain_text("Recorded: Search stays on Postgres")

    visitor.become("Mia")
    visitor.enter("general")
    visitor.say("/why is search on postgres?")

    answer = visitor.message("In force since")
    expect(answer).to_contain_text("Only visible to you")
    answer.get_by_role("button", name="It worked").click()
    visitor.seen("You said: it worked")
    visitor.become("Noor")
    expect(visitor.tab.locator("main article", has_text="In force since")).to_have_count(0)


def test_a_card_is_edited_in_a_modal_that_shows_what_is_wrong_beside_its_field(visitor: Visitor, stage: Stage) -> None:
    stage.decided()
    visitor.come("omar", "search")
    visitor.open_thread("postgres").get_by_role("button", name="Edit", exact=True).click()

    title = visitor.modal().get_by_label("What was decided")
    title.fill("")
    visitor.modal().locator("button[type=submit]").click()
    expect(visitor.modal().get_by_role("alert")).to_contain_text("required")
    expect(title).to_be_focused()
    title.fill("Search stays on Postgres until 5 M rows")
    title.press("Enter")

    expect(visitor.modal()).to_have_count(0)
    visitor.seen("Search stays on Postgres until 5 M rows", within="aside.thread")
    visitor.seen("Omar", within="aside.thread")


def test_the_shortcut_shows_what_it_would_keep_and_keeps_it(visitor: Visitor, stage: Stage) -> None:
    stage.extractor.find("postgres", "Search stays on Postgres", rationale="nobody on call knows the other one")
    stage.play.post("lena", "search", SAID)
    visitor.come("omar", "search")
    message = visitor.message(SAID_SHORT)
    message.hover()
    message.get_by_role("button", name="More actions").click()
    visitor.tab.get_by_role("menuitem", name="Record this decision").click()

    expect(visitor.modal()).to_contain_text("Search stays on Postgres")
    visitor.modal().locator("button[type=submit]").click()

    expect(visitor.modal()).to_have_count(0)
    expect(visitor.open_thread("postgres")).to_contain_text("Recorded: Search stays on Postgres")


def test_a_modal_that_changes_keeps_what_was_typed(visitor: Visitor) -> None:
    world = visitor.play.world
    with world.changed:
        opened = add_view(world, FORM, "U0LENA")
    visitor.come("lena", "search")
    visitor.modal().get_by_label("First").fill("typed by Lena")

    with world.changed:
        replace_view(world, opened["id"], {**FORM, "blocks": [*FORM["blocks"], field("second", "Second")]})

    expect(visitor.modal().get_by_label("Second")).to_be_visible()
    expect(visitor.modal().get_by_label("First")).to_have_value("typed by Lena")
    visitor.tab.keyboard.press("Escape")
    expect(visitor.modal()).to_have_count(0)
    assert visitor.play.views("lena") == ()


def test_a_conflict_is_settled_from_the_answer(visitor: Visitor, stage: Stage) -> None:
    titles = {"three": "Retries for search-api stop at three", "five": "Retries for search-api stop at five"}
    for word, title in titles.items():
        stage.extractor.finds.clear()
        stage.extractor.find(word, title, elements=("search-api",))
        ts = stage.play.post("lena", "search", f"retries for search-api stop at {word}, agreed")
        stage.play.react("lena", "search", ts, "bookmark")
        stage.settle()
    newer, older = stage.decisions()
    quotes = (older.evidence[0].quote, newer.evidence[0].quote)
    stage.memory.note_conflict(older.id, newer.id, quotes=quotes, by=stage.bot.room.person("U0LENA"))
    visitor.come("mia", "search")
    visitor.say("/why when do retries for search-api stop?")
    visitor.message("Contested").get_by_role("button", name=re.compile("Settle")).click()

    visitor.modal().get_by_role("radio", name=titles["five"]).check()
    visitor.modal().locator("button[type=submit]").click()

    expect(visitor.modal()).to_have_count(0)
    visitor.play.wait_until(
        lambda: {one.title for one in stage.decisions() if one.state == "current"} == {titles["five"]}
    )


def test_who_is_not_in_a_closed_channel_does_not_see_it(visitor: Visitor, stage: Stage) -> None:
    secret = stage.play.post("lena", "exec", "we buy the other company in March")
    visitor.come("lena", "exec")
    visitor.seen("we buy the other company")
    lenas = visitor.channels()

    visitor.become("Noor")

    assert {"exec", "hiring"} <= set(lenas)
    assert not {"exec", "hiring"} & set(visitor.channels())
    expect(visitor.tab.locator("body")).not_to_contain_text("the other company")
    stolen = visitor.tab.evaluate("async () => (await fetch('state?as=U0NOOR&in=C0EXEC')).text()")
    assert "the other company" not in stolen
    assert "exec" not in stolen
    pressed = visitor.tab.evaluate(
        """async (ts) => (await fetch('act', {method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({as: 'U0NOOR', what: 'react', channel: 'C0EXEC', ts, name: 'bookmark'})})).status""",
        secret,
    )
    assert pressed == 409


def test_the_keyboard_is_enough(visitor: Visitor, stage: Stage) -> None:
    stage.decided()
    visitor.come("omar", "search")
    keys = visitor.tab.keyboard

    keys.press("Tab")
    keys.press("Enter")  # skips to the messages
    expect(visitor.message(SAID_SHORT)).to_be_focused()
    visitor.tab.locator("main .composer textarea").focus()
    keys.type("/w")
    keys.press("Enter")  # takes the command that is offered
    keys.type("is search on postgres?")
    keys.press("Enter")
    visitor.seen("In force since")
    visitor.tab.locator("main article").last.focus()
    keys.press("ArrowUp")
    keys.press("ArrowUp")
    expect(visitor.message(SAID_SHORT)).to_be_focused()
    visitor.message(SAID_SHORT).locator(".thread-line").focus()
    keys.press("Enter")
    expect(visitor.tab.locator("aside.thread textarea")).to_be_focused()
    visitor.tab.locator("aside.thread").get_by_role("button", name="Edit", exact=True).focus()
    keys.press("Enter")
    expect(visitor.modal().get_by_label("What was decided")).to_be_focused()
    for _ in range(12):
        keys.press("Tab")
        assert visitor.tab.evaluate(
            "[document.body, ...document.querySelectorAll('dialog *')].includes(document.activeElement)"
        )
    keys.press("Escape")
    expect(visitor.modal()).to_have_count(0)
    expect(visitor.tab.locator("aside.thread").get_by_role("button", name="Edit", exact=True)).to_be_focused()
    keys.press("Escape")
    expect(visitor.tab.locator("aside.thread")).to_have_count(0)
    expect(visitor.message(SAID_SHORT)).to_be_focused()


@pytest.mark.parametrize("width", [400, 1280])
def test_hostile_words_stay_words_and_nothing_overflows(visitor: Visitor, stage: Stage, width: int) -> None:
    hostile = "<img src=x onerror=alert(1)> <script>alert(2)</script> [x](javascript:alert(3)) {{7*7}} " + "w" * 300
    visitor.tab.set_viewport_size({"width": width, "height": 700})
    visitor.come("lena", "search")

    visitor.say(hostile)
    stage.play.post("omar", "search", "<javascript:alert(4)|press me> *<!here>* &lt;b&gt;bold&lt;/b&gt;", blocks=[])

    visitor.seen(hostile)
    visitor.seen("<b>bold</b>")
    assert visitor.tab.locator("main article :is(img, script, iframe, b)").count() == 0
    assert visitor.tab.locator("a[href^=javascript]").count() == 0
    assert visitor.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_dark_colours_follow_the_machine_and_then_the_switch(visitor: Visitor) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    visitor.tab.emulate_media(color_scheme="dark")
    visitor.come("lena", "search")
    dark = visitor.tab.evaluate(paper)

    visitor.tab.get_by_role("button", name="Light colours").click()

    assert dark == "rgb(26, 29, 33)"
    expect(visitor.tab.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")


def test_home_is_the_apps_and_a_direct_message_is_answered(visitor: Visitor, stage: Stage) -> None:
    stage.decided()
    visitor.come("omar", "home")
    visitor.seen("Recent in your channels")
    visitor.seen("Search stays on Postgres")

    visitor.tab.get_by_role("tab", name="Messages").click()
    visitor.say("why is search on postgres?")

    visitor.seen("In force since")
