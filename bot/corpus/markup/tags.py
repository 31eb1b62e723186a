"""HTML to text with markers: the first step, which also unescapes entities, once more than the parser does."""

import html
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.corpus.markup import chars
from bot.corpus.markup.symbols import names

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

LinkSlot = Callable[[str], str]
"""Keeps the address of a link and gives the character that opens it."""

_STRONG = frozenset(("strong", "b"))
_EMPHASIS = frozenset(("em", "i", "italic", "cite", "dfn", "var"))
_CODE = frozenset(("code", "tt", "kbd", "samp", "pre"))
_SILENT = frozenset(("script", "style", "template", "head", "title", "-comment", "noscript"))
_BLOCKS = names("p div br h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tr td th blockquote hr sec")
_OTHERS = names(
    "a span u small big font sub sup center abstract abbr bold fixed-case inline-formula alternatives formula tex",
)
_NAMES = _STRONG | _EMPHASIS | _CODE | _BLOCKS | _OTHERS | frozenset(("script", "style", "tex-math"))
# `<s>` and a bare `<img>` are tokens of language models more often than they are tags
_NAME = r"(?:jats:)?(?:img(?=\s)|" + "|".join(sorted(_NAMES, key=len, reverse=True)) + ")"
_KNOWN_TAG = re.compile(rf"</?{_NAME}(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_BARE_LESS = re.compile(rf"<(?!/?{_NAME}(?:\s[^<>]{{0,2000}})?/?>)", re.IGNORECASE)
_JATS = re.compile(r"(</?)jats:", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_BARE_AMPERSAND = re.compile(r"&(?!(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)")

_PAIRS = (
    (_STRONG | {"bold"}, chars.STRONG_OPEN, chars.STRONG_CLOSE),
    (_EMPHASIS, chars.EM_OPEN, chars.EM_CLOSE),
    (_CODE, chars.CODE_OPEN, chars.CODE_CLOSE),
    (frozenset(("sub",)), chars.SUB_OPEN, chars.SUB_CLOSE),
    (frozenset(("sup",)), chars.SUP_OPEN, chars.SUP_CLOSE),
)
_MATHML = re.compile(r"</?mml:[a-z]+(?:\s[^<>]{0,2000})?/?>", re.IGNORECASE)
_MARKERS = {name: (opening, closing) for tags, opening, closing in _PAIRS for name in tags} | {"tex-math": ("$", "$")}


def unescape(text: str) -> str:
    """The text with its entities replaced, those that end in a semicolon only (`AT&T` and `&lambda` stay)."""
    return _ENTITY.sub(lambda entity: chars.clean(html.unescape(entity[0])), text) if "&" in text else text


def marked_text(source: str, link: LinkSlot) -> str:
    """The text of an HTML fragment, its emphasis as markers; text without tags only has its entities replaced.

    `link` makes a slot for an address and gives the character that opens the link.
    """
    if "<!--" in source:
        source = _without_comments(source)
    if "<mml:" in source:
        source = _MATHML.sub("", source)
    if "<" in source and _KNOWN_TAG.search(source):
        return unescape(_flatten(source, link))
    return unescape(unescape(source))


def _without_comments(source: str) -> str:
    first, *others = source.split("<!--")
    kept = [first]
    for part in others:
        inside, end, rest = part.partition("-->")
        kept.append(rest if end else f"<!--{inside}")
    return " ".join(kept)


def _flatten(source: str, link: LinkSlot) -> str:
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - needed only by sources with tags

    prepared = _JATS.sub(r"\1", _BARE_LESS.sub("&lt;", _BARE_AMPERSAND.sub("&amp;", source)))
    root = LexborHTMLParser(prepared).body
    if root is None:
        return source
    parts: list[str] = []
    stack: list[LexborNode | str] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        tag = node.tag
        if tag == "-text":
            parts.append(chars.clean(node.text_content or ""))
            continue
        if tag in _SILENT:
            continue
        before, after = _around(tag or "", node.attributes, link)
        parts.append(before)
        stack.append(after)
        stack.extend(reversed(list(node.iter(include_text=True))))
    return "".join(parts)


def _around(tag: str, attributes: dict[str, str | None], link: LinkSlot) -> tuple[str, str]:
    """What stands before and after the content of an element."""
    if tag == "li":
        return " • ", " "
    if tag in _BLOCKS:
        return " ", " "
    if tag == "img":
        return attributes.get("alt") or "", ""
    if tag == "a":
        address = (attributes.get("href") or "").strip()
        return (link(address), chars.LINK_CLOSE) if address else ("", "")
    return _MARKERS.get(tag, ("", ""))
