"""What holds for every input: no exception, no character of the parser's own, no word lost, linear work."""

import re
import unicodedata

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot.corpus.markup import parse
from bot.richtext import Code, Emphasis, Inlines, LineBreak, Link, Mark, Math, Strong, Text, plain

FRAGMENTS = [
    "$", "$$", r"\(", r"\)", r"\[", "{", "}", "{}", r"\textbf{", r"\texttt{", r"\href{", r"\cite{a}", r"\frac",
    r"\alpha", r"\label", r"\footnote{", r"\sqrt", r"\text{", r"\left", r"\hat", r"\em ", r"\over", r"\\&", "&",
    r"\begin{itemize}", r"\item", r"\end{itemize}", r"\begin{equation}", r"\verb|", "`", "``", "''", "'", "*", "**",
    "***", "_", "__", "[", "](", "](https://a.b)", ")", "<b>", "</b>", "<i>", "<a href='https://x.y'>", "</a>",
    "<code>", "</code>", "<sub>", "</sub>", "<!--", "-->", "<p>", "&amp;", "&lt;", "&#xFDD0;", "&#x0;", "\\", "\\\\",
    r"\%", r"\_", "~", "--", "---", "https://a.b/c_d", "http://", "^", "^{", "_{", "\x00", "\u200b", "\ufdd0",
    "\ufdd7", "\U000f0000", "\ud800", "𝐀", "한", " ", "\n", "word", "42", "é", r"\"o", r"\'{e}", "%", "#", "!",
]  # fmt: skip
markup = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4)), max_size=40).map("".join)
words = st.lists(st.from_regex(r"[A-Za-z]{2,12}", fullmatch=True), min_size=1, max_size=30)
PRIVATE = re.compile("[\ufdd0-\ufdef\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]")


def _check(nodes: Inlines) -> None:
    """Node invariants: no empty element, no two neighbouring Text, only web addresses in links, no link in a link."""
    for node, following in zip(nodes, (*nodes[1:], None), strict=False):
        match node:
            case Text(text):
                assert text
                assert not isinstance(following, Text)
            case Strong(children) | Emphasis(children) | Mark(children):
                assert children
                _check(children)
            case Link(url, children):
                assert url.lower().startswith(("http://", "https://"))
                assert children
                assert not any(isinstance(child, Link) for child in children)
                _check(children)
            case Code(text) | Math(text, _):
                assert text
            case LineBreak():
                raise AssertionError("an abstract is one paragraph")


@settings(max_examples=400, deadline=None)
@given(markup)
def test_any_input_gives_sound_nodes(source: str) -> None:
    nodes = parse(source)
    _check(nodes)
    text = plain(nodes)
    assert not PRIVATE.search(text)
    assert "  " not in text
    assert text == text.strip()
    assert not any(unicodedata.category(char) == "Cc" for char in text)


@settings(max_examples=100, deadline=None)
@given(words)
def test_plain_words_pass_unchanged(listed: list[str]) -> None:
    source = " ".join(listed)
    assert parse(source) == (Text(source),)
    assert plain(parse(plain(parse(source)))) == source


@settings(max_examples=150, deadline=None)
@given(words, st.data())
def test_no_word_is_lost_or_doubled_in_markup(listed: list[str], data: st.DataObject) -> None:
    styles = st.sampled_from(
        ["{}", "**{}**", "*{}*", r"\textbf{{{}}}", r"\emph{{{}}}", "<em>{}</em>", "`{}`", "``{}''", r"$\text{{{}}}$"],
    )
    source = " ".join(data.draw(styles).format(word) for word in listed)
    assert re.findall(r"\w+", plain(parse(source))) == listed


less = st.sampled_from(
    ["{}<{}", "{} < {}", "{}<{} and", "{}>{}", "{} > {}", "<{} {}>", "{}&lt;{}", "{}&lt;{}&gt;", "{} {}"]
)
names = st.sampled_from(
    ["a", "b", "i", "p", "u", "s", "code", "title", "math", "mi", "sub", "list", "label", "x", "jats"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(less, names, words.map(lambda listed: listed[0])), min_size=1, max_size=8))
def test_no_word_between_signs_of_less_and_more_is_lost(parts: list[tuple[str, str, str]]) -> None:
    listed = [pair.format(*((name, word) if "and" not in pair else (word, name))) for pair, name, word in parts]
    source = " ".join(listed)
    assume(not re.search(r"<[a-z]+>|&lt;[a-z]+&gt;", source))  # a tag is what looks like one
    text = plain(parse(source))
    for _, _, word in parts:
        assert word in text


def test_long_hostile_inputs_end() -> None:
    """200,000 characters of what would be quadratic done naively; a hang fails by the suite's own patience."""
    for unit in (
        "$x ",
        r"\href{",
        r"\texttt{",
        "``a",
        "[a](",
        "<b><i>",
        "**a",
        "&",
        "{",
        r"\(",
        "<em>https://a.b/<em>",
        "<a b=c ",
        "<i x",
        "&lt;sub&gt;",
        "<math><mrow>",
        "<math><mi>x</mi>",
        "\x93",
        r"\SI{",
        "{a} ",
        r"\(x\){a ",
        "textbf{",
        r"\frac a^",
    ):
        source = unit * (200_000 // len(unit))
        assert not PRIVATE.search(plain(parse(source)))
