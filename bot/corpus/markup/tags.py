"""HTML to text with markers: the first step, which also unescapes entities, once more than the parser does."""

import html
import re
from collections import Counter
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from bot.corpus.markup import chars
from bot.corpus.markup.mathml import latex
from bot.corpus.markup.symbols import names

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

LinkSlot = Callable[[str], str]
"""Keeps the address of a link and gives the character that opens it."""

_STRONG = frozenset(("strong", "b"))
_EMPHASIS = frozenset(("em", "i", "italic", "cite", "dfn", "var"))
_CODE = frozenset(("code", "tt", "kbd", "samp", "pre", "monospace"))
_SILENT = frozenset(("script", "style", "template", "head", "title", "-comment", "noscript"))
_BLOCKS = names("p div br h1 h2 h3 h4 h5 h6 ul ol dl dt dd table tr td th blockquote hr sec list disp-quote")
_ITEMS = frozenset(("li", "list-item"))
_OTHERS = names(
    "a span u small big font sub sup center abstract abbr bold fixed-case inline-formula alternatives formula tex li",
)
_NAMES = (
    _STRONG
    | _EMPHASIS
    | (_CODE - {"monospace"})
    | (_BLOCKS - {"list"})
    | _OTHERS
    | frozenset(("script", "style", "tex-math"))
)
_PAIRED = names(
    "title list list-item ext-link monospace sc underline xref url uri email label roman sans-serif styled-content "
    "named-content disp-formula abstracttext copyrightinformation math semantics"
)
"""Names of JATS, of PubMed and of the ACL's papers that are tags only where they also end: they are words, too."""
_PREFIXED = re.compile(r"(?:jats|mml|m):")
_BOOLEAN = "reversed|hidden|nowrap|noshade|compact|async|defer|ismap|download"
_ATTRIBUTE = (
    rf"\s+(?:[A-Za-z_][\w:.-]{{0,60}}\s*=\s*(?:\"[^\"<>]{{0,2000}}\"|'[^'<>]{{0,2000}}'|[^\s\"'<>=`]{{1,2000}})"
    rf"|(?:{_BOOLEAN})(?=[\s/>]))"
)
_LESS = re.compile(rf"<(/?)([A-Za-z][\w:-]{{0,40}})((?:{_ATTRIBUTE}){{0,30}})\s*/?>|<", re.IGNORECASE)
_ALONE = frozenset("abiu")
"""Tags of one letter, which are inequalities where they touch a word on both sides and never end (`a<b>c`)."""
_ESCAPED_TAG = re.compile(
    r"&(?:amp;)?lt;(/?)(sub|sup|i|b|em|strong|italic|bold|u|sc|p)\s*(/?)&(?:amp;)?gt;", re.IGNORECASE
)
_ABSTRACT = re.compile(r"<(?:jats:)?title>\s*(?:abstract|summary)\.?\s*</(?:jats:)?title>", re.IGNORECASE)
_DELIMITED = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_BARE_AMPERSAND = re.compile(r"&(?!(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});)")

_PAIRS = (
    (_STRONG | {"bold"}, chars.STRONG_OPEN, chars.STRONG_CLOSE),
    (_EMPHASIS, chars.EM_OPEN, chars.EM_CLOSE),
    (_CODE, chars.CODE_OPEN, chars.CODE_CLOSE),
    (frozenset(("sub",)), chars.SUB_OPEN, chars.SUB_CLOSE),
    (frozenset(("sup",)), chars.SUP_OPEN, chars.SUP_CLOSE),
)
_MARKERS = {name: (opening, closing) for tags, opening, closing in _PAIRS for name in tags}


def unescape(text: str) -> str:
    """The text with its entities replaced, those that end in a semicolon only (`AT&T` and `&lambda` stay)."""
    return _ENTITY.sub(lambda entity: chars.clean(html.unescape(entity[0])), text) if "&" in text else text


def marked_text(source: str, link: LinkSlot) -> str:
    """The text of an HTML fragment, its emphasis as markers; text without tags only has its entities replaced.

    `link` makes a slot for an address and gives the character that opens the link.
    """
    if "<!--" in source:
        source = _without_comments(source)
    if "lt;" in source:
        source = _with_tags(source)
    if "<" in source:
        prepared = _prepared(source)
        if prepared is not None:
            return unescape(_flatten(prepared, link))
    return unescape(unescape(source))


