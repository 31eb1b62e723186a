"""A readable title line for papers whose title is not known."""

import re

from bot.corpus.labels.tokens import Flat

TITLE_WIDTH = 90
"""Characters of a derived title line: one line of a chat message."""

_CUT = re.compile(r"\s+\S*$")
_LEAD = re.compile(r"^(?:\s|,|:|;|—|–|-|\)|”|\"|'|’)+")
_DROPPED = re.compile(r"^(?:that|which|to|is|as|who)\s+", re.IGNORECASE)


def cut(line: str, width: int = TITLE_WIDTH) -> str:
    """A line of at most `width` characters, cut at a word with an ellipsis."""
    line = " ".join(line.split())
    if len(line) <= width:
        return line
    head = line[: width - 1]
    shorter = head if line[width - 1].isspace() else _CUT.sub("", head)
    return (shorter or head).rstrip(" ,;:—–-(") + "…"


def gloss(flat: Flat, end: int) -> str:
    """The words that explain a name, read after its mention that ends before token `end`."""
    tokens = flat.tokens
    if not 0 < end <= len(tokens):
        return ""
    start = tokens[end - 1].end
    sentence = tokens[end - 1].sentence
    last = end - 1
    while last + 1 < len(tokens) and tokens[last + 1].sentence == sentence and last - end < 40:
        last += 1
    rest = flat.text[start : tokens[last].end]
    if rest.lstrip().startswith("("):
        close = rest.find(")")
        rest = rest[close + 1 :] if close >= 0 else rest
    rest = _LEAD.sub("", rest)
    return " ".join(_DROPPED.sub("", rest).split())
