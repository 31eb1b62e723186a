"""Replies as Discord messages: nothing of a corpus or a person goes live, and every message fits."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from platforms.discord import openapi
from platforms.discord.markdown import labels, read, read_message
from platforms.discord.rules import message_faults, size
from platforms.discord.world import Json

from bot.adapters.actions import RenderedButton
from bot.adapters.discord.markdown import StyledRun, as_code, escaped, fitting, markdown, plain_runs, runs, usable
from bot.adapters.discord.message import DiscordChrome, DiscordMessage, message
from bot.adapters.discord.registration import LONGEST_CHOICE
from bot.adapters.suggest import Suggestions
from bot.commands import all_commands
from bot.commands.base import Kind
from bot.library import Library
from bot.message import Reply, Shown
from bot.papers import Corpus, Paper, Source
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
    text,
)
from bot.text import cut, label, one_line

ATTACKS = (
    "@everyone", "@here", "<!channel>", "<!here>", "<@U1>", "<@1>", "<@!1>", "<@&1>", "<#C1>", "<#1>", "<t:0>",
    "<t:0:R>", "</cmd:1>", "</papers search:1>", "<id:guide>", "<id:customize>", ":smile:", ":+1:",
    ":wave::skin-tone-2:",
    "<:pepe:123>", "<a:pepe:123>", "# heading", "## heading", "-# small", "> quote", ">>> block", "- list", "* list",
    "+ list", "1. list", "12) list", "||spoiler||", "[label](https://evil.example)", "[x\ny](https://evil.example)",
    "<https://evil.example|label>", "https://evil.example/a_b_c*d*", "<https://evil.example>", "discord.gg/abcdef",
    "https://discord.gg/abc", "discord.com/invite/abc", "<mail@evil.example>", "<+491234567>", "**bold**", "__under__",
    "*it*", "_it_", "~~gone~~", "`code`", "``co`de``", "```py\nblock\n```", "a\u202eb\u202c", "a\u200bb\u2060c",
    "\\@everyone",
    "\\", "a\\", "[a](b" * 20, "[[[[", "]](", "<", "x<", ":", "::", "a:b:c", "***", "_", "`", "``", "|", "\u2028# x",
)  # fmt: skip


def paper(words: str = "A title") -> Paper:
    source, url = Source("f", 1, 1), "https://papers.example/1"
    return Paper("0123456789ab", "handle", words, (), (Text(words),), "file", (Text(words),), (source,), url=url)


def sent(*blocks: Block, papers: tuple[Paper, ...] = (), frame: DiscordChrome | None = None) -> Json:
    reply = Reply("tldr", blocks, papers=tuple(map(Shown, papers)), listed=len(papers) > 1)
    payload = dict(message(reply, frame or DiscordChrome()).payload)
    assert message_faults(payload) == []
    assert openapi.faults("POST", "/channels/1/messages", payload) == []
    return payload


OURS = "https://papers.example/1"


def places(words: str) -> Iterator[tuple[str, Json]]:
    """Every place where text of a corpus or of a person can stand."""
    inner = (Text(words),)
    yield "title", sent(Heading(inner))
    yield "linked title", sent(Heading((Link(OURS, inner),)))
    yield "paragraph", sent(Paragraph(inner))
    yield "quiet", sent(Paragraph(inner, quiet=True))
    yield "after text", sent(Paragraph(text("so ", words)))
    yield "after a break", sent(Paragraph((Text("so"), LineBreak(), *inner)))
    yield "bold", sent(Paragraph((Strong(inner),)))
    yield "italic", sent(Paragraph((Emphasis(inner),)))
    yield "marked", sent(Paragraph((Text("…"), Mark(inner), Text("…"))))
    yield "code", sent(Paragraph((Code(words),)))
    yield "formula", sent(Paragraph((Math(words, words),)))
    yield "label of a link", sent(Paragraph((Link(OURS, inner),)))
    yield "bullet", sent(Bullets((inner, inner)))
    yield "field", sent(Fields((("Name", inner),)))
    yield "name of a field", sent(Fields(((words, (Text("x"),)),)))
    yield "quote", sent(Quote(inner))
    yield "card", sent(Card(1, (Link(OURS, inner),), (Code(words),), inner))
    yield "picture", sent(Image(OURS, words))
    yield "post", sent(Paragraph(inner), papers=(paper(words),), frame=DiscordChrome(sharer="501"))
    yield (
        "handles of a post",
        sent(Paragraph(inner), papers=(paper(words), paper(words)), frame=DiscordChrome(sharer="501")),
    )


@pytest.mark.parametrize("words", ATTACKS)
def test_nothing_goes_live_anywhere(words: str) -> None:
    for place, payload in places(words):
        seen = read_message(payload)
        live = [what for what in seen.live if what != "mention: <@501>"]
        assert live == [], place
        assert set(seen.links) <= {OURS}, place
        shown = " ".join(one_line(words).split())
        wide = shown.replace("[", "［").replace("]", "］")
        flat = " ".join(seen.text.split())
        assert shown in flat or (("link" in place or place in {"card", "picture", "post"}) and wide in flat), place


@pytest.mark.parametrize("words", ATTACKS)
def test_nothing_styles_the_page(words: str) -> None:
    """Headings, quotes, lists and spoilers of the text stay characters."""
    for place, payload in places(words):
        styles = set(read_message(payload).styles) - {"bold", "italic", "code"}
        ours = {"quiet": {"small"}, "card": {"small"}, "bullet": {"list"}, "quote": {"quote"}}.get(place, set())
        assert styles <= ours, place


@pytest.mark.parametrize("words", ATTACKS)
def test_buttons_options_and_choices_are_one_plain_line(words: str) -> None:
    """These parse nothing; they must fit, say something, and not turn their surroundings around."""
    odd = paper(words)
    frame = DiscordChrome((RenderedButton(words, "p00:x"),), "pls:x")
    payload = sent(Paragraph(text("x")), papers=(odd, paper()), frame=frame)
    assert labels(payload["components"]) == [label(words, 80)]
    shown = payload["components"][0]["components"][0]["options"][0]["description"]
    assert shown == label(words, 100)
    assert "\n" not in shown
    assert not set("\u202e\u2066\u200b") & set(shown)


@given(st.text(max_size=300) | st.text(alphabet="\\*_~`|<>[]()@#:.-+1 \nahtps/", max_size=80))
@settings(max_examples=500, deadline=None)
def test_text_shows_as_typed(words: str) -> None:
    seen = read(escaped(words))
    assert seen.text == one_line(words[:20_000])
    assert (seen.live, seen.links, seen.styles) == ([], [], [])


@given(st.text(alphabet="`\\* a:b<@1>", max_size=30))
@settings(max_examples=200, deadline=None)
def test_code_shows_as_typed(words: str) -> None:
    seen = read("x" + as_code(words) + "x")
    assert seen.text == f"x{one_line(words)}x"
    assert (seen.live, seen.links) == ([], [])


_words = st.text(alphabet="ab *_`\\[]()<:@#-1.\n", max_size=12)
_leaves = st.builds(Text, _words) | st.builds(Code, _words) | st.just(LineBreak()) | st.builds(Math, _words, _words)
_inlines = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds(Strong, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Emphasis, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Mark, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)


@given(st.lists(_inlines, max_size=5).map(tuple))
@settings(max_examples=400, deadline=None)
def test_styles_nest_and_end_where_they_should(nodes: tuple[Inline, ...]) -> None:
    parts = runs(nodes)
    seen = read(markdown(parts))
    assert seen.text.replace("\u2060", "") == plain_runs(parts)
    assert (seen.live, seen.links) == ([], [])
    assert set(seen.styles) <= {"bold", "italic", "code"}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ((Text("a "), Strong((Text("b"),)), Text(" c")), "a **b** c"),
        ((Strong((Text("Q"),)), Text("uery")), "**Q**uery"),
        ((Strong((Text("a "), Emphasis((Text("b"),)))),), "**a *b***"),
        ((Emphasis((Text("a"),)), Strong((Text("b"),))), "*a*\u2060**b**"),
        ((Strong((Text(" a "),)),), " **a** "),
        ((Strong((Text(" "),)),), " "),
        ((Code("x_y"),), "`x_y`"),
        ((Code("a`b"),), "a\\`b"),
        ((Link("https://a.example/(x)", (Text("l"),)),), "[l](https://a.example/%28x%29)"),
        ((Link("https://a.example", (Text("[0, 1) t"),)),), "[［0, 1) t](https://a.example)"),
        ((Link("https://a.example", (Text("[Re] t"),)),), "[\\[Re\\] t](https://a.example)"),
        ((Link("javascript:alert(1)", (Text("l"),)),), "l"),
        ((Link("https://a.example/x", (Text("https://a.example/x"),)),), "<https://a.example/x>"),
        ((Text("3 * 4 < 5"),), "3 \\* 4 \\< 5"),
        ((Text("- x"),), "\\- x"),
        ((Text("1. x"),), "1\\. x"),
        ((Text("0.5 and well-known"),), "0.5 and well-known"),
    ],
)
def test_markdown_by_hand(nodes: tuple[Inline, ...], expected: str) -> None:
    assert markdown(runs(nodes)) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/x?y=1&z=(2)#f", "https://a.example/x?y=1&z=%282%29#f"),
        ("http://a.example:8080/", "http://a.example:8080/"),
        ("https://a.example/%20ok", "https://a.example/%20ok"),
        ("https://münchen.example/ü", "https://xn--mnchen-3ya.example/%C3%BC"),
        ("https://a.example/*b*_c_~~d~~`e`", "https://a.example/%2Ab%2A_c_~~d~~%60e%60"),
        ("javascript:alert(1)", None),
        ("ftp://a.example", None),
        ("https://", None),
        ("https://a b.example", None),
        ("https://[x", None),
        ("https://user@evil.example", None),
        ("https://a.example/" + "x" * 2_000, None),
        ("", None),
    ],
)
def test_addresses(url: str, expected: str | None) -> None:
    assert usable(url) == expected


@given(st.lists(_inlines, max_size=4).map(tuple), st.integers(min_value=2, max_value=60))
@settings(max_examples=300, deadline=None)
def test_cut_markdown_fits_and_is_balanced(nodes: tuple[Inline, ...], limit: int) -> None:
    parts = runs(nodes)
    short, whole = fitting(parts, limit)
    assert size(short) <= limit
    seen = read(short)
    assert (seen.live, seen.links) == ([], [])
    assert set(seen.styles) <= {"bold", "italic", "code"}
    shown = seen.text.replace("\u2060", "")
    if whole:
        assert shown == plain_runs(parts)
    else:
        assert plain_runs(parts).startswith(shown.removesuffix("…").rstrip())


@pytest.mark.parametrize(
    ("words", "limit", "expected"),
    [
        ("some words here", 12, "some words…"),
        ("e\u0301" * 10, 6, "e\u0301e\u0301…"),
        ("👩‍👩‍👧‍👦" * 3, 12, "👩‍👩‍👧‍👦…"),
        ("👍🏽👍🏽", 6, "👍🏽…"),
        ("🇩🇪🇫🇷", 6, "🇩🇪…"),
        ("short", 5, "short"),
    ],
)
def test_cuts_are_between_characters_as_readers_see_them(words: str, limit: int, expected: str) -> None:
    assert cut(words, limit) == expected


def test_an_emoji_at_the_cut_of_a_long_text() -> None:
    for shift in range(8):
        payload = sent(Paragraph((Strong((Text("x" * (4_000 + shift) + "👩‍👩‍👧‍👦" * 900),)),)))
        body = payload["embeds"][0]["description"]
        assert "Shortened to fit into one message." in body
        first = body.split("\n")[0]
        assert first.startswith("**")
        assert first.rstrip("…").endswith("👦**")


def test_every_kind_of_block_is_drawn() -> None:
    payload = sent(
        Heading(text("Title")), Heading(text("Part")), Paragraph(text("Words")), Paragraph(text("Aside"), quiet=True),
        Bullets((text("one"), text("two"))), Fields((("Problem", text("hard")),)), Quote(text("said")), Divider(),
        Card(3, text("Paper"), text("meta"), text("body")), Image(OURS, "A plot"),
    )  # fmt: skip
    assert payload["embeds"][0]["title"] == "Title"
    assert payload["embeds"][0]["description"] == (
        "**Part**\n\nWords\n\n-# Aside\n\n- one\n- two\n\n**Problem\\:** hard\n\n> said\n\n────────────\n\n"
        f"**3\\. Paper**\n-# meta\nbody\n\n[A plot]({OURS})"
    )


def _long(most: int) -> st.SearchStrategy[tuple[Inline, ...]]:
    return st.text(max_size=most).map(text)


_blocks = st.one_of(
    st.builds(Paragraph, st.text(max_size=7_000).map(text), st.booleans()),
    st.builds(Heading, st.text(max_size=600).map(text)),
    st.builds(Bullets, st.lists(st.text(max_size=400).map(text), max_size=30).map(tuple)),
    st.builds(
        Card, st.integers(1, 99), st.text(max_size=700).map(text), st.text(max_size=80).map(text), st.text().map(text)
    ),
    st.builds(
        Fields, st.lists(st.tuples(st.text(max_size=300), st.text(max_size=1_500).map(text)), max_size=9).map(tuple)
    ),
    st.builds(Quote, st.text(max_size=3_000).map(text)),
)


@given(st.lists(_blocks, max_size=30).map(tuple), st.integers(0, 30), st.sampled_from(["", "501"]))
@settings(max_examples=120, deadline=None)
def test_any_reply_fits(blocks: tuple[Block, ...], buttons: int, sharer: str) -> None:
    frame = DiscordChrome(
        tuple(RenderedButton("x" * 200, f"p{place:02d}:") for place in range(buttons)), "pls:", sharer
    )
    papers = tuple(paper(str(place)) for place in range(buttons))
    seen = read_message(sent(*blocks, papers=papers, frame=frame))
    assert [what for what in seen.live if what != "mention: <@501>"] == []


@pytest.mark.parametrize("count", [5, 8, 9, 25, 200])
def test_long_lists_lose_bodies_before_they_lose_papers(count: int) -> None:
    title = "A title of the usual length, which is about eighty characters in most of them all"
    cards = [
        Card(n, (Link(OURS, text(title)),), text(Code(f"handle-{n}")), text("why it matches " * 10))
        for n in range(1, count + 1)
    ]
    payload = sent(*cards)
    text_shown = read_message(payload).text
    if count <= 25:
        assert f"{count}. A title" in text_shown
        assert "Shortened" not in text_shown
    else:
        assert "Shortened" in text_shown


def test_menu_offers_every_way_for_few_papers_and_summaries_for_many() -> None:
    for count, options in ((5, 15), (8, 24), (9, 9), (25, 25), (40, 25)):
        papers = tuple(
            Paper(f"{n:012d}", f"h{n}", "T", (), (Text("T"),), "file", (Text("T"),), (Source("f", n, n),))
            for n in range(count)
        )
        payload = sent(Paragraph(text("x")), papers=papers, frame=DiscordChrome(here="pls:x"))
        assert len(payload["components"][0]["components"][0]["options"]) == options


def test_a_title_without_characters_and_an_empty_reply_still_show_something() -> None:
    assert sent(Heading(text("\u200b")))["embeds"][0]["description"]
    assert sent()["embeds"][0]["description"]
    assert "(no title)" in read_message(sent(Card(1, (Text(" "),), ()))).text


@pytest.mark.parametrize(
    "words", ["[a](b" * 20_000, "`" * 50_000, "*" * 100_000, "<@" * 50_000, "1. " * 30_000, ":" * 90_000]
)
def test_hostile_lengths_are_bounded(words: str) -> None:
    assert len(escaped(words)) <= 40_001
    sent(Paragraph(text(words)))


def test_a_choice_of_odd_papers_fits() -> None:
    corpus = Corpus(tuple(paper(words) for words in ATTACKS[:5]))
    library = Library.of(corpus)
    for name, value in Suggestions(all_commands(), LONGEST_CHOICE).choices(Kind.PAPER, "", library):
        assert len(name) <= 100
        assert name.startswith("handle · ")
        assert value == "0123456789ab"


def test_runs_merge_and_keep_every_style() -> None:
    nodes = (Text("a"), Text("b"), Strong((Text("c"), Code("d"))), Link(OURS, (Text("e"), Emphasis((Text("f"),)))))
    assert runs(nodes) == (
        StyledRun("ab"), StyledRun("c", bold=True), StyledRun("d", bold=True, code=True), StyledRun("e", url=OURS),
        StyledRun("f", italic=True, url=OURS),
    )  # fmt: skip


def test_message_value_is_what_is_sent() -> None:
    made = DiscordMessage("c", ({"description": "d"},), ())
    assert made.payload == {
        "content": "c",
        "embeds": [{"description": "d"}],
        "components": [],
        "allowed_mentions": {"parse": []},
    }
