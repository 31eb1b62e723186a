"""The working alphabet: characters that stand for structure while a text is taken apart.

Markers are Unicode noncharacters (U+FDD0 to U+FDEF), which no text may contain for interchange, and slots are
private-use characters of planes 15 and 16, one for each formula, link or code span. Both count as letters for
Markdown's flanking rules, which is what a formula beside a word should be. `clean` removes them from the input
first, so that none can be forged.
"""

import re
import unicodedata

from bot.text import from_windows

STRONG_OPEN, STRONG_CLOSE = "\ufdd0", "\ufdd1"
EM_OPEN, EM_CLOSE = "\ufdd2", "\ufdd3"
LINK_CLOSE = "\ufdd4"
MONO_OPEN, MONO_CLOSE = "\ufdd5", "\ufdd6"
"""A code span whose content is read further (`\\texttt{a\\_b}`)."""
CODE_OPEN, CODE_CLOSE = "\ufdd7", "\ufdd8"
"""A code span of HTML, taken as it is."""
SUB_OPEN, SUB_CLOSE = "\ufdd9", "\ufdda"
SUP_OPEN, SUP_CLOSE = "\ufddb", "\ufddc"
STAR, UNDERSCORE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET = "\ufddd", "\ufdde", "\ufddf", "\ufde0", "\ufde1"
"""Characters that mean themselves where Markdown would read more into them."""
JOINER = "\ufde2"
"""Nothing, but a letter to Markdown: lets `**` beside punctuation open or close."""
DROPPED = "\ufde3"
"""Where a citation stood that leaves nothing behind."""
FIRST_SLOT, LAST_SLOT = 0xF0000, 0x10FFFD

ALL = "\ufdd0-\ufdef"
"""The markers, for a character class."""
SLOTS = f"{chr(FIRST_SLOT)}-{chr(LAST_SLOT)}"
"""The slots, for a character class."""
_OWN = re.compile(f"[{ALL}{SLOTS}]")
_EMPHASIS = re.compile(f"[{EM_OPEN}{EM_CLOSE}]")
_MEANING = {STAR: "*", UNDERSCORE: "_", BACKSLASH: "\\", OPEN_BRACKET: "[", CLOSE_BRACKET: "]"}
_LITERALS: dict[int, str | None] = {**dict.fromkeys(range(0xFDD0, 0xFDF0)), **{ord(m): s for m, s in _MEANING.items()}}
_PROTECTED = str.maketrans({sign: marker for marker, sign in _MEANING.items()})

_UNWANTED = re.compile(
    "[\x00-\x08\x0b\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # controls that are not white space
    "\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # invisible, bidirectional
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]",
)
_LONE_JOINER = re.compile("(?<![^\x00-\x7f\\s])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f\\s])")
_MATH_LETTERS = re.compile("[\U0001d400-\U0001d7ff]+")
_KEPT_LETTER = "\U0001d53c"  # 𝔼, the one blackboard letter of this block that people type


def bare(text: str) -> str:
    """The text without markers and slots, for what is taken verbatim."""
    return text if text.isascii() else _OWN.sub("", text)


def as_typed(text: str) -> str:
    """The same, with the underscores back that a form's own Markdown read as emphasis in a formula or an address."""
    return text if text.isascii() else _OWN.sub("", _EMPHASIS.sub("_", text))


def unprotected(text: str) -> str:
    """The text at the end: literal characters back to themselves, every other marker away."""
    return text if text.isascii() else text.translate(_LITERALS)


def literal(text: str) -> str:
    """The text with everything that Markdown could read as markup protected."""
    return text.translate(_PROTECTED)


def plain_letters(text: str) -> str:
    """The text with Mathematical Alphanumerics as plain letters, except 𝔼."""
    if text.isascii():
        return text
    return _MATH_LETTERS.sub(
        lambda run: "".join(c if c == _KEPT_LETTER else unicodedata.normalize("NFKC", c) for c in run[0]),
        text,
    )


def clean(source: str) -> str:
    """The source without control, invisible, bidirectional and private characters, with plain letters.

    Zero-width joiners stay between two non-ASCII characters, where scripts and emoji need them.
    """
    source = _UNWANTED.sub("", from_windows(source))
    if source.isascii():
        return source
    if "\u200c" in source or "\u200d" in source:
        source = _LONE_JOINER.sub("", source)
    return plain_letters(source)
