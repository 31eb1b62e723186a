"""Characters: the one table of typographic, invisible and wide ones, for what people type and for what they are shown.

On the way in they are made plain (`straighten`), at every entrance alike, so that `experts —pruning` means the same
typed, as an option and in a form. On the way out they are cleaned, measured, and cut where a reader would.
"""

import re
import unicodedata

ELLIPSIS = "…"

QUOTES = "“”„‟«»〝〞″"
APOSTROPHES = "‘’‚‛‹›′`´｀"
DASHES = "‐‑‒–—―−﹣"
"""What phones, word processors and copied pages have for `"`, `'` and `-`."""

_WIDE = {char: chr(char - 0xFEE0) for char in range(0xFF01, 0xFF5F)}
"""The forms of ASCII that keyboards for Chinese and Japanese give, by their code points."""

_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_EMPTY = "\u200b\u2060\u2061\u2062\u2063\u2064\u00ad\u180e\ufeff\u3164\u115f\u1160\uffa0"
_DROPPED = dict.fromkeys(map(ord, _BIDI + _EMPTY))
"""An override of direction would turn around what we write after it; what has no width hides words from a reader.
Joiners stay: scripts and emoji need them."""

_PLAIN = (
    _WIDE
    | dict.fromkeys(map(ord, QUOTES), '"')
    | dict.fromkeys(map(ord, APOSTROPHES), "'")
    | dict.fromkeys(map(ord, DASHES), "-")
    | _DROPPED
)

_JOINER = "\u200d"
_JOINERS = frozenset({_JOINER, "\u200c"})
_LONE_JOINER = re.compile("(?<![^\x00-\x7f\\s])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f\\s])")
"""One that joins nothing: beside white space, an end or a letter of ASCII."""


def straighten(text: str) -> str:
    """What somebody typed or pasted, as a plain keyboard would have given it, on one line.

    Quotation marks, apostrophes, dashes and wide forms become those of ASCII; what cannot be seen goes; controls,
    lone surrogates and every kind of space become spaces. Doing it twice changes nothing more.
    """
    if text.isascii() and text.isprintable():
        return text.replace("`", "'").strip()
    plain = text.translate(_PLAIN)
    spaced = "".join(char if char.isprintable() or char in _JOINERS else " " for char in plain)
    return _LONE_JOINER.sub("", spaced).strip()


_LATIN = re.compile("[\x80-\x9f]")
_UTF8 = re.compile("[\xc2-\xde][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
_LIGATURE = re.compile("(?<=[a-z])\x80(?=[a-z])")
_WINDOWS = {code: bytes([code]).decode("cp1252", "ignore") or " " for code in range(0x80, 0xA0)}


def from_windows(text: str) -> str:
    """The text with its characters from U+0080 to U+009F as what they were before a program took them for Latin-1.

    They are parts of UTF-8, or else the dashes and quotes of Windows-1252. Inside of a word the first of them is what
    was left of a ligature, which nobody can tell.
    """
    if text.isascii() or not _LATIN.search(text):
        return text
    return _LIGATURE.sub("", _UTF8.sub(_as_utf8, text)).translate(_WINDOWS)


def _as_utf8(found: re.Match[str]) -> str:
    if not _LATIN.search(found[0]):
        return found[0]
    try:
        return found[0].encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return found[0]


def size(text: str) -> int:
    """Length in UTF-16 units: never less than what a platform counts, whichever way it counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def clean(text: str) -> str:
    """The text without what would act on its surroundings: controls, changes of direction, lone surrogates.

    Line breaks stay, other control characters and every kind of space become spaces.
    """
    kept = text.translate(_DROPPED)
    if kept.isprintable():
        return kept
    return "\n".join(line if line.isprintable() else "".join(map(_harmless, line)) for line in kept.split("\n"))


def one_line(text: str) -> str:
    """The same with spaces for line breaks."""
    return clean(text).replace("\n", " ")


_ACTING = re.compile(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff{_BIDI}]")


def json_line(text: str) -> str:
    """A line of JSON that says the same, with all that would act on a terminal or break a line as JSON's escapes."""
    return _ACTING.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


def _harmless(char: str) -> str:
    if char in _JOINERS:
        return char
    match unicodedata.category(char):
        case "Cc" | "Zl" | "Zp" | "Zs":
            return " "
        case "Cs":
            return "\ufffd"
        case "Cf" if not "\U000e0020" <= char <= "\U000e007f":
            return ""  # the exception spells flags of regions
        case _:
            return char


def label(text: str, limit: int, otherwise: str = ELLIPSIS) -> str:
    """Text for a place that parses nothing (a button, an option): one line, never empty, at most `limit` long."""
    line = " ".join(clean(text).split())
    return cut(line, limit) if line else otherwise


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, ending in "…" where something is left out."""
    if size(text) <= limit:
        return text
    return text[: place_to_cut(text, _fitting(text, limit - size(ELLIPSIS)))].rstrip() + ELLIPSIS


def place_to_cut(text: str, end: int) -> int:
    """The last place up to `end` where a cut is no harm.

    Between words where one ends in the last half, else between what a reader takes for characters.
    """
    if end >= len(text):
        return len(text)
    space = max(text.rfind(" ", 0, end + 1), text.rfind("\n", 0, end + 1))
    if space > end // 2:
        return space
    while end > 0 and _inside(text, end):
        end -= 1
    return end


def _fitting(text: str, units: int) -> int:
    """How many characters from the start have at most so many UTF-16 units."""
    for place, char in enumerate(text):
        units -= 2 if char > "\uffff" else 1
        if units < 0:
            return place
    return len(text)


def _inside(text: str, place: int) -> bool:
    """Whether a cut here would split what is drawn as one: accents, joined emoji, skin tones, flags."""
    before, after = text[place - 1], text[place]
    if unicodedata.category(after) in {"Mn", "Me", "Mc"} or _JOINER in {before, after}:
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if _is_flag(before) and _is_flag(after):
        run = 0
        while place - 1 - run >= 0 and _is_flag(text[place - 1 - run]):
            run += 1
        return run % 2 == 1  # flags are pairs of letters, counted from the start of the run
    return False


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
