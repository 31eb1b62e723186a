"""Replies as blocks: nothing in them acts, nothing is longer than Slack takes, everything can be read."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from platforms.slack.attacks import ATTACKS, HIDDEN, paper
from platforms.slack.live import live
from platforms.slack.rules import message_problems, option_problems, view_problems, weight
from platforms.slack.seen import buttons, elements, links, words

from bot.adapters.actions import RenderedButton
from bot.adapters.slack.api import QUIETLY
from bot.adapters.slack.blocks import SlackChrome, SlackMessage, fallback, message, paper_option
from bot.adapters.slack.payloads import first_words, typed
from bot.adapters.slack.views import dialog, home, plain_dialog
from bot.message import Reply, Shown
from bot.richtext import (
    Block,
    Bullets,
    Card,
    Code,
    Divider,
    Emphasis,
    Fields,
    Heading,
    Image,
    Inline,
    LineBreak,
    Link,
    Mark,
    Math,
    Paragraph,
    Quote,
    Strong,
    Text,
)
from bot.text import clean, cut, size

URL = "https://papers.example/1"
FRAME = SlackChrome(
    cards=((RenderedButton("TL;DR", "a"), RenderedButton("Abstract", "b")),),
    row=(RenderedButton("Next", "c", primary=True), RenderedButton("Back", "d")),
    here="here",
    menu=(("Search with filters", "filters"),),
    finder=True,
)


def everything(words_: str) -> tuple[Block, ...]:
    """Every block with every inline, made of these words."""
    inlines: tuple[Inline, ...] = (
        Text(words_),
        Strong((Text(words_),)),
        Emphasis((Text(words_),)),
        Mark((Text(words_),)),
        Code(words_),
        Link(URL, (Text(words_),)),
        Math(words_, words_),
        LineBreak(),
    )
    return (
        Heading((Text(words_),)),
        Heading(inlines),
        Paragraph(inlines),
        Paragraph((Text(words_),), quiet=True),
        Paragraph(inlines, quiet=True),
        Bullets((inlines, inlines)),
        Fields(((words_, inlines),)),
        Quote(inlines),
        Card(1, inlines, (Code(words_), Text(words_)), inlines),
        Divider(),
        Image(URL, words_),
        Image("javascript:alert(1)", words_),
    )


def sent(made: SlackMessage) -> dict[str, Any]:
    """As it leaves, with the switches that go with it."""
    return {**QUIETLY, "text": made.text, "blocks": list(made.blocks)}


def check(made: SlackMessage) -> str:
    """Nothing wrong, nothing alive; gives the words."""
    assert message_problems(list(made.blocks)) == []
    assert live(sent(made)) == []
    assert made.text.strip()
    assert len(made.text) <= 4_000
    return words(list(made.blocks))


@pytest.mark.parametrize("name", ATTACKS)
def test_text_stays_text_everywhere(name: str) -> None:
    text = f"a {ATTACKS[name]} b"
    frame = SlackChrome(
        cards=((RenderedButton(text, "a"),),),
        row=(RenderedButton(text, "b"),),
        here="here",
        menu=((text, "m"),),
        filters=True,
        finder=True,
    )
    shown = Shown(paper(1, text, text))
    reply = Reply("search", everything(text), papers=(shown,), listed=True)
    read = check(message(reply, frame))
    assert text in read
    assert text in buttons(list(message(reply, frame).blocks))
    assert set(links(list(message(reply, frame).blocks))) == {URL}
    for view in (dialog(reply, frame), plain_dialog(reply), home([(reply, frame), (reply, SlackChrome(here="x"))])):
        assert view_problems(view) == []
        assert live(view) == []
    option: dict[str, Any] = paper_option(shown.paper)
    assert list(option_problems([option])) == []
    assert live({"blocks": [option["text"]]}) == []
    assert text in option["text"]["text"]


@pytest.mark.parametrize("name", HIDDEN)
def test_what_hides_or_turns_is_dropped(name: str) -> None:
    text = HIDDEN[name]
    read = check(message(Reply("x", everything(text)), FRAME))
    assert text not in read
    assert clean(text) in read


def test_styles_begin_and_end_inside_words() -> None:
    made = message(Reply("x", (Paragraph((Strong((Text("Q"),)), Text("uery"))),)), SlackChrome())
    (block,) = made.blocks
    assert block == {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [
                    {"type": "text", "text": "Q", "style": {"bold": True}},
                    {"type": "text", "text": "uery"},
                ],
            }
        ],
    }


def test_a_page_of_hits_has_title_quiet_line_snippet_and_buttons() -> None:
    card = Card(1, (Link(URL, (Text("A title"),)),), (Code("xkv"), Text(" · ICML 2026")), (Mark((Text("kv"),)),))
    reply = Reply("search", (card,), papers=(Shown(paper(1, "t", "a")),), listed=True)
    blocks: list[dict[str, Any]] = list(message(reply, FRAME).blocks)
    title, quiet, snippet, row, line, end = blocks
    assert title["elements"][0]["elements"][1] == {
        "type": "link",
        "url": URL,
        "text": "A title",
        "style": {"bold": True},
    }
    assert quiet == {"type": "context", "elements": [{"type": "plain_text", "text": "xkv · ICML 2026", "emoji": False}]}
    assert snippet["elements"][0]["elements"] == [{"type": "text", "text": "kv", "style": {"bold": True}}]
    assert [one["text"]["text"] for one in row["elements"]] == ["TL;DR", "Abstract"]
    assert (line["type"], end["type"]) == ("divider", "actions")


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "https://x y", "ftp://x", "", "https://<!here>"]
)
def test_only_addresses_become_links(url: str) -> None:
    made = message(Reply("x", (Paragraph((Link(url, (Text("label"),)),)),)), SlackChrome())
    assert links(list(made.blocks)) == []
    assert "label" in check(made)


@pytest.mark.parametrize("title", ["", " ", "\u200b", "\n"])
def test_a_title_without_anything_to_see(title: str) -> None:
    reply = Reply(
        "x", (Heading((Text(title),)), Heading((Link(URL, (Text(title),)),)), Card(1, (Text(title),), (Text(title),)))
    )
    assert "(no title)" in check(message(reply, FRAME))


def test_a_reply_without_blocks_says_at_least_something() -> None:
    for blocks in ((), (Fields(()),), (Paragraph((Text(" "),)),)):
        assert check(message(Reply("x", blocks), SlackChrome())) == "Nothing to show."


def test_25_hits_fit_and_have_a_menu_for_all() -> None:
    papers = [paper(number, "A title of some length " * 6, "a") for number in range(25)]
    cards = [Card(n, one.title, (Code(one.handle),), (Text("x" * 160),)) for n, one in enumerate(papers, 1)]
    frame = SlackChrome(cards=((RenderedButton("TL;DR", "a"),),) * 25, row=(RenderedButton("Next", "b"),), here="here")
    made = message(Reply("search", tuple(cards), papers=tuple(map(Shown, papers)), listed=True), frame)
    read = check(made)
    assert "25. A title" in read
    menu = elements(list(made.blocks))[0].element
    assert menu["type"] == "static_select"
    assert [option["value"] for option in menu["options"]] == [one.id for one in papers]
    assert all(option["text"]["text"].startswith("paper-") for option in menu["options"])


@pytest.mark.parametrize(
    "blocks",
    [
        (Paragraph((Text("word " * 5_000),)),),
        tuple(Paragraph((Text("word " * 100),)) for _ in range(200)),
        (Bullets(tuple((Text("word " * 20),) for _ in range(500))),),
        tuple(Card(n, (Text("t" * 500),), (Text("m" * 500),), (Text("b" * 5_000),)) for n in range(1, 60)),
        (Fields(tuple(("label" * 50, (Text("word " * 300),)) for _ in range(30))),),
        (Heading((Text("x" * 20_000),)),),
        (Quote((Text("👩‍👩‍👧‍👦" * 3_000),)),),
    ],
    ids=["paragraph", "paragraphs", "bullets", "cards", "fields", "heading", "quote"],
)
def test_too_much_is_cut_and_said(blocks: tuple[Block, ...]) -> None:
    made = message(Reply("x", blocks, listed=True), FRAME)
    read = check(made)
    assert "Shortened to fit into one message." in read
    assert weight(list(made.blocks)) <= 9_000
    assert buttons(list(made.blocks))[-2:] == ("Next", "Back")


def test_a_button_label_is_cut_between_words() -> None:
    made = message(
        Reply("x", (Divider(),)),
        SlackChrome(row=(RenderedButton("A label of many words that goes on and on " * 3, "v"),)),
    )
    (label,) = buttons(list(made.blocks))
    assert len(label) <= 75
    assert label.endswith(("on…", "and…", "goes…", "label…", "words…", "of…", "many…", "that…", "A…"))


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("hello", 5, "hello"),
        ("hello world of words", 15, "hello world of…"),
        ("hello world", 9, "hello…"),
        ("incomprehensibilities", 8, "incompr…"),
        ("e\u0301" * 5, 6, "e\u0301e\u0301…"),
        ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 14, "👩‍👩‍👧‍👦…"),
        ("👍🏽👍🏽", 6, "👍🏽…"),
        ("🇩🇪🇫🇷", 6, "🇩🇪…"),
    ],
)
def test_cuts_fall_between_characters_and_rather_between_words(text: str, limit: int, expected: str) -> None:
    assert cut(text, limit) == expected


@given(st.text(max_size=300), st.integers(1, 80))
def test_a_cut_is_never_too_long_and_is_a_beginning(text: str, limit: int) -> None:
    done = cut(text, limit)
    assert size(done) <= max(limit, 1)
    assert text.startswith(done.removesuffix("…"))


@given(st.text(max_size=400))
@settings(max_examples=200)
def test_any_text_is_dead_as_a_fallback(text: str) -> None:
    done = fallback(text, 200)
    assert len(done) <= 200
    assert live({**QUIETLY, "text": done}) == []


leaves = st.builds(Text, st.text(max_size=200)) | st.builds(Code, st.text(max_size=50)) | st.builds(LineBreak)
inlines = st.lists(
    leaves
    | st.builds(Strong, st.tuples(leaves))
    | st.builds(Link, st.sampled_from([URL, "javascript:x", ""]), st.tuples(leaves)),
    max_size=4,
).map(tuple)
anything = st.lists(
    st.builds(Heading, inlines)
    | st.builds(Paragraph, inlines, st.booleans())
    | st.builds(Bullets, st.lists(inlines, max_size=3).map(tuple))
    | st.builds(Fields, st.lists(st.tuples(st.text(max_size=20), inlines), max_size=3).map(tuple))
    | st.builds(Quote, inlines)
    | st.builds(Card, st.integers(1, 5), inlines, inlines, inlines)
    | st.builds(Image, st.sampled_from([URL, "x"]), st.text(max_size=30)),
    min_size=1,
    max_size=8,
).map(tuple)


@given(anything)
@settings(max_examples=150, deadline=None)
def test_any_reply_is_valid_and_dead(blocks: tuple[Block, ...]) -> None:
    made = message(Reply("x", blocks, listed=True), FRAME)
    assert message_problems(list(made.blocks)) == []
    assert live(sent(made)) == []


@pytest.mark.parametrize(
    ("arrives", "meant"),
    [
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt;", "&lt;"),
        ("&amp;amp;", "&amp;"),
        ("<@U123> kv cache", "kv cache"),
        ("papers like <https://x.example/a|this one>", "papers like this one"),
        ("<https://x.example/a>", "https://x.example/a"),
        ("see <#C1|general> and <!here>", "see #general and @here"),
        ("<!subteam^S1|@team> kv", "@team kv"),
        ("“load balancing” -pruning", "“load balancing” -pruning"),
        ("<", "<"),
        ("", ""),
    ],
)
def test_what_people_typed_is_undone_once(arrives: str, meant: str) -> None:
    assert typed(arrives) == meant


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Has anyone read about KV-cache compression?", "Has anyone read about KV-cache compression"),
        ('-not topic:x "quoted words" has:code', "not topic x quoted words has code"),
        ("<@U1> look at <https://arxiv.org/abs/1|this> &amp; that", "look at this that"),
        ("a b c d e f g h i j k l m n", "a b c d e f g h i j k l"),
        ("!!! ??? …", ""),
        ("τ-Knowledge and Schur-A*", "τ-Knowledge and Schur-A*"),
    ],
)
def test_the_first_words_of_a_message_are_only_words(text: str, expected: str) -> None:
    assert first_words(text) == expected


def test_the_most_that_a_message_holds_takes_no_time() -> None:
    assert first_words("(" * 40_000) == ""
    assert typed("<" * 40_000) == "<" * 40_000
    assert len(fallback(":a" * 20_000, 3_900)) <= 3_900
