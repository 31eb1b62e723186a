"""Characters on their way to Slack and from it: cleaned, escaped, cut; and what people sent, as they typed it."""

import re
import unicodedata

MORE = "…"

_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_EMPTY = "\u200b\u2060\u2061\u2062\u2063\u2064\u00ad\u180e\ufeff\u3164\u115f\u1160\uffa0"
_DROPPED = str.maketrans(dict.fromkeys([*_BIDI, *_EMPTY]))
"""An override of direction would turn around what we write after it; what has no width hides words from a reader.
Joiners stay: scripts and emoji need them."""

_EMOJI = re.compile(r":(?=[\w+'-]{1,100}:)")
_TOKEN = re.compile(r"<([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>")
_JOINER = "\u200d"


def size(text: str) -> int:
    """Length as Slack may count it, in UTF-16 units: never less than the number of characters."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def clean(text: str) -> str:
    """The text without what would act on its surroundings: controls, changes of direction, lone surrogates.

    Line breaks stay, other control characters become spaces.
    """
    kept = text.translate(_DROPPED)
    return "\n".join(line if line.isprintable() else _harmless_line(line) for line in kept.split("\n"))


def _harmless_line(line: str) -> str:
    return "".join(_harmless(char) for char in line)


def _harmless(char: str) -> str:
    if char in {_JOINER, "\u200c"}:
        return char
    match unicodedata.category(char):
        case "Cc" | "Zl" | "Zp":
            return " "
        case "Cs":
            return "\ufffd"
        case "Cf" if not "\U000e0020" <= char <= "\U000e007f":
            return ""  # the exception spells flags of regions
        case _:
            return char


def cut(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of the text, ending in "…" where something is left out.

    Cuts between words where one ends in the last half, else between what a reader takes for characters.
    """
    if size(text) <= limit:
        return text
    end = _fitting(text, limit - size(MORE))
    space = max(text.rfind(" ", 0, end + 1), text.rfind("\n", 0, end + 1))
    if space > end // 2:
        end = space
    else:
        while end > 0 and _inside(text, end):
            end -= 1
    return text[:end].rstrip() + MORE


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
    if unicodedata.combining(after) or unicodedata.category(after) in {"Mn", "Me", "Mc"}:
        return True
    if _JOINER in {before, after} or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if "\U000e0020" <= after <= "\U000e007f":
        return True
    if _is_flag(before) and _is_flag(after):
        run = 0
        while place - 1 - run >= 0 and _is_flag(text[place - 1 - run]):
            run += 1
        return run % 2 == 1  # flags are pairs of letters, counted from the start of the run
    return False


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def escaped(text: str) -> str:
    """The three characters that Slack gives a meaning, as entities; `&` first."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def fallback(text: str, limit: int) -> str:
    """A `text` field that says the words and does nothing: no mention, link or emoji.

    An emoji code is broken by a space of no width, the one thing that entities cannot do.
    """
    kept = clean(text)
    for units in range(limit, 0, -max(1, limit // 20)):
        done = _EMOJI.sub(":\u200b", escaped(cut(kept, units)))
        if size(done) <= limit:
            return done
    return MORE


def typed(text: str) -> str:
    """What a person typed, from what Slack sends: names of links and channels instead of codes, entities undone.

    Entities are undone once, `&amp;` last, so that somebody's `&amp;lt;` stays `&lt;`. Mentions of people vanish.
    """
    plain = _TOKEN.sub(_token, text)
    return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _token(found: re.Match[str]) -> str:
    code, label = found[1], found[2]
    match code[0]:
        case "@":
            return ""
        case "#":
            return f"#{label}" if label else ""
        case "!":
            return (label or f"@{code[1:]}") if not code.startswith("!date^") else (label or "")
        case _:
            return label or code


_SMILEY = re.compile(r"(?<!\w):[a-z0-9_+'-]{1,100}:")
_WORD = re.compile(r"[^\W_]+(?:[-'’.+][^\W_]+)*\*?")


def first_words(text: str, most: int = 12) -> str:
    """The first words of a message as words to search for: nothing in them reads as a filter or an exclusion."""
    plain = _SMILEY.sub(" ", typed(text[:3000]))
    words = (found[0] for found in _WORD.finditer(plain))
    return " ".join(word for word, _ in zip(words, range(most), strict=False))[:200]
