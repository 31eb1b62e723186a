"""A sentence as words with their places, and which of them stand inside brackets, quotation marks or formulas."""

import re
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"—|[^\s—]+")
_OPENING = {"(": ")", "[": "]", "{": "}", "“": "”", "⟨": "⟩"}
_SPECIAL = re.compile(r"[\"()\[\]{}“”⟨⟩]")
_STRIPPED = "\"'“”‘’()[]{}.,;:!?"


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without white space; `low` is it without punctuation around it, in lower case.

    `inside` says that brackets or quotation marks are open before it.
    """

    start: int
    end: int
    text: str
    low: str
    inside: bool


@lru_cache(maxsize=64)
def tokenise(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence, an em dash being a word of its own."""
    inside = enclosed(sentence)
    return tuple(
        Word(
            match.start(),
            match.end(),
            match.group(),
            match.group().strip(_STRIPPED).lower(),
            bool(match.start() and inside[match.start() - 1]),
        )
        for match in _WORD.finditer(sentence)
    )


@lru_cache(maxsize=64)
def enclosed(sentence: str) -> bytes:
    """One byte a character and one more: 1 from an opening bracket or quotation mark to before its closing one."""
    marks = bytearray(len(sentence) + 1)
    open_marks: list[tuple[str, int]] = []
    for mark in _SPECIAL.finditer(sentence):
        position, character = mark.start(), mark.group()
        if character == '"':
            if open_marks and open_marks[-1][0] == '"':
                _, opened = open_marks.pop()
                marks[opened:position] = b"\x01" * (position - opened)
            elif position == 0 or not sentence[position - 1].isalnum():
                open_marks.append(('"', position))
        elif character in _OPENING:
            open_marks.append((_OPENING[character], position))
        elif open_marks and character == open_marks[-1][0]:
            _, opened = open_marks.pop()
            marks[opened:position] = b"\x01" * (position - opened)
    return bytes(marks)
