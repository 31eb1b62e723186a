"""What naming a paper yields, and handles: short names to type, unique within a corpus."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.corpus.labels.candidates import fits
from bot.corpus.labels.lexicon import COMMON, FUNCTION, GENERIC_HEADS, MEASURES, PRAISE, VERBS

# What naming a paper yields.


@dataclass(frozen=True, slots=True)
class Label:
    """How people call a paper.

    `name` is its system, or with `phrase` a short noun phrase of its contribution. `aliases` are other forms and
    further artefacts that it introduces. `title` is a readable line: the real title where it was given.
    """

    name: str
    aliases: tuple[str, ...]
    phrase: bool
    title: str


MAX_HANDLE = 32
"""Characters of a handle: typed on a phone, and the longest option that stays on one line."""

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_PART = re.compile(r"[a-z0-9]+")
_TITLE_READ = 400
_DULL = FUNCTION | PRAISE | GENERIC_HEADS | COMMON | VERBS
_UNNAMED = "paper"
_SIGNS = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ł": "l",
    "ı": "i",
    "∞": "infinity",
    "ℓ": "ell",
    "ϕ": "phi",
}


def spelled(name: str) -> str:
    """A name in ASCII: Greek letters by name, accents and superscripts folded; what has no spelling is dropped."""
    parts: list[str] = []
    for char in name:
        if char.isascii():
            parts.append(char)
            continue
        if char in _SIGNS:
            parts.append(_SIGNS[char])
            continue
        for simple in unicodedata.normalize("NFKD", char):
            if simple.isascii():
                parts.append(simple)
            elif simple in _SIGNS:
                parts.append(_SIGNS[simple])
            elif "GREEK" in (full := unicodedata.name(simple, "")) and "LETTER" in full:
                word = full.split("LETTER ")[1].split()[0].lower()
                parts.append("lambda" if word == "lamda" else word)
            elif unicodedata.category(simple) in {"Pd", "Zs"}:
                parts.append("-")
    return "".join(parts)


def slug(words: str, width: int = MAX_HANDLE) -> str:
    """Words as `[a-z0-9-]`, at most `width` characters, cut between words where it can; may be empty."""
    whole = _NOT_SLUG.sub("-", spelled(words[:_TITLE_READ]).casefold().replace("'", "")).strip("-")
    if len(whole) <= width:
        return whole
    shorter = whole[: width + 1].rpartition("-")[0] or whole[:width]
    return shorter[:width].strip("-")


def handle_base(label: Label) -> str:
    """The handle a person would type for a paper: its acronym, else its name; a plain quantity is spelled."""
    chosen = label.name
    words = label.name.split()
    if not label.phrase and len(words) > 1 and words[-1].casefold() not in MEASURES:
        chosen = next((alias for alias in label.aliases if _is_acronym(alias, words)), chosen)
    if label.phrase and len(slug(chosen, _TITLE_READ)) > MAX_HANDLE:
        # a phrase cut short loses its head; an abbreviated form of it keeps it
        chosen = next(
            (form for form in label.aliases if form.split()[-1:] == words[-1:] and len(form) <= MAX_HANDLE), chosen
        )
    return slug(chosen) or slug(label.title) or _UNNAMED


def _is_acronym(alias: str, words: list[str]) -> bool:
    return " " not in alias and sum(char.isupper() for char in alias) > 1 and fits(alias, " ".join(words))


def assign(labels: Sequence[Label], taken: Mapping[str, object]) -> list[str]:
    """A handle for each label, in order: unique, none of `taken`, and the same for the same input.

    The first to ask for a handle has it; the next gets a word of its title or phrase, at last a number.
    """
    used: set[str] = set()
    handles: list[str] = []
    numbers: dict[str, int] = {}
    for label in labels:
        base = handle_base(label)
        handle = base
        if base in taken or base in used:
            handle = next((other for other in _variants(label, base) if other not in taken and other not in used), "")
            number = numbers.get(base, 2)
            while not handle:
                ending = f"-{number}"
                trial = base[: MAX_HANDLE - len(ending)].rstrip("-") + ending
                number += 1
                if trial not in taken and trial not in used:
                    handle = trial
            numbers[base] = number
        used.add(handle)
        handles.append(handle)
    return handles


def _variants(label: Label, base: str) -> list[str]:
    """The handle with a telling word of the title: `camel-mixture`. Whole words first, then parts of compounds."""
    have = set(base.split("-"))
    words = label.title[:_TITLE_READ].split()
    whole = [word for word in words if "-" not in word]
    parts = [word for word in words if "-" in word]
    found = [part for word in (*whole, *parts) for part in _SLUG_PART.findall(spelled(word).casefold())]
    telling = [word for word in dict.fromkeys(found) if word not in have and len(word) > 3 and word not in _DULL]
    return [trial for word in telling if len(trial := f"{base}-{word}") <= MAX_HANDLE]
