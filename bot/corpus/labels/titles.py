"""A readable title line for papers whose title is not known."""

import re
from collections.abc import Sequence

from bot.corpus.labels.candidates import Candidate, key_of
from bot.corpus.labels.lexicon import FUNCTION, HEADS, VERBS
from bot.corpus.labels.tokens import ODD, Flat, kind_of
from bot.corpus.labels.wordlist import word_set

TITLE_WIDTH = 90
"""Characters of a derived title line: one line of a chat message."""

_COLON = re.compile(r"\s*([^:?!—]{1,60}?)\s*(?::|\s—)\s+\S")
_CLAUSE = re.compile(
    r"[:?!]|\s(?:for|via|with|in|by|through|from|using|under|without|on|towards?|to|of|as|is|are|and)\s"
)
_NOT_NAMES = word_set("position towards toward beyond rethinking revisiting understanding on learning survey")
_QUESTIONS = word_set("what how why when do does did is are can could should where who which will on towards toward")

_CUT = re.compile(r"\s+\S*$")
_LEAD = re.compile(r"^(?:\s|,|:|;|—|–|-|\)|”|\"|'|’)+")
_DROPPED = re.compile(r"^(?:(?:that|which|to|is|as|who)\s+)+", re.IGNORECASE)
_CLOSERS = ')]”’"'


def cut(line: str, width: int = TITLE_WIDTH) -> str:
    """A line of at most `width` characters, cut at a word with an ellipsis."""
    line = " ".join(line.split())
    if len(line) <= width:
        return line
    head = line[: width - 1]
    shorter = head if line[width - 1].isspace() else _CUT.sub("", head)
    return (shorter or head).rstrip(" ,;:—–-(") + "…"


def gloss(flat: Flat, end: int) -> str:
    """The words that explain a name, read after its mention that ends before token `end`; empty for few."""
    tokens = flat.tokens
    if not 0 < end < len(tokens) or tokens[end].sentence != tokens[end - 1].sentence:
        return ""
    said = _DROPPED.sub("", _LEAD.sub("", rest(flat, end)))
    head, _, after = said.partition(" ")
    if head.casefold() in HEADS:
        said = _DROPPED.sub("", _LEAD.sub("", after))
    return said if said.count(" ") > 1 else ""


def rest(flat: Flat, end: int) -> str:
    """The rest of a sentence after token `end - 1`, without a bracket that opens right there."""
    tokens = flat.tokens
    if not 0 < end <= len(tokens):
        return ""
    last = end - 1
    while last + 1 < len(tokens) and tokens[last + 1].sentence == tokens[end - 1].sentence and last - end < 40:
        last += 1
    close = tokens[last].end
    while close < len(flat.text) and flat.text[close] in _CLOSERS:
        close += 1
    said = flat.text[tokens[end - 1].end : close]
    if said.lstrip().startswith("("):
        said = said.partition(")")[2] if ")" in said else said
    return " ".join(said.split())


def title_name(title: str, ranked: Sequence[Candidate]) -> str:
    """The name that a title starts with (`SALE : Low-bit …`), or nothing.

    Up to three words before a colon, oddly cased or a single word, or such as the abstract introduces.
    """
    found = _COLON.match(title)
    if found is None:
        return ""
    name = found[1]
    words = name.split()
    if not words or words[0].casefold() in _NOT_NAMES:
        return ""
    forms = {key_of(form): form for other in ranked for form in (other.expansion, other.name) if form}
    introduced = {key_of(form) for other in ranked if other.introduced for form in (other.name, other.expansion)}
    if key_of(name) in introduced:
        # as the abstract spells it: that is what people read, and find marked
        return forms[key_of(name)]
    return name if len(words) == 1 or (len(words) <= 3 and any(kind_of(word) == ODD for word in words)) else ""


def title_phrase(title: str) -> str:
    """The noun phrase that a title without a name starts with, two to five words, or nothing."""
    head = _CLAUSE.split(title)[0]
    words = head.split()
    if words and (words[0].casefold() in _QUESTIONS or words[0].endswith("ing")):
        return ""
    if any(word.casefold() in VERBS for word in words[1:]):
        return ""
    while words and words[0].casefold() in FUNCTION:
        words.pop(0)
    return " ".join(words) if 2 <= len(words) <= 5 else ""
