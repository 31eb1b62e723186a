"""Text as Slack escapes it, and what people sent, as they typed it."""

import re

from bot.text import MORE, clean, cut, size

_EMOJI = re.compile(r":(?=[\w+'-]{1,100}:)")
_TOKEN = re.compile(r"<([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>")


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