def _with_tags(source: str) -> str:
    """The source with tags that were escaped once more as tags, where each that begins also ends."""
    open_, closed = Counter[str](), Counter[str]()
    for found in _ESCAPED_TAG.finditer(source):
        (closed if found[1] else open_)[found[2].lower()] += 1
    pairs = {name for name, count in open_.items() if count == closed[name]}
    return _ESCAPED_TAG.sub(
        lambda found: f"<{found[1]}{found[2]}{found[3]}>" if found[2].lower() in pairs else found[0], source
    )


def _prepared(source: str) -> str | None:
    """The source as HTML: what is no tag escaped, prefixes of namespaces gone. None where there is no tag at all."""
    ended = {name.lower() for name in _END.findall(source)}
    any_tag = False

    def read(found: re.Match[str]) -> str:
        nonlocal any_tag
        if not _is_tag(found, ended):
            return f"&lt;{found[0][1:]}"
        any_tag = True
        name = found[2].lower()
        prefix = _PREFIXED.match(name)
        bare = name[prefix.end() :] if prefix else name
        start = len(found[1]) + 1 + len(name)
        return f"<{found[1]}{'heading' if bare == 'title' else bare}{found[0][start:]}"

    text = _LESS.sub(read, _BARE_AMPERSAND.sub("&amp;", _ABSTRACT.sub(" ", source)))
    return text if any_tag else None


def _is_tag(found: re.Match[str], ended: AbstractSet[str]) -> bool:
    name = (found[2] or "").lower()
    if not name:
        return False
    if name in _ALONE and name not in ended and not found[3] and not found[1]:
        text, start, end = found.string, found.start(), found.end()
        return not (text[start - 1 : start].isalnum() and text[end : end + 1].isalnum())
    if name == "img":
        return bool(found[3])  # a bare `<img>` is a token of language models, as `<s>` is
    if name in _NAMES or _PREFIXED.match(name):
        return True
    return (name in _PAIRED or (name in _MATH and "math" in ended)) and (name in ended or found[0].endswith("/>"))


_END = re.compile(r"</([A-Za-z][\w:-]{0,40})\s*>")
_MATH = names(
    "mi mn mo mtext ms mrow mstyle mpadded mphantom mspace msup msub msubsup mover munder munderover mfrac msqrt mroot "
    "mfenced mtable mtr mtd mmultiscripts annotation annotation-xml menclose merror none mprescripts"
)


def _without_comments(source: str) -> str:
    first, *others = source.split("<!--")
    kept = [first]
    for part in others:
        inside, end, rest = part.partition("-->")
        kept.append(rest if end else f"<!--{inside}")
    return " ".join(kept)


def _flatten(source: str, link: LinkSlot) -> str:
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - needed only by sources with tags

    root = LexborHTMLParser(source).body
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
        if tag == "math":
            parts.append(_delimited(latex(node)))
            continue
        if tag == "tex-math":
            parts.append(_delimited(chars.clean(node.text(deep=True))))
            continue
        before, after = _around(tag or "", node.attributes, link)
        parts.append(before)
        stack.append(after)
        children = list(node.iter(include_text=True))
        if tag == "alternatives":  # one formula, written in several ways
            children = [next((one for one in children if one.tag == "tex-math"), children[0])] if children else []
        stack.extend(reversed(children))
    return "".join(parts)


def _delimited(formula: str) -> str:
    """A formula in delimiters that nothing else has, without those it came in."""
    inside = _DELIMITED.search(formula)
    bare = next((part for part in inside.groups() if part), "") if inside else formula
    bare = " ".join(bare.replace("\\)", ")").split())
    return f"\\({bare}\\)" if bare else ""


def _around(tag: str, attributes: dict[str, str | None], link: LinkSlot) -> tuple[str, str]:
    """What stands before and after the content of an element."""
    if tag in _ITEMS:
        return " • ", " "
    if tag in _BLOCKS:
        return " ", " "
    if tag == "heading":
        return " ", ": "
    if tag == "abstracttext":
        label = " ".join((attributes.get("label") or "").split())
        return (f" {label}: " if label else " "), " "
    if tag == "img":
        return attributes.get("alt") or "", ""
    if tag in ("a", "ext-link"):
        address = (attributes.get("href") or attributes.get("xlink:href") or "").strip()
        return (link(address), chars.LINK_CLOSE) if address else ("", "")
    return _MARKERS.get(tag, ("", ""))
